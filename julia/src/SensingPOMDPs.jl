module SensingPOMDPs

using POMDPs
using POMDPTools
using NativeSARSOP
using NativeSARSOP: BlindLowerBound, ModifiedSparseTabular, SARSOPTree
using FIB
using BasicPOMCP
using QMDP
using PointBasedValueIteration
using SparseArrays
using LinearAlgebra
using Random
using Printf: @sprintf
import NPZ
import POMDPLinter
import SHA

export SensingPOMDP, looks, load_problem, save_problem
export StructuredFIB, DelayedInformation, Known
export Plan, PlanPolicy, OneStepLookahead, WithUpdater, load_policy, save_policy, model_hash
export SolverFileError, plan, simulate_planner, solver_file, unroll
export SensebenchSolver

include("model.jl")
include("load.jl")
include("explicit.jl")
include("model_hash.jl")
include("structured_fib.jl")
include("delayed_information.jl")
include("unroll.jl")
include("policy_file.jl")
include("settings.jl")
include("bounds.jl")
include("episodes.jl")
include("errors.jl")
include("solver_file.jl")
include("handover.jl")
include("sensebench.jl")
include("precompile.jl")

end
