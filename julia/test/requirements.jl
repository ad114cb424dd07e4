using POMDPLinter

@testset "requirements of the solvers" begin
    m = random_problem(1)
    @test check_requirements(@get_requirements solve(QMDPSolver(), m))
    @test check_requirements(@get_requirements solve(PBVISolver(), m))
    planner = solve(POMCPSolver(), m)
    b = initialize_belief(DiscreteUpdater(m), initialstate(m))
    @test check_requirements(@get_requirements action(planner, b))
    @test check_requirements(@get_requirements POMDPTools.SparseTabularPOMDP(m))
end
