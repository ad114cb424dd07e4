"""
    SensebenchSolver(id; budget=60.0, options...)

One of the planners of the Python package `sensebench`, such as `"spi"` or `"dips"`. It works once
PythonCall is loaded and its Python has `sensebench`:

    using SensingPOMDPs, POMDPs, PythonCall
    policy = solve(SensebenchSolver("dips"; budget=10), m)       # a PlanPolicy
    policy, info = solve_info(SensebenchSolver("dips"; budget=10), m)
    info.value, info.lower, info.upper                           # rewards under the start
"""
struct SensebenchSolver <: Solver
    id::String
    budget::Float64
    options::Dict{Symbol,Any}
end
SensebenchSolver(id::AbstractString; budget::Real=60.0, options...) =
    SensebenchSolver(String(id), Float64(budget), Dict{Symbol,Any}(options))

POMDPs.solve(sol::SensebenchSolver, m::SensingPOMDP) = first(solve_info(sol, m))

# Filled in by ext/SensebenchExt.jl when PythonCall is loaded.
function python_solve end

POMDPTools.solve_info(sol::SensebenchSolver, m::SensingPOMDP) =
    hasmethod(python_solve, Tuple{SensebenchSolver,SensingPOMDP}) ? python_solve(sol, m) :
    throw(ArgumentError("SensebenchSolver needs Python: add PythonCall to your project and load it with `using PythonCall`"))
