@testset "errors" begin
    m = random_problem(1)
    mktempdir() do folder
        function answer(text; options...)
            path = joinpath(folder, "mine.jl")
            write(path, text)
            try
                redirect_stderr(devnull) do
                    plan(m, solver_file(path); name=path, budget=5.0, options...)
                end
                return "no error"
            catch err
                @test err isa SolverFileError
                return sprint(showerror, err)
            end
        end
        said = answer("using FIB\nfunction make_solver(m; options...)\n    error(\"no luck\")\nend\n")
        @test occursin("mine.jl, line 3: no luck", said) && !occursin('\n', said)
        @test occursin("expected a POMDPs.Solver", answer("make_solver(m; options...) = 3\n"))
        @test occursin("line 1", answer("make_solver(m; = 3\n"))
        said = answer("f(x) = (x\n")
        @test occursin("syntax error: Expected `)`", said) && !occursin('\n', said)
        @test occursin("Absent", answer("using Absent\nmake_solver(m; options...) = 3\n"))
        @test occursin("defines no make_solver", answer("x = 1\n"))
        @test occursin("expected a POMDPs.Policy", answer("""
            using POMDPs
            struct Odd <: Solver end
            POMDPs.solve(::Odd, m::POMDP) = 7
            make_solver(m; options...) = Odd()
            """))
        @test occursin("speed", answer("using FIB\nmake_solver(m; budget, seed, options...) = FIBSolver(; options...)\n"; speed=3))
        @test answer("using FIB\nmake_solver(m; options...) = FIBSolver()\n") == "no error"
        @test_throws "no such solver file" solver_file(joinpath(folder, "absent.jl"))
    end
end

@testset "requirements" begin
    m = random_problem(1)
    for solver in (QMDPSolver(), FIBSolver(), SARSOPSolver(), POMCPSolver())
        @test SensingPOMDPs.check_requirements(solver, m, "it") === nothing
    end
end
