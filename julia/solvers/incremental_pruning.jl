# title: IncrementalPruning.jl, exact in the limit; tiny problems only
# packages: IncrementalPruning 0.3
# options: max_iterations::Int, tolerance
using IncrementalPruning

const WARM_UP = (; max_iterations=2)

make_solver(m; budget, seed, options...) = PruneSolver(; options...)
