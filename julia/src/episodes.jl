"""
Figures of simulated episodes: discounted `returns` (rewards), discounted numbers of `steps` and
`looks` of all together, planning `seconds`, and how many `decisions` were planned. `truncation`
bounds what cutting an episode short leaves out of its return.
"""
struct Episodes
    returns::Vector{Float64}
    steps::Float64
    looks::Float64
    decisions::Int
    seconds::Float64
    truncation::Float64
end

const HORIZON_SHARE = 1e-4 # episodes are cut when this share of the discounted future is left

"""
    WithUpdater(policy, updater)

A policy that acts on the beliefs of its own updater, from the initial belief on, instead of on exact
beliefs from a known first state.
"""
struct WithUpdater{P<:Policy,U<:Updater} <: Policy
    policy::P
    updater::U
end

"""
    simulate_planner(m, planner; episodes=100, seed=0, max_seconds=Inf)

Simulate a policy that plans with chance. The first state is drawn from the start and known; the
belief is exact. Rewards are taken in expectation over the belief, so only what looks show is drawn.
No episode begins after `max_seconds`, but there is always one.
"""
function simulate_planner(m::SensingPOMDP, planner; episodes=100, seed=0, max_seconds=Inf)
    t0 = time()
    rng = Xoshiro(seed + 1)
    horizon = m.discount < 1 ? ceil(Int, log(HORIZON_SHARE) / log(m.discount)) : 10_000
    returns = Float64[]
    steps = looked = 0.0
    decisions = 0
    while length(returns) < episodes && (isempty(returns) || time() - t0 < max_seconds)
        r, n, l, d = episode(m, planner, rng, horizon)
        push!(returns, r)
        steps += n
        looked += l
        decisions += d
    end
    left = m.discount < 1 ? m.discount^horizon * maximum(abs, m.R) / (1 - m.discount) : 0.0
    return Episodes(returns, steps, looked, decisions, time() - t0, left)
end

function episode(m::SensingPOMDP, planner, rng, horizon)
    s = rand(rng, initialstate(m))
    ordered = collect(states(m))
    b = zeros(length(ordered))
    b[s] = 1.0
    r = steps = looked = 0.0
    decisions, γᵗ = 0, 1.0
    m.terminal[s] && return r, steps, looked, decisions
    own = first_belief(m, planner)
    for _ in 1:horizon
        a = own === nothing ? chosen_action(m, planner, ordered, b) : Int(action(planner.policy, own))
        decisions += 1
        steps += γᵗ
        r += γᵗ * dot(@view(m.R[:, a]), b)
        b = m.T[base_action(m, a)] * b
        o = nothing_seen(m)
        if looks(m, a)
            looked += γᵗ
            o = s = rand(rng, SparseCat(ordered, b))
            m.terminal[s] && break
            fill!(b, 0.0)
            b[s] = 1.0
        end
        own === nothing || (own = update(planner.updater, own, a, o))
        γᵗ *= m.discount
    end
    return r, steps, looked, decisions
end

first_belief(m, ::Any) = nothing
first_belief(m, planner::WithUpdater) = initialize_belief(planner.updater, initialstate(m))
