@testset "settings" begin
    configure, effective_settings = SensingPOMDPs.configure, SensingPOMDPs.effective_settings
    solver = configure(SARSOPSolver, Dict("precision" => 1, "max_steps" => 7.0))
    @test solver.precision === 1.0 && solver.max_steps === 7
    @test solver.epsilon == SARSOPSolver().epsilon

    found = effective_settings(solver)
    @test found["precision"] == 1.0
    @test found["init_upper"] == "FastInformedBound"
    @test found["init_upper.max_time"] == 1.0
    @test all(v isa Union{Real,String} for v in values(found))

    @test configure(PBVISolver, Dict("epsilon" => 0.5)).ϵ == 0.5
    @test effective_settings(PBVISolver())["epsilon"] == 0.01
    @test configure(QMDPSolver, Dict("belres" => 1e-9)).solver.belres == 1e-9
    @test effective_settings(QMDPSolver())["solver.max_iterations"] == 100

    @test_throws "SARSOPSolver has no option speed; its options are: delta, epsilon" configure(
        SARSOPSolver, Dict("speed" => 1))
    @test_throws "belres, max_iterations, verbose" configure(QMDPSolver, Dict("tolerance" => 1))
    @test_throws InexactError configure(FIBSolver, Dict("max_iterations" => 1.5))
end
