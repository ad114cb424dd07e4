# title: AdaOPS, online: adaptive particles and packed beliefs
# packages: AdaOPS 0.6
# options: T_max=0.1, max_depth::Int=90, m_min::Int=30, m_max::Int=200, delta=0.1
# policy: random
using AdaOPS, POMDPs, SensingPOMDPs, Random

const WARM_UP = (; T_max=0.05)

function make_solver(m; budget, seed, options...)
    upper = solve(DelayedInformation(1), m)
    seen = map(maximum, zip(upper.alphas...))
    below = maximum(minimum(m.R[:, a]) for a in 1:length(m.T)) / (1 - m.discount)
    bounds = AdaOPS.IndependentBounds(min(below, minimum(seen)), maximum(seen); consistency_fix_thresh=1e-6)
    return AdaOPSSolver(; bounds, rng=MersenneTwister(seed), default_action=1, options...)
end
