module SensingPOMDPs

using POMDPs
using POMDPTools
using NativeSARSOP
using NativeSARSOP: BlindLowerBound, ModifiedSparseTabular, SARSOPTree
using FIB
using BasicPOMCP
using QMDP
using DiscreteValueIteration: ValueIterationSolver
using PointBasedValueIteration
using SparseArrays
using LinearAlgebra
using Random
import NPZ

export SensingPOMDP, StructuredFIB, load_problem, looks, plan, simulate_pomcp

include("model.jl")
include("load.jl")
include("structured_fib.jl")
include("settings.jl")
include("bounds.jl")
include("planners.jl")
include("episodes.jl")
include("handover.jl")
include("precompile.jl")

end
