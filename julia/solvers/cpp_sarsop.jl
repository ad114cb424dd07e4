# title: SARSOP.jl, the C++ program pomdpsol of the APPL toolkit
# packages: SARSOP 0.6
# options: precision=1e-6, timeout
# start: asked
using SARSOP

function make_solver(m; budget, seed, timeout=isfinite(budget) ? budget : 60.0, options...)
    folder = mktempdir()
    return SARSOP.SARSOPSolver(; timeout, verbose=false, options..., policy_filename=joinpath(folder, "policy.out"),
                               pomdp_filename=joinpath(folder, "model.pomdpx"))
end
