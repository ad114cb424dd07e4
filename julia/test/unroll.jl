struct Chancy <: Policy end
POMDPs.action(::Chancy, b) = rand(1:2)
struct Strange <: Policy end
POMDPs.action(::Strange, b) = "left"

@testset "unroll" begin
    m = random_problem(1)
    fib = solve(FIBSolver(max_iterations=1000), m)
    plans = unroll(m, fib)
    @test length(plans) == 5 && isempty(plans[5].actions)
    for s in 1:4, plan in [plans[s]]
        @test all(a -> !looks(m, a), plan.actions[1:end-1])
        @test looks(m, plan.actions[end]) == plan.looks
        b = Float64.(1:5 .== s)
        for a in plan.actions # on exact beliefs, step by step
            @test a == action(fib, DiscreteBelief(m, collect(1:5), b))
            b = m.T[mod1(a, 2)] * b
        end
    end
    # Blind for good: QMDP never looks.
    @test !any(p -> p.looks, unroll(m, solve(QMDPSolver(max_iterations=1000), m)))
    Random.seed!(1)
    @test_throws "plans with chance" foreach(_ -> unroll(m, Chancy()), 1:20)
    @test_throws "expected one of the actions 1 to 4" unroll(m, Strange())
    @test_throws "too long" unroll(m, solve(QMDPSolver(), m); deadline=0.0)
    # One step ahead of the right values is as good as those values.
    values = solve(DelayedInformation(1; tolerance=1e-12), m)
    ahead = OneStepLookahead(m, b -> maximum(dot(b, α) for α in values.alphas))
    @test length(unroll(m, ahead)) == 5
end
