@testset "model" begin
    m = random_problem(1)
    S, A = 5, 2
    @test states(m) == 1:S && actions(m) == 1:2A && observations(m) == 1:S+1
    @test has_consistent_distributions(m)
    @test all(has_consistent_distributions(random_problem(seed)) for seed in 2:5)
    @test !looks(m, A) && looks(m, A + 1)
    @test all(transition(m, s, a) === transition(m, s, A + a) for s in 1:S, a in 1:A)
    @test all(rand(observation(m, a, sp)) == S + 1 for a in 1:A, sp in 1:S)
    @test all(rand(observation(m, A + a, sp)) == sp for a in 1:A, sp in 1:S)
    @test all(reward(m, s, a) - reward(m, s, A + a) ≈ 0.1 for s in 1:S, a in 1:A)
    @test !any(isterminal(m, s) for s in states(m))
    @test sum(pdf(initialstate(m), s) for s in states(m)) ≈ 1

    @testset "flat buffers" begin
        # The CSC buffers of T[a] are the CSR buffers of its transpose, counted from 0.
        indptr = permutedims(reduce(hcat, [Ta.colptr .- 1 for Ta in m.T]))
        indices = reduce(vcat, [rowvals(Ta) .- 1 for Ta in m.T])
        data = reduce(vcat, [nonzeros(Ta) for Ta in m.T])
        again = SensingPOMDP(indptr, indices, data, m.R, m.start, m.discount, m.terminal)
        @test again.T == m.T && again.R == m.R && again.start == m.start
        @test again.terminal == m.terminal
        @test has_consistent_distributions(again)
    end

    @testset "wrong sizes" begin
        @test_throws DimensionMismatch SensingPOMDP(m.T, m.R[:, 1:3], m.start, 0.8)
        @test_throws DimensionMismatch SensingPOMDP(m.T, m.R, m.start[1:2], 0.8)
        @test_throws DimensionMismatch SensingPOMDP(m.T, m.R[1:4, :], m.start[1:4], 0.8)
    end
end
