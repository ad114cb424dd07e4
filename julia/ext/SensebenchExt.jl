# Our Python planners from Julia. The model crosses as a problem file and the policy comes back as one,
# so nothing depends on how arrays are wrapped.
module SensebenchExt

using SensingPOMDPs
using SensingPOMDPs: SensebenchSolver
using PythonCall: pyimport, pyconvert, pyis, pybuiltins

function SensingPOMDPs.python_solve(sol::SensebenchSolver, m::SensingPOMDP)
    files = pyimport("pomdp_bridge.files.formats")
    solvers = pyimport("solvers")
    return mktempdir() do folder
        problem = files.read(save_problem(joinpath(folder, "problem.npz"), m))
        found = solvers.solve(problem, sol.id; budget=sol.budget, sol.options...)
        pyis(found.policy, pybuiltins.None) && throw(ArgumentError(
            "$(sol.id) only proves a bound: it has no policy"))
        path = joinpath(folder, "policy.npz")
        solvers.save_policy(path, found.policy)
        reward(x) = pyis(x, pybuiltins.None) ? nothing : -pyconvert(Float64, x)
        upper = reward(found.lower) # a lower bound on the cost bounds the reward from above
        info = (; value=reward(found.value), upper, lower=reward(found.value),
                status=pyconvert(String, found.status), seconds=pyconvert(Float64, found.seconds))
        return load_policy(path, m), info
    end
end

end
