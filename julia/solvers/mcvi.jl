# title: MCVI, a policy graph for the initial belief; simulated with its own updater
# packages: MCVI 0.3
# options: n_iter::Int=3, num_particles::Int=100, depth::Int
# policy: random
using MCVI, POMDPs, POMDPTools, SensingPOMDPs, Random, LinearAlgebra
using Logging: with_logger, NullLogger

const WARM_UP = (; n_iter=1, depth=2)

# MCVI asks for observations that depend on the state alone, so a state says whether it was looked at. It
# searches until its bounds meet, so a state counts the steps and they meet at `depth`. It needs an action that
# ends the episode: 0, which stands for one blind action for good. And it stops at gaps of 0.1, whatever the
# rewards, so these are multiplied by `scale`.
struct Moment
    s::Int
    looked::Bool
    t::Int
end
struct Move
    a::Int
end
struct Flagged <: POMDP{Moment,Move,Int}
    m::SensingPOMDP
    seen::Vector{Float64}   # bound above, at known states
    rest::Vector{Float64}   # value of the blind action for good
    blind::Int              # that action
    depth::Int
    scale::Float64
end

shown(p::Flagged, x::Moment) = x.looked ? x.s : length(p.seen) + 1
POMDPs.actions(p::Flagged) = [Move(a) for a in 0:2length(p.m.T)]
POMDPs.discount(p::Flagged) = p.m.discount
POMDPs.initialstate(p::Flagged) = ImplicitDistribution(rng -> Moment(rand(rng, initialstate(p.m)), false, 0))
POMDPs.isterminal(::Flagged, ::Moment) = false
POMDPs.isterminal(::Flagged, move::Move) = move.a == 0
POMDPs.observation(p::Flagged, x::Moment) = Deterministic(shown(p, x))
POMDPs.observation(p::Flagged, ::Move, x::Moment) = Deterministic(shown(p, x))
function POMDPs.gen(p::Flagged, x::Moment, move::Move, rng::AbstractRNG)
    move.a == 0 && return (; sp=x, o=shown(p, x), r=p.scale * p.rest[x.s])
    sp = Moment(rand(rng, transition(p.m, x.s, move.a)), looks(p.m, move.a), x.t + 1)
    return (; sp, o=shown(p, sp), r=p.scale * p.m.R[x.s, move.a])
end

struct Above end
struct Below end
# MCVI discounts the first reward already.
MCVI.lower_bound(::Below, p::Flagged, x::Moment) = p.scale * p.m.discount * p.rest[x.s]
MCVI.upper_bound(::Above, p::Flagged, x::Moment) =
    p.scale * p.m.discount * (x.t ≥ p.depth ? p.rest[x.s] : max(p.seen[x.s], p.rest[x.s]))
MCVI.init_lower_action(::Flagged) = Move(0)

# The graph is followed until it ends, then the blind action is repeated.
struct GraphUpdater <: Updater
    graph::MCVI.MCVIUpdater
end
POMDPs.initialize_belief(up::GraphUpdater, _) = up.graph.root
POMDPs.update(up::GraphUpdater, node, a, o) =
    node === nothing || !MCVI.hasnext(node) ? node : update(up.graph, node, Move(a), o)
struct GraphPolicy <: Policy
    blind::Int
end
POMDPs.action(g::GraphPolicy, node) = node === nothing || node.act.a == 0 ? g.blind : node.act.a

struct GraphSolver <: Solver
    graph::MCVI.MCVISolver
    problem::Flagged
end
function POMDPs.solve(sol::GraphSolver, m::SensingPOMDP)
    policy = with_logger(() -> solve(sol.graph, sol.problem), NullLogger()) # it warns of every reward of 0
    return WithUpdater(GraphPolicy(sol.problem.blind), GraphUpdater(updater(policy)))
end

function make_solver(m; budget, seed, n_iter=3, num_particles=100, depth=ceil(Int, log(0.05) / log(m.discount)))
    seen = map(maximum, zip(solve(DelayedInformation(1), m).alphas...))
    for_good = [(I - m.discount * Matrix(T')) \ m.R[:, a] for (a, T) in enumerate(m.T)]
    blind = argmax([dot(m.start, v) for v in for_good])
    scale = 1000 * (1 - m.discount) / max(maximum(abs, m.R), 1e-300)
    problem = Flagged(m, seen, for_good[blind], blind, depth, scale)
    graph = MCVISolver(MCVISimulator(MersenneTwister(seed)), nothing, n_iter, num_particles, 8, 100, 100, 200, 50,
                       Below(), Above())
    return GraphSolver(graph, problem)
end
