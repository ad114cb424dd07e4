# A solver is one file: `make_solver(m; budget, seed, options...)` returns a Solver of POMDPs.jl.

"""
What a solver file found, as plain arrays; of `alphas`, `plans` and `episodes` one is filled.

# Fields
- `alphas`, `actions`: one column per alpha vector, in rewards, and the POMDP action of each
- `plans`: a plan for each state
- `episodes`: figures of simulated episodes
- `upper`: upper bound on the value of each known state, empty where the method gives none
- `root_lower`, `root_upper`: its own bounds at the initial belief, NaN where it has none
- `iterations`, `seconds`: of planning alone; `nodes`: beliefs kept
- `settings`: what the solver really used, read back from its fields; `info`: from `solve_info`
"""
Base.@kwdef struct Planned
    alphas::Matrix{Float64}         = zeros(0, 0)
    actions::Vector{Int}            = Int[]
    plans::Vector{Plan}             = Plan[]
    episodes::Union{Episodes,Nothing} = nothing
    upper::Vector{Float64}          = Float64[]
    root_lower::Float64             = NaN
    root_upper::Float64             = NaN
    iterations::Int                 = 0
    nodes::Int                      = 0
    seconds::Float64                = 0.0
    settings::Dict{String,Any}      = Dict{String,Any}()
    info::Dict{String,Any}          = Dict{String,Any}()
end

"An error in a solver file, in one line: the file, the line and what is wrong."
struct SolverFileError <: Exception
    message::String
end
Base.showerror(io::IO, e::SolverFileError) = print(io, e.message)

# In a project where our own packages are indirect they are still found by name.
function find_ours()
    ours = pkgdir(SensingPOMDPs)
    ours === nothing || ours in LOAD_PATH || push!(LOAD_PATH, ours)
end

"""
    solver_file(path)

The `make_solver` of a file, loaded into a module of its own.
"""
function solver_file(path::AbstractString)
    isfile(path) || throw(SolverFileError("no such solver file: $path"))
    find_ours()
    mod = Module(Symbol(first(splitext(basename(path)))))
    in_file(() -> Base.include(mod, abspath(path)), path)
    isdefined(mod, :make_solver) || throw(SolverFileError(
        "$path: it defines no make_solver(m; budget, seed, options...)"))
    return getfield(mod, :make_solver)
end

"""
    solver_type(name)

The `make_solver` of a plain solver, given as `Package.SolverType`: its options are its keywords.
"""
function solver_type(name::AbstractString)
    package, type = split(name, '.'; limit=2)
    find_ours()
    S = try
        mod = Base.require(Main, Symbol(package))
        Base.invokelatest(getfield, mod, Symbol(type))
    catch err
        throw(SolverFileError("$name: $(one_line(err))"))
    end
    return (m; budget, seed, options...) -> keyword_solver(S, budget, seed, options)
end

# A budget and a seed are passed on where the solver has a keyword for them.
function keyword_solver(S, budget, seed, options)
    given = Dict{Symbol,Any}(options)
    fields = fieldnames(S isa UnionAll ? Base.unwrap_unionall(S) : S)
    for clock in (:max_time, :T_max, :timeout)
        clock in fields && isfinite(budget) && get!(given, clock, budget)
    end
    :rng in fields && get!(given, :rng, MersenneTwister(seed))
    :verbose in fields && get!(given, :verbose, false)
    return S(; given...)
end

"""
    plan(m, make_solver; name, budget=Inf, seed=0, random=false, episodes=100, options...)

Plan with the solver that `make_solver` returns. Alpha vectors come back as they are; a policy that
plans with chance (`random`, or a solver with a random generator) is simulated; any other one is
deterministic and followed from every state, which must be done by the `deadline`.
"""
function plan(m::SensingPOMDP, make_solver; name="the solver", budget=Inf, seed=0, random=false,
              episodes=100, deadline=time() + 1.2 * budget, options...)
    t0 = time()
    Random.seed!(seed)
    solver = in_file(() -> Base.invokelatest(make_solver, m; budget=Float64(budget), seed, options...), name)
    solver isa Solver || throw(SolverFileError(
        "$name: make_solver returned $(describe(solver)); expected a POMDPs.Solver"))
    check_requirements(solver, m, name)
    policy, info = in_file(() -> Base.invokelatest(run_solver, solver, m), name)
    policy isa Policy || throw(SolverFileError(
        "$name: solve returned $(describe(policy)); expected a POMDPs.Policy"))
    settings = effective_settings(solver)
    common = (; settings, info=plain_info(info), bounds_of(info)...)
    if !has_vectors(policy) && (random || has_generator(solver))
        found = in_file(() -> Base.invokelatest(simulate_planner, m, policy; episodes, seed,
                                                max_seconds=budget - (time() - t0)), name)
        return Planned(; common..., episodes=found, seconds=time() - t0)
    elseif has_vectors(policy)
        alphas = vectors(policy, m, name)
        return Planned(; common..., alphas, actions=collect(Int, policy.action_map), seconds=time() - t0)
    end
    plans = in_file(() -> Base.invokelatest(unroll, m, policy; deadline), name)
    return Planned(; common..., plans, seconds=time() - t0)
end

has_vectors(policy) = hasproperty(policy, :alphas) && hasproperty(policy, :action_map)

has_generator(solver) = any(f -> getfield(solver, f) isa AbstractRNG, fieldnames(typeof(solver)))

# The vectors as columns, checked: a policy may hold anything.
function vectors(policy, m, name)
    right = !isempty(policy.alphas) && all(α -> length(α) == size(m.R, 1) && all(isfinite, α), policy.alphas) &&
            length(policy.action_map) == length(policy.alphas) && all(in(actions(m)), policy.action_map)
    right || throw(SolverFileError("$name: its alpha vectors are not $(size(m.R, 1)) finite numbers and an action each"))
    return reduce(hcat, policy.alphas)
end

# `solve_info` where a solver has it, else `solve`.
function run_solver(solver, m)
    hasmethod(solve_info, Tuple{typeof(solver),typeof(m)}) || return solve(solver, m), nothing
    return solve_info(solver, m)
end

# What SARSOP's tree proves; nothing for what is not one.
bounds_of(::Any) = (;)
function bounds_of(info::NamedTuple)
    tree = get(info, :tree, nothing)
    tree isa SARSOPTree || return (;)
    return (; upper=corner_bounds(tree), root_lower=tree.V_lower[1], root_upper=tree.V_upper[1],
            iterations=get(info, :iter, 0), nodes=length(tree.real))
end

# The numbers and words of a solver's own report.
plain_info(::Any) = Dict{String,Any}()
plain_info(info::Union{NamedTuple,AbstractDict}) = Dict{String,Any}(
    string(k) => v for (k, v) in pairs(info) if v isa Union{Real,AbstractString,Symbol})

describe(x) = x === nothing ? "nothing" : "a $(nameof(typeof(x)))"
