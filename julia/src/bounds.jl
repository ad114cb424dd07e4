"""
    corner_bounds(tree)

Upper bound on the value of each state known for sure, as far as a SARSOP tree knows it: the
initial bound, or that of a node whose belief is that state alone, whichever is lower. As valid as
the initial bound of the tree.
"""
function corner_bounds(tree::SARSOPTree)
    upper = copy(tree.Vs_upper)
    for (b_idx, b) in enumerate(tree.b)
        nnz(b) == 1 || continue
        s = only(SparseArrays.nonzeroinds(b))
        upper[s] = min(upper[s], tree.V_upper[b_idx])
    end
    return upper
end

"""
    Known(policy)

A "solver" that answers with a policy made before, so that an initial bound can be computed, and
timed, outside of `SARSOPSolver`, whose clock starts after it.
"""
struct Known{P} <: Solver
    policy::P
end
POMDPs.solve(sol::Known, ::POMDP) = sol.policy
