@testset "hand-over" begin
    m = random_problem(4)
    S, A = 5, 2
    at(array) = Int(pointer(array))
    indptr = reduce(hcat, [Ta.colptr .- 1 for Ta in m.T]) # C order of (A, S + 1)
    indices = reduce(vcat, [rowvals(Ta) .- 1 for Ta in m.T])
    data = reduce(vcat, [nonzeros(Ta) for Ta in m.T])
    R, start, over = permutedims(m.R), copy(m.start), Vector{Bool}(m.terminal)
    again = GC.@preserve indptr indices data R start over SensingPOMDPs.from_addresses(
        S, A, at(indptr), at(indices), at(data), at(R), at(start), m.discount, at(over))
    fill!(data, NaN) # copied, not shared
    fill!(R, NaN)
    @test again.T == m.T && again.R == m.R && again.start == m.start && again.terminal == m.terminal

    @test SensingPOMDPs.parse_options("verbose\tfalse\nmax_steps\t1\nprecision\t1.0e-3") ==
          Dict("verbose" => false, "max_steps" => 1, "precision" => 1e-3)
    @test SensingPOMDPs.parse_options("seed\t1")["seed"] isa Int
    @test isempty(SensingPOMDPs.parse_options(""))

    found = SensingPOMDPs.request(m, "fib", "tolerance\t1e-9\nmax_iterations\t1000")
    @test occursin("tolerance\t1.0e-9", SensingPOMDPs.settings_text(found))
    n, k = parse.(Int, split(SensingPOMDPs.sizes(found)))
    @test (n, k) == (2A, 0)
    alphas, actions, upper = zeros(S, n), zeros(Int, n), zeros(k)
    GC.@preserve alphas actions upper SensingPOMDPs.copy_out(found, at(alphas), at(actions), at(upper))
    @test alphas == found.alphas && actions == 0:3

    runs = SensingPOMDPs.request(m, "pomcp", "episodes\t2\nseed\t3\ntree_queries\t20\nmax_seconds\tInf")
    @test length(runs.returns) == 2 && runs.settings["seed"] == 3
    @test SensingPOMDPs.warm_up("sarsop", "", 3) isa SensingPOMDPs.Planned
end
