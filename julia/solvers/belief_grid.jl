# title: BeliefGridValueIteration, Lovejoy's upper bound on a grid; its actions by one step of lookahead
# packages: BeliefGridValueIteration 0.1
# options: granularity::Int=1, precision=1e-6, max_iterations::Int=1000
using BeliefGridValueIteration, POMDPs, SensingPOMDPs

const WARM_UP = (; max_iterations=3)

struct GridLookahead <: Solver
    grid::BeliefGridValueIterationSolver
end

# The package hands back values without actions.
function POMDPs.solve(sol::GridLookahead, m::SensingPOMDP)
    values = solve(sol.grid, m)
    return OneStepLookahead(m, b -> value(values, b))
end

function make_solver(m; budget, seed, granularity=1, precision=1e-6, max_iterations=1000)
    return GridLookahead(BeliefGridValueIterationSolver(; m=granularity, precision, max_iterations))
end
