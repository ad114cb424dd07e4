@testset "policy files" begin
    m = random_problem(1)
    mktempdir() do folder
        path = joinpath(folder, "p.npz")
        alphas = solve(FIBSolver(max_iterations=1000), m)
        save_policy(path, m, alphas; problem="here", sensing_cost=0.1)
        again = load_policy(path, m)
        @test again.alphas == alphas.alphas && again.action_map == alphas.action_map

        plans = PlanPolicy(m, unroll(m, alphas))
        save_policy(path, m, plans)
        again = load_policy(path, m)
        @test all(again.plans[s].actions == plans.plans[s].actions for s in states(m))
        @test all(again.plans[s].looks == plans.plans[s].looks for s in states(m))

        # It works with the simulators of POMDPTools, and does what the vectors do.
        for s in 1:4
            run(policy, up, b0) = simulate(RolloutSimulator(max_steps=30, rng=Xoshiro(s)), m, policy, up, b0, s)
            exact = DiscreteUpdater(m)
            @test run(again, updater(again), Deterministic(s)) ≈
                  run(alphas, exact, initialize_belief(exact, Deterministic(s)))
        end
        @test looks(m, action(again, initialize_belief(updater(again), initialstate(m))))
        @test action(again, Deterministic(2)) == first(again.plans[2].actions)
        @test_throws "updater(policy)" action(again, initialstate(m))

        @test_throws "another model" load_policy(path, random_problem(2))
        @test_throws "no such file" load_policy(joinpath(folder, "absent.npz"), m)
        # The start and the names are no part of a model; every number is.
        same = SensingPOMDP(m.T, m.R, [1.0, 0, 0, 0, 0], m.discount; terminal=m.terminal, k=m.k)
        @test model_hash(same) == model_hash(m)
        @test model_hash(SensingPOMDP(m.T, m.R, m.start, 0.81; terminal=m.terminal)) != model_hash(m)
    end
end
