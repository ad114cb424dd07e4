# title: MCVI, a policy graph for the initial belief; simulated with its own updater
# packages: MCVI 0.3
# options: n_iter::Int=10, num_particles::Int=100
# policy: random
using MCVI, POMDPs, POMDPTools, SensingPOMDPs, Random

const WARM_UP = (; n_iter=1)

struct Above; seen::Vector{Float64}; end
struct Below; least::Float64; end
MCVI.upper_bound(b::Above, ::SensingPOMDP, s::Int) = b.seen[s]
MCVI.lower_bound(b::Below, ::SensingPOMDP, s::Int) = b.least
MCVI.init_lower_action(::SensingPOMDP) = 1

struct GraphSolver <: Solver
    graph::MCVI.MCVISolver
end
function POMDPs.solve(sol::GraphSolver, m::SensingPOMDP)
    policy = solve(sol.graph, m)
    return WithUpdater(policy, updater(policy))
end

function make_solver(m; budget, seed, n_iter=10, num_particles=100)
    upper = solve(DelayedInformation(1), m)
    below = maximum(minimum(m.R[:, a]) for a in 1:length(m.T)) / (1 - m.discount)
    simulator = MCVISimulator(MersenneTwister(seed))
    return GraphSolver(MCVISolver(simulator, nothing, n_iter, num_particles, 8, 200, 200, 500, 50,
                                  Below(below), Above(map(maximum, zip(upper.alphas...)))))
end
