@testset "structured FIB" begin
    for seed in 1:5
        m = random_problem(seed)
        exact = solve(FIBSolver(max_iterations=10_000, tolerance=1e-12), m)
        policy, info = solve_info(StructuredFIB(tolerance=1e-12), m)
        @test info.residual ≤ 1e-12
        @test policy.action_map == exact.action_map
        @test reduce(hcat, policy.alphas) ≈ reduce(hcat, exact.alphas) atol = 1e-9

        # However early it is stopped, it is above the fixed point, which is above any policy.
        for n in 0:3
            early = solve(StructuredFIB(max_iterations=n), m)
            @test all(reduce(hcat, early.alphas) .≥ reduce(hcat, exact.alphas) .- 1e-9)
        end
        corners = map(maximum, zip(policy.alphas...))
        @test all(corners .≥ always_look_values(m) .- 1e-9)

        tabular = solve(StructuredFIB(tolerance=1e-12), NativeSARSOP.ModifiedSparseTabular(m))
        @test tabular.alphas ≈ policy.alphas
    end
    # No time at all still gives a bound.
    m = random_problem(1)
    rough = solve(StructuredFIB(max_time=0.0), m)
    @test all(map(maximum, zip(rough.alphas...)) .≥ always_look_values(m))

    # A POMDP of another structure is refused instead of bounded wrongly.
    mixed = NativeSARSOP.ModifiedSparseTabular(m)
    other = NativeSARSOP.ModifiedSparseTabular(mixed.T, mixed.R, reverse(mixed.O), mixed.isterminal,
                                               mixed.initialstate, mixed.discount)
    @test_throws "needs a SensingPOMDP" solve(StructuredFIB(), other)
end
