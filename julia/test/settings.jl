@testset "settings" begin
    effective_settings = SensingPOMDPs.effective_settings
    found = effective_settings(SARSOPSolver(precision=1.0))
    @test found["precision"] == 1.0
    @test found["init_upper"] == "FastInformedBound"
    @test found["init_upper.max_time"] == 1.0
    @test all(v isa Union{Real,String} for v in values(found))
    @test effective_settings(PBVISolver())["epsilon"] == 0.01
    @test effective_settings(QMDPSolver())["solver.max_iterations"] == 100
end
