@testset "episodes" begin
    m = tiny_problem()
    run(seed) = simulate_pomcp(m, Dict("tree_queries" => 200); episodes=20, seed)
    found = run(1)
    @test length(found.returns) == 20
    @test found.returns == run(1).returns
    @test found.returns != run(2).returns
    @test 0 ≤ found.looks ≤ found.steps
    @test found.settings["tree_queries"] == 200
    @test found.settings["c"] ≈ 1.25
    # No policy earns more than the Fast Informed Bound.
    fib = solve(StructuredFIB(), m)
    upper = maximum(map(maximum, zip(fib.alphas...)))
    @test all(found.returns .≤ upper + found.truncation)

    @test length(simulate_pomcp(m; episodes=10^6, max_seconds=0.2).returns) < 10^6
    over = SensingPOMDP(m.T, m.R, [1.0, 0.0], 0.5; terminal=trues(2))
    @test simulate_pomcp(over; episodes=3).returns == zeros(3)
end
