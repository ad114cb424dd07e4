# title: FIB.jl; it has no clock, only a number of sweeps and a tolerance
# packages: FIB 0.4
# options: max_iterations::Int, tolerance
# bounds: vectors
using FIB

const WARM_UP = (; max_iterations=3)

make_solver(m; budget, seed, options...) = FIBSolver(; options...)
