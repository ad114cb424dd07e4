# title: ARDESPOT, online; bounds: blind for good below, everything seen above
# packages: ARDESPOT 0.3
# options: K::Int=100, D::Int=90, regularization=0.0, T_max=0.1, max_trials::Int
# policy: random
using ARDESPOT, POMDPs, SensingPOMDPs, Random

const WARM_UP = (; T_max=0.05)

# The scenarios know their states, so bounds at known states serve: what the delayed-information bound
# says above, and the worst reward for good below.
function make_solver(m; budget, seed, regularization=0.0, options...)
    upper = solve(DelayedInformation(1), m)
    seen = map(maximum, zip(upper.alphas...))
    above(_, b) = sum(seen[s] for s in ARDESPOT.particles(b)) / length(ARDESPOT.particles(b))
    blind = [minimum(m.R[:, a]) for a in 1:length(m.T)]
    below = maximum(blind) / (1 - m.discount)
    return DESPOTSolver(; bounds=IndependentBounds(min(below, minimum(seen)), above; consistency_fix_thresh=1e-6),
                        rng=MersenneTwister(seed), default_action=1, lambda=regularization, options...)
end
