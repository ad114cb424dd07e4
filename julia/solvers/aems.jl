# title: AEMS2, online and deterministic: anytime error minimisation search on exact beliefs
# packages: AEMS 0.1
# options: max_iterations::Int=200
using AEMS, POMDPs, POMDPTools, SensingPOMDPs

const WARM_UP = (; max_iterations=3)

# AEMS updates beliefs with observations that cannot be; those get the belief unchanged, at weight 0.
struct Forgiving <: Updater
    m::SensingPOMDP
end
POMDPs.initialize_belief(up::Forgiving, d) = initialize_belief(DiscreteUpdater(up.m), d)
function POMDPs.update(up::Forgiving, b::DiscreteBelief, a, o)
    m = up.m
    after = m.T[mod1(a, length(m.T))] * b.b
    if !looks(m, a) 
        o > length(after) && return DiscreteBelief(m, b.state_list, after)
    elseif o ≤ length(after) && after[o] > 0
        return DiscreteBelief(m, b.state_list, Float64.(eachindex(after) .== o))
    end
    return b
end

function make_solver(m; budget, seed, max_iterations=200)
    upper = solve(DelayedInformation(1; tolerance=1e-9), m)
    return AEMSSolver(; max_iterations, max_time=1e6, updater=Forgiving(m), upper_bound=upper,
                      lower_bound=blind_for_good(m))
end

# Each action repeated for good: a policy, so a bound from below.
function blind_for_good(m)
    S, A = size(m.R, 1), length(m.T)
    alphas = [(one(zeros(S, S)) - m.discount * Matrix(m.T[a]')) \ m.R[:, a] for a in 1:A]
    return AlphaVectorPolicy(m, alphas, collect(1:A))
end
