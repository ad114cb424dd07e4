# title: IncrementalPruning.jl, exact in the limit; tiny problems only
# packages: IncrementalPruning 0.3
# options: max_iterations::Int, tolerance
using IncrementalPruning

make_solver(m; budget, seed, options...) = PruneSolver(; options...)
