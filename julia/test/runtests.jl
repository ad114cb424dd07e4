using SensingPOMDPs
using SensingPOMDPs: NPZ, tiny_problem
using POMDPs
using POMDPTools
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
    include("requirements.jl")
    include("load.jl")
    include("structured_fib.jl")
    include("settings.jl")
    include("bounds.jl")
    include("planners.jl")
    include("episodes.jl")
    include("handover.jl")
end
