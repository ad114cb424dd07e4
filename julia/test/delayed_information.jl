@testset "delayed information" begin
    corners(policy) = map(maximum, zip(policy.alphas...))
    for seed in 1:5
        m = random_problem(seed)
        bounds = [corners(solve(DelayedInformation(n; tolerance=1e-12), m)) for n in 1:4]
        # One step of delay is the Fast Informed Bound; more delay is less knowledge.
        fib = solve(StructuredFIB(tolerance=1e-12), m)
        @test bounds[1] ≈ corners(fib) atol = 1e-9
        @test all(all(bounds[n+1] .≤ bounds[n] .+ 1e-9) for n in 1:3)
        # Always above a policy, however early it is stopped.
        @test all(bounds[4] .≥ always_look_values(m) .- 1e-9)
        for sweeps in 0:3
            early = corners(solve(DelayedInformation(2; max_sweeps=sweeps), m))
            @test all(early .≥ bounds[2] .- 1e-9)
        end
        @test corners(solve(DelayedInformation(3; max_time=0.0), m)) ≥ bounds[3] .- 1e-9
        # As vectors it is a bound at every belief: above what SARSOP reaches there.
        sarsop = plan(m, solver_file(joinpath(SOLVERS, "sarsop.jl")); budget=1.0, precision=1e-6)
        vectors = solve(DelayedInformation(2; tolerance=1e-12), m).alphas
        for _ in 1:20
            b = normalize!(rand(Xoshiro(seed), 5), 1)
            @test maximum(dot(b, α) for α in vectors) ≥ maximum(b' * sarsop.alphas) - 1e-9
        end
        tabular = solve(DelayedInformation(2; tolerance=1e-12), NativeSARSOP.ModifiedSparseTabular(m))
        @test corners(tabular) ≈ bounds[2] atol = 1e-9
    end
    @test_throws "at least 1" solve(DelayedInformation(0), random_problem(1))
    # As the initial bound of a SARSOP it is at least as tight as FIB.
    m = random_problem(3)
    run(upper) = last(solve_info(SARSOPSolver(max_steps=3, precision=0.0, verbose=false, init_upper=upper), m)).tree
    @test run(DelayedInformation(3; tolerance=1e-9)).V_upper[1] ≤ run(StructuredFIB(tolerance=1e-9)).V_upper[1] + 1e-9
end
