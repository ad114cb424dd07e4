@testset "explicit MDPs" begin
    mdp = SimpleGridWorld(size=(3, 3), rewards=Dict(GWPos(3, 3) => 1.0), terminate_from=Set([GWPos(3, 3)]),
                          tprob=0.8, discount=0.9)
    m = SensingPOMDP(mdp, 0.1; start=Deterministic(GWPos(1, 1)))
    @test length(states(m)) == length(states(mdp)) && length(actions(m)) == 2 * length(actions(mdp))
    @test has_consistent_distributions(m)
    @test m.start[stateindex(mdp, GWPos(1, 1))] == 1
    @test any(m.terminal) && all(m.R[m.terminal, 1:4] .== 0)
    @test all(m.R[:, 1:4] .- m.R[:, 5:8] .≈ 0.1)
    # Looking for nothing is the MDP itself: its values are those of the fully observed process.
    free = SensingPOMDP(mdp, 0.0; start=Deterministic(GWPos(1, 1)))
    S, A = ordered_states(mdp), ordered_actions(mdp)
    V = zeros(length(S))
    for _ in 1:2000
        V = [isterminal(mdp, s) ? 0.0 : maximum(sum(p * (reward(mdp, s, a, sp) + 0.9 * V[stateindex(mdp, sp)])
             for (sp, p) in weighted_iterator(transition(mdp, s, a))) for a in A) for s in S]
    end
    bound = solve(DelayedInformation(1; tolerance=1e-12), free)
    @test map(maximum, zip(bound.alphas...)) ≈ V atol = 1e-6

    @test SensingPOMDP(mdp, [0.1, 0.2, 0.3, 0.4]; start=Deterministic(GWPos(1, 1))).k[1, :] == [0.1, 0.2, 0.3, 0.4]
    @test_throws "k has size" SensingPOMDP(mdp, [0.1]; start=Deterministic(GWPos(1, 1)))
    seen = SensingPOMDP(mdp, 0.1; start=Deterministic(GWPos(1, 1)), end_is_seen=true)
    @test all(seen.R[seen.terminal, 5:8] .== 0) && all(isterminal(seen, s) == seen.terminal[s] for s in states(seen))
end
