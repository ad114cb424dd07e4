# What the Python side calls. Only numbers, text and addresses cross, for which all code is compiled
# with the package: a wrapped Python array or dictionary would be compiled anew in every process.

"""
    from_addresses(S, A, indptr, indices, data, R, start, discount, terminal)

A problem from the addresses of C-ordered buffers: `indptr` (A, S + 1), `indices` and `data` as in
[`SensingPOMDP`](@ref), `R` (S, 2A), `start` and `terminal` (S). They are copied, once.
"""
function from_addresses(S::Int, A::Int, indptr::Int, indices::Int, data::Int, R::Int, start::Int,
                        discount::Float64, terminal::Int)
    wrap(T, address, dims...) = unsafe_wrap(Array, Ptr{T}(address), dims)
    pointers = wrap(Int, indptr, S + 1, A) # rows of C are columns here
    n = sum(@view pointers[end, :])
    return SensingPOMDP(permutedims(pointers), wrap(Int, indices, n), wrap(Float64, data, n),
                        permutedims(wrap(Float64, R, 2A, S)), wrap(Float64, start, S), discount,
                        wrap(Bool, terminal, S))
end

"""
    request(m, planner, options_text)

Plan as asked: options come as lines of `name<tab>value`. For `"pomcp"` the lines `episodes`, `seed`
and `max_seconds` are taken out.
"""
function request(m::SensingPOMDP, planner::String, options_text::String)
    options = parse_options(options_text)
    planner == "pomcp" || return plan(m, planner, options)
    take(name, default) = pop!(options, name, default)
    return simulate_pomcp(m, options; episodes=take("episodes", 100), seed=take("seed", 0),
                          max_seconds=take("max_seconds", Inf))
end

function parse_options(text::String)
    options = Dict{String,Any}()
    for line in eachline(IOBuffer(text))
        name, value = split(line, '\t')
        options[name] = value in ("true", "false") ? value == "true" :
                        something(tryparse(Int, value), tryparse(Float64, value))
    end
    return options
end

"""
    settings_text(found)

The effective settings as lines of `name<tab>value`.
"""
settings_text(found) = join(("$name\t$value" for (name, value) in sort!(collect(found.settings); by=first)), '\n')

sizes(found::Planned) = "$(size(found.alphas, 2)) $(length(found.upper))"
sizes(found::Episodes) = "$(length(found.returns)) 0"

"""
    copy_out(found, one, two, three)

Copy the arrays of a result to the addresses of buffers: alpha vectors (n, S), their actions counted
from 0 and the upper bounds; or the returns of episodes alone.
"""
function copy_out(found::Planned, alphas::Int, actions::Int, upper::Int)
    unsafe_copyto!(Ptr{Float64}(alphas), pointer(found.alphas), length(found.alphas))
    from0 = found.actions .- 1
    GC.@preserve from0 unsafe_copyto!(Ptr{Int}(actions), pointer(from0), length(from0))
    unsafe_copyto!(Ptr{Float64}(upper), pointer(found.upper), length(found.upper))
    return nothing
end

function copy_out(found::Episodes, returns::Int, ::Int, ::Int)
    unsafe_copyto!(Ptr{Float64}(returns), pointer(found.returns), length(found.returns))
    return nothing
end
