# title: NativeSARSOP started from our delayed-information bound; its bound is proven
# packages: NativeSARSOP 0.1
# options: epsilon, precision=1e-6, kappa, delta, max_time, max_steps::Int, prunethresh, use_binning::Bool, delay::Int
# start: asked
# bounds: proven
using NativeSARSOP, POMDPs, SensingPOMDPs

const WARM_UP = (; max_steps=5, precision=0.0)

# The deepest delay whose table stays small; 2 is the Tighter Informed Bound.
function affordable(m, most=2_000_000)
    S, A = size(m.R, 1), length(m.T)
    return max(1, something(findlast(n -> S * A^(n + 1) ≤ most, 1:6), 1))
end

function make_solver(m; budget, seed, max_time=isfinite(budget) ? budget : 60.0, delay=affordable(m), options...)
    began = time()
    scale = max(maximum(abs, m.R), 1e-300)
    # A quarter of the time at most for the bound above; the blind bound below is cheap.
    upper = solve(DelayedInformation(delay; max_time=max_time / 4, tolerance=1e-7 * scale), m)
    lower = NativeSARSOP.BlindLowerBound(bel_res=1e-7 * scale)
    return SARSOPSolver(; init_upper=Known(upper), init_lower=lower, verbose=false,
                        max_time=max(max_time - (time() - began), 0.0), options...)
end
