"""
What a planner found, as plain arrays.

# Fields
- `alphas`: one column per alpha vector, in rewards
- `actions`: the POMDP action of each
- `upper`: upper bound on the value of each known state, empty where the method gives none
- `root_lower`, `root_upper`: its own bounds at the initial belief, NaN where it has none
- `iterations`, `seconds`: of planning alone; `nodes`: beliefs kept
- `settings`: what the solver really used, read back from its fields
"""
struct Planned
    alphas::Matrix{Float64}
    actions::Vector{Int}
    upper::Vector{Float64}
    root_lower::Float64
    root_upper::Float64
    iterations::Int
    nodes::Int
    seconds::Float64
    settings::Dict{String,Any}
end

function Planned(policy::AlphaVectorPolicy, seconds, settings; upper=Float64[], root_lower=NaN,
                 root_upper=NaN, iterations=0, nodes=0)
    return Planned(reduce(hcat, policy.alphas), collect(Int, policy.action_map), upper, root_lower,
                   root_upper, iterations, nodes, seconds, settings)
end

"""
    plan(m, planner, options=Dict())

Plan with one of the solvers of POMDPs.jl, by name: `"sarsop"` (stock settings),
`"sarsop-structured"` (with our initial bounds), `"fib"`, `"qmdp"`, `"pbvi"`. Options go to the
solver by name.
"""
plan(m::SensingPOMDP, planner::AbstractString, options=Dict{String,Any}()) = plan(m, Val(Symbol(planner)), options)

plan(::SensingPOMDP, ::Val{P}, _) where {P} =
    throw(ArgumentError("no planner $P; there are sarsop, sarsop-structured, fib, qmdp, pbvi"))

# By default nothing is printed: it is no part of planning, yet would be timed with it.
quietly(options) = merge(Dict{Symbol,Any}(:verbose => false), Dict{Symbol,Any}(Symbol(k) => v for (k, v) in options))

plan(m::SensingPOMDP, ::Val{:sarsop}, options) = run_sarsop(m, configure(SARSOPSolver, quietly(options)), time())

function plan(m::SensingPOMDP, ::Val{Symbol("sarsop-structured")}, options)
    t0 = time()
    options = quietly(options)
    total = get(options, :max_time, 60.0)
    scale = maximum(abs, m.R)
    # A quarter of the time at most for the bound above; the blind bound below is cheap.
    fib = StructuredFIB(max_time=total / 4, tolerance=1e-7 * scale)
    upper = solve(fib, m)
    options[:max_time] = max(total - (time() - t0), 0.0)
    solver = configure(SARSOPSolver, options; init_upper=Known(upper),
                       init_lower=BlindLowerBound(bel_res=1e-7 * scale))
    found = run_sarsop(m, solver, t0)
    merge!(found.settings, effective_settings(fib, "init_upper."))
    found.settings["init_upper"] = "StructuredFIB"
    return found
end

function run_sarsop(m, solver, t0)
    policy, info = solve_info(solver, m)
    seconds = time() - t0
    tree = info.tree
    return Planned(policy, seconds, effective_settings(solver);
                   upper=corner_bounds(tree), root_lower=tree.V_lower[1], root_upper=tree.V_upper[1],
                   iterations=info.iter, nodes=length(tree.real))
end

plan(m::SensingPOMDP, ::Val{:fib}, options) = run_simple(m, configure(FIBSolver, options))
plan(m::SensingPOMDP, ::Val{:qmdp}, options) = run_simple(m, configure(QMDPSolver, options))
plan(m::SensingPOMDP, ::Val{:pbvi}, options) = run_simple(m, configure(PBVISolver, options))

function run_simple(m, solver)
    t0 = time()
    policy = solve(solver, m)
    return Planned(policy, time() - t0, effective_settings(solver))
end
