using POMDPLinter

@testset "requirements of the solvers" begin
    m = random_problem(1)
    @test check_requirements(@get_requirements solve(QMDPSolver(), m))
    # PointBasedValueIteration 0.2.4 declares its requirements with a function that POMDPs 1.0 no
    # longer has; what it needs is covered by those of SparseTabularPOMDP.
    planner = solve(POMCPSolver(), m)
    b = initialize_belief(DiscreteUpdater(m), initialstate(m))
    @test check_requirements(@get_requirements action(planner, b))
    @test check_requirements(@get_requirements POMDPTools.SparseTabularPOMDP(m))
end
