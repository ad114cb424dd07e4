@testset "solver files" begin
    m = random_problem(2)
    best(found) = maximum(m.start' * found.alphas)
    file(name; options...) = plan(m, solver_file(joinpath(SOLVERS, name * ".jl")); name, options...)

    sarsop = file("sarsop_structured"; budget=5.0, precision=1e-7)
    @test sarsop.root_upper - sarsop.root_lower < 1e-5
    @test best(sarsop) ≈ sarsop.root_lower atol = 1e-6
    @test size(sarsop.alphas) == (5, length(sarsop.actions))
    @test sarsop.seconds > 0 && sarsop.iterations > 0
    @test haskey(sarsop.info, "time")

    stock = file("sarsop"; budget=1.0)
    @test stock.settings["precision"] == 1e-3
    @test stock.settings["init_upper"] == "FastInformedBound"

    # Two methods, one optimum: PBVI from below, FIB and QMDP from above.
    pbvi = file("pbvi"; max_iterations=6, epsilon=1e-6)
    fib = file("fib"; max_iterations=1000, tolerance=1e-9)
    qmdp = file("qmdp"; max_iterations=1000, belres=1e-9)
    @test best(pbvi) ≤ sarsop.root_upper + 1e-5
    @test best(sarsop) ≤ best(fib) + 1e-6 ≤ best(qmdp) + 1e-5
    # QMDP sees everything for free from the next step on, so it never pays for a look.
    @test all(qmdp.actions[argmax(b' * qmdp.alphas)[2]] ≤ 2 for b in eachcol(Matrix(I, 5, 5)))

    # A deterministic policy without vectors comes back as plans.
    ahead(m; options...) = Known(OneStepLookahead(m, b -> 0.0))
    @test length(plan(m, ahead).plans) == 5
    # Chance is noticed by the solver's own generator.
    pomcp(m; options...) = POMCPSolver(tree_queries=20, rng=Xoshiro(1), default_action=1)
    @test length(plan(m, pomcp; episodes=3).episodes.returns) == 3
end
