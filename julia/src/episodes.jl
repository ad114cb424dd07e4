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
    settings::Dict{String,Any}
end

const HORIZON_SHARE = 1e-4 # episodes are cut when this share of the discounted future is left

"""
    simulate_pomcp(m, options=Dict(); episodes=100, seed=0, max_seconds=Inf)

Plan online with BasicPOMCP and simulate it. The first state is drawn from the start and known;
the belief is exact. Rewards are taken in expectation over the belief, so only what looks show is
drawn. `c` is the range of the rewards unless given.
"""
function simulate_pomcp(m::SensingPOMDP, options=Dict{String,Any}(); episodes=100, seed=0, max_seconds=Inf)
    t0 = time()
    options = Dict{Symbol,Any}(Symbol(k) => v for (k, v) in options)
    lowest, highest = extrema(m.R)
    get!(options, :c, highest - lowest)
    # Ties and failed searches must not depend on the global generator or throw.
    solver = configure(POMCPSolver, options; rng=Xoshiro(seed), default_action=1)
    planner = solve(solver, m)
    rng = Xoshiro(seed + 1)
    horizon = ceil(Int, log(HORIZON_SHARE) / log(m.discount))
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
    truncation = m.discount^horizon * maximum(abs, m.R) / (1 - m.discount)
    settings = effective_settings(solver)
    settings["seed"] = seed
    return Episodes(returns, steps, looked, decisions, time() - t0, truncation, settings)
end

function episode(m::SensingPOMDP, planner, rng, horizon)
    s = rand(rng, initialstate(m))
    ordered = collect(states(m))
    b = zeros(length(ordered))
    b[s] = 1.0
    r = steps = looked = 0.0
    decisions, γᵗ = 0, 1.0
    m.terminal[s] && return r, steps, looked, decisions
    for _ in 1:horizon
        a = action(planner, DiscreteBelief(m, ordered, b))
        decisions += 1
        steps += γᵗ
        r += γᵗ * dot(@view(m.R[:, a]), b)
        b = m.T[base_action(m, a)] * b
        if looks(m, a)
            looked += γᵗ
            s = rand(rng, SparseCat(ordered, b))
            m.terminal[s] && break
            fill!(b, 0.0)
            b[s] = 1.0
        end
        γᵗ *= m.discount
    end
    return r, steps, looked, decisions
end
