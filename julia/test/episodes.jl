@testset "episodes" begin
    m = tiny_problem()
    pomcp = solver_file(joinpath(SOLVERS, "pomcp.jl"))
    run(seed) = plan(m, pomcp; random=true, episodes=20, seed, tree_queries=200)
    found = run(1)
    returns = found.episodes.returns
    @test length(returns) == 20
    @test returns == run(1).episodes.returns
    @test returns != run(2).episodes.returns
    @test 0 ≤ found.episodes.looks ≤ found.episodes.steps
    @test found.settings["tree_queries"] == 200
    @test found.settings["c"] ≈ 1.25
    # No policy earns more than the Fast Informed Bound.
    fib = solve(StructuredFIB(), m)
    upper = maximum(map(maximum, zip(fib.alphas...)))
    @test all(returns .≤ upper + found.episodes.truncation)

    planner = solve(POMCPSolver(tree_queries=10, rng=Xoshiro(1), default_action=1), m)
    @test length(simulate_planner(m, planner; episodes=10^6, max_seconds=0.2).returns) < 10^6
    over = SensingPOMDP(m.T, m.R, [1.0, 0.0], 0.5; terminal=trues(2))
    @test simulate_planner(over, planner; episodes=3).returns == zeros(3)

    # A policy with its own updater is given its own beliefs: always looking, and the plan for it.
    m = random_problem(2)
    plans = PlanPolicy(m, [Plan(m.terminal[s] ? Int[] : [3], !m.terminal[s]) for s in states(m)])
    own = simulate_planner(m, WithUpdater(plans, updater(plans)); episodes=5, seed=3)
    @test own.looks == own.steps
end
