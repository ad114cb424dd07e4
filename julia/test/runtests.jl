using SensingPOMDPs
using SensingPOMDPs: NPZ, tiny_problem
using POMDPs
using POMDPTools
using POMDPModels
using NativeSARSOP
using FIB
using BasicPOMCP
using QMDP
using PointBasedValueIteration
using LinearAlgebra
using Random
using SparseArrays
using Test

include("problems.jl")

@testset "SensingPOMDPs" begin
    include("model.jl")
    include("load.jl")
    include("explicit.jl")
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
end
