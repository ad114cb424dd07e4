# title: NativeSARSOP with its stock settings, as the paper used it
# packages: NativeSARSOP 0.1
# options: epsilon, precision, kappa, delta, max_time, max_steps::Int, prunethresh, use_binning::Bool
# start: asked
# bounds: claimed
using NativeSARSOP

const WARM_UP = (; max_steps=5, precision=0.0)

function make_solver(m; budget, seed, max_time=isfinite(budget) ? budget : 60.0, options...)
    return SARSOPSolver(; max_time, verbose=false, options...)
end
