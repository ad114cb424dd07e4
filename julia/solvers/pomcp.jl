# title: BasicPOMCP, online; c is the range of the rewards unless given, max_time is per decision
# packages: BasicPOMCP 0.3
# options: max_depth::Int, c, tree_queries::Int, max_time
# policy: random
using BasicPOMCP, Random

const WARM_UP = (; tree_queries=10)

function make_solver(m; budget, seed, c=maximum(m.R) - minimum(m.R), options...)
    # Ties and failed searches must not depend on the global generator or throw.
    return POMCPSolver(; c, rng=Xoshiro(seed), default_action=1, options...)
end
