@testset "planners" begin
    m = random_problem(2)
    b0 = m.start
    best(found) = maximum(b0' * found.alphas)

    sarsop = plan(m, "sarsop-structured", Dict("max_time" => 5.0, "precision" => 1e-7))
    @test sarsop.root_upper - sarsop.root_lower < 1e-5
    @test best(sarsop) ≈ sarsop.root_lower atol = 1e-6
    @test size(sarsop.alphas) == (5, length(sarsop.actions))
    @test sarsop.seconds > 0 && sarsop.iterations > 0
    @test sarsop.settings["init_upper"] == "StructuredFIB"

    stock = plan(m, "sarsop", Dict("max_time" => 1.0))
    @test stock.settings["precision"] == 1e-3
    @test stock.settings["init_upper"] == "FastInformedBound"

    # Two methods, one optimum: PBVI from below, FIB and QMDP from above.
    pbvi = plan(m, "pbvi", Dict("max_iterations" => 6, "epsilon" => 1e-6))
    fib = plan(m, "fib", Dict("max_iterations" => 1000, "tolerance" => 1e-9))
    qmdp = plan(m, "qmdp", Dict("max_iterations" => 1000, "belres" => 1e-9))
    @test best(pbvi) ≤ sarsop.root_upper + 1e-5
    @test best(sarsop) ≤ best(fib) + 1e-6 ≤ best(qmdp) + 1e-5
    # QMDP sees everything for free from the next step on, so it never pays for a look.
    @test all(m.R[s, a] - m.R[s, 2+a] ≈ 0.1 for s in 1:5, a in 1:2)
    @test all(qmdp.actions[argmax(b' * qmdp.alphas)[2]] ≤ 2 for b in eachcol(Matrix(I, 5, 5)))

    @test_throws "no planner guess" plan(m, "guess")
    @test_throws "has no option speed" plan(m, "fib", Dict("speed" => 1))
end
