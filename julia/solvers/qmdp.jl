# title: QMDP.jl; it plans as if everything were seen from the next step on, so it never looks
# packages: QMDP 0.1
# options: max_iterations::Int, belres
using QMDP

const WARM_UP = (; max_iterations=3)

make_solver(m; budget, seed, options...) = QMDPSolver(; options...)
