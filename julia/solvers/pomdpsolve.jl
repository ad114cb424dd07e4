# title: POMDPSolve, Cassandra's pomdp-solve; tiny problems only
# packages: POMDPSolve 0.3
# options: horizon::Int, epsilon
using POMDPSolve

function make_solver(m; budget, seed, options...)
    return POMDPSolveSolver(; time_limit=isfinite(budget) ? max(1, floor(Int, budget)) : -1, options...)
end
