@testset "bounds" begin
    structured = solver_file(joinpath(SOLVERS, "sarsop_structured.jl"))
    for seed in 1:5
        m = random_problem(seed)
        found = plan(m, structured; budget=2.0, precision=1e-6, delay=1)
        @test all(found.upper .≥ always_look_values(m) .- 1e-9)
        @test found.root_upper ≥ found.root_lower - 1e-9
        # Tighter than what it started from, or the same.
        fib = solve(StructuredFIB(tolerance=1e-9), m)
        @test all(found.upper .≤ map(maximum, zip(fib.alphas...)) .+ 1e-4)
    end
end
