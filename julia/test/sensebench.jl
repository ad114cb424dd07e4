@testset "Sensebench" begin
    # Without PythonCall the solver says what it needs.
    @test_throws "add PythonCall" solve(SensebenchSolver("spi"; budget=1), tiny_problem())
end
