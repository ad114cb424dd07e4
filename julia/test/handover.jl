@testset "hand-over" begin
    m = random_problem(4)
    S, A = 5, 2
    at(array) = Int(pointer(array))
    indptr = reduce(hcat, [Ta.colptr .- 1 for Ta in m.T]) # C order of (A, S + 1)
    indices = reduce(vcat, [rowvals(Ta) .- 1 for Ta in m.T])
    data = reduce(vcat, [nonzeros(Ta) for Ta in m.T])
    R, start, over = permutedims(m.R), copy(m.start), Vector{Bool}(m.terminal)
    again = GC.@preserve indptr indices data R start over SensingPOMDPs.from_addresses(
        S, A, at(indptr), at(indices), at(data), at(R), at(start), m.discount, at(over), false)
    fill!(data, NaN) # copied, not shared
    fill!(R, NaN)
    @test again.T == m.T && again.R == m.R && again.start == m.start && again.terminal == m.terminal

    @test SensingPOMDPs.parse_options("verbose\tfalse\nmax_steps\t1\nprecision\t1.0e-3\nhow\tby word") ==
          Dict(:verbose => false, :max_steps => 1, :precision => 1e-3, :how => "by word")
    @test SensingPOMDPs.parse_options("seed\t1")[:seed] isa Int
    @test isempty(SensingPOMDPs.parse_options(""))

    ask(name, random, options) = SensingPOMDPs.request(m, joinpath(SOLVERS, name * ".jl"), Inf, 3, random, 2, options)
    function copied(found)
        n, k, p, l, r = parse.(Int, split(SensingPOMDPs.sizes(found)))
        buffers = (zeros(S, n), zeros(Int, n), zeros(k), zeros(Int, p), zeros(Int, l), zeros(UInt8, p), zeros(r))
        GC.@preserve buffers SensingPOMDPs.copy_out(found, map(at, buffers)...)
        return buffers
    end
    found = ask("fib", false, "tolerance\t1e-9\nmax_iterations\t1000")
    @test occursin("tolerance\t1.0e-9", SensingPOMDPs.settings_text(found))
    alphas, actions, upper, plans = copied(found)
    @test alphas == found.alphas && actions == 0:3 && isempty(upper) && isempty(plans)
    @test length(split(SensingPOMDPs.numbers(found))) == 9

    runs = ask("pomcp", true, "tree_queries\t20")
    @test copied(runs)[end] == runs.episodes.returns && length(runs.episodes.returns) == 2
    warm = SensingPOMDPs.warm_up(joinpath(SOLVERS, "sarsop.jl"), 5.0, 0, false, "", 3)
    @test warm isa SensingPOMDPs.Planned
    @test warm.iterations ≤ 6 && warm.settings["precision"] == 0 # as the file says, whatever is asked
    @test SensingPOMDPs.warm_up(joinpath(SOLVERS, "fib.jl"), 5.0, 0, false, "max_iterations\t1000000", 2).settings["max_iterations"] == 3
    # A plain type, its options by name.
    plain = SensingPOMDPs.request(m, "FIB.FIBSolver", Inf, 0, false, 1, "max_iterations\t1000\ntolerance\t1e-9")
    @test plain.alphas == found.alphas

    # A request leaves nothing behind for the next one: a file is loaded again.
    mktempdir() do folder
        path = joinpath(folder, "changing.jl")
        sweeps(n) = write(path, "using FIB\nmake_solver(m; options...) = FIBSolver(max_iterations=$n)")
        used() = SensingPOMDPs.request(m, path, Inf, 0, false, 1, "").settings["max_iterations"]
        sweeps(1)
        @test used() == 1
        sweeps(2)
        @test used() == 1 # within a request it is loaded once
        SensingPOMDPs.forget()
        @test used() == 2
    end
end
