# What the Python side calls. Only numbers, text and addresses cross, for which all code is compiled
# with the package: a wrapped Python array or dictionary would be compiled anew in every process.

"""
    from_addresses(S, A, indptr, indices, data, R, start, discount, terminal, end_is_seen)

A problem from the addresses of C-ordered buffers: `indptr` (A, S + 1), `indices` and `data` as in
[`SensingPOMDP`](@ref), `R` (S, 2A), `start` and `terminal` (S). They are copied, once.
"""
function from_addresses(S::Int, A::Int, indptr::Int, indices::Int, data::Int, R::Int, start::Int,
                        discount::Float64, terminal::Int, end_is_seen::Bool)
    wrap(T, address, dims...) = unsafe_wrap(Array, Ptr{T}(address), dims)
    pointers = wrap(Int, indptr, S + 1, A) # rows of C are columns here
    n = sum(@view pointers[end, :])
    return SensingPOMDP(permutedims(pointers), wrap(Int, indices, n), wrap(Float64, data, n),
                        permutedims(wrap(Float64, R, 2A, S)), wrap(Float64, start, S), discount,
                        wrap(Bool, terminal, S); end_is_seen)
end

const LOADED = Dict{String,Any}()

# The make_solver of a file (by path) or of a type (Package.SolverType), loaded once.
load_solver(source::String) =
    get!(() -> endswith(source, ".jl") ? solver_file(source) : solver_type(source), LOADED, source)

"""
    forget()

Drop what a request left behind, so that the next one begins as in a fresh Julia: solver files are loaded
again, into modules of their own, and problems and policies go. Generators are seeded by every [`plan`](@ref).
"""
function forget()
    empty!(LOADED)
    GC.gc()
    flush(stdout)
    flush(stderr)
    return nothing
end

"""
    request(m, source, budget, seed, random, episodes, options_text)

Plan as asked with the solver of a file or type; options come as lines of `name<tab>value`.
"""
function request(m::SensingPOMDP, source::String, budget::Float64, seed::Int, random::Bool,
                 episodes::Int, options_text::String)
    options = parse_options(options_text)
    return plan(m, load_solver(source); name=basename(source), budget, seed, random, episodes, options...)
end

"""
    warm_up(source, budget, seed, random, options_text, A)

The same on a tiny problem with A actions, so that compiling is not counted as planning. NativeSARSOP
compiles some of its code anew for every number of actions. A file may say `const WARM_UP = (; …)`:
options that keep this short, or make it meet more of the code.
"""
function warm_up(source::String, budget::Float64, seed::Int, random::Bool, options_text::String, A::Int)
    make_solver = load_solver(source)
    options = merge(parse_options(options_text), warm_options(parentmodule(make_solver)))
    return plan(tiny_problem(A), make_solver; name=basename(source), budget=min(budget, 1.0), seed, random,
                episodes=1, deadline=Inf, options...)
end

warm_options(mod::Module) =
    isdefined(mod, :WARM_UP) ? Dict{Symbol,Any}(pairs(getfield(mod, :WARM_UP))) : Dict{Symbol,Any}()

function parse_options(text::String)
    options = Dict{Symbol,Any}()
    for line in eachline(IOBuffer(text))
        name, value = split(line, '\t'; limit=2)
        options[Symbol(name)] = value in ("true", "false") ? value == "true" :
                                something(tryparse(Int, value), tryparse(Float64, value), String(value))
    end
    return options
end

"""
    settings_text(found)

The effective settings and the solver's own report as lines of `name<tab>value`.
"""
function settings_text(found::Planned)
    reported = Dict("info.$k" => v for (k, v) in found.info)
    both = sort!(collect(merge(found.settings, reported)); by=first)
    return join(("$name\t$(replace(string(value), r"\s+" => " "))" for (name, value) in both), '\n')
end

"Numbers of alpha vectors, bounds, plans, plan actions and returns, for the buffers of `copy_out`."
function sizes(found::Planned)
    returns = found.episodes === nothing ? 0 : length(found.episodes.returns)
    return "$(length(found.actions)) $(length(found.upper)) $(length(found.plans)) " *
           "$(sum(p -> length(p.actions), found.plans; init=0)) $returns"
end

"Planning seconds, bounds at the root, iterations, nodes; of episodes: steps, looks, decisions, truncation."
function numbers(found::Planned)
    e = found.episodes
    simulated = e === nothing ? (0.0, 0.0, 0, 0.0) : (e.steps, e.looks, e.decisions, e.truncation)
    return join((found.seconds, found.root_lower, found.root_upper, found.iterations, found.nodes, simulated...), ' ')
end

"""
    copy_out(found, alphas, actions, upper, lengths, plan_actions, plan_looks, returns)

Copy the arrays of a result to the addresses of buffers: alpha vectors (n, S) and their actions counted
from 0; upper bounds; of the plans their lengths, POMDP actions counted from 0 and whether each looks;
returns of episodes.
"""
function copy_out(found::Planned, addresses::Int...)
    returns = found.episodes === nothing ? Float64[] : found.episodes.returns
    arrays = (found.alphas, found.actions .- 1, found.upper, Int[length(p.actions) for p in found.plans],
              Int[a - 1 for p in found.plans for a in p.actions], UInt8[p.looks for p in found.plans], returns)
    for (array, address) in zip(arrays, addresses)
        GC.@preserve array unsafe_copyto!(Ptr{eltype(array)}(address), pointer(array), length(array))
    end
    return nothing
end
