using PrecompileTools: @setup_workload, @compile_workload

# Two states and A actions: enough to compile every planner before it is timed.
function tiny_problem(A::Int=2)
    kinds = (sparse([0.7 0.2; 0.3 0.8]), sparse([0.3 0.9; 0.7 0.1]))
    T = [kinds[mod1(a, 2)] for a in 1:A]
    C = [Float64(mod(s + a, 2)) for s in 1:2, a in 1:A]
    return SensingPOMDP(T, -hcat(C, C .+ 0.25), [0.5, 0.5], 0.5)
end

@setup_workload begin
    # The solvers of the shipped files whose packages this one has, with few steps each.
    made = (
        (false, (m; rest...) -> SARSOPSolver(max_steps=5, precision=0.0, max_time=1.0, verbose=false)),
        (false, (m; rest...) -> SARSOPSolver(max_steps=5, precision=0.0, max_time=1.0, verbose=false,
                                          init_upper=Known(solve(DelayedInformation(2), m)),
                                          init_lower=BlindLowerBound(bel_res=1e-7))),
        (false, (m; rest...) -> FIBSolver(max_iterations=3)),
        (false, (m; rest...) -> QMDPSolver(max_iterations=3)),
        (false, (m; rest...) -> PBVISolver(max_iterations=3)),
        (true, (m; seed, rest...) -> POMCPSolver(tree_queries=10, c=1.0, rng=Xoshiro(seed), default_action=1)),
    )
    @compile_workload begin
        m = tiny_problem()
        indptr = [0 2 4; 0 2 4]' |> collect
        indices, data = repeat([0, 1], 4), fill(0.5, 8)
        R, start, over = permutedims(m.R), m.start, falses(2) |> Vector{Bool}
        at(array) = Int(pointer(array))
        GC.@preserve indptr indices data R start over from_addresses(
            2, 2, at(indptr), at(indices), at(data), at(R), at(start), 0.5, at(over), false)
        parse_options("precision\t1.0e-3\nverbose\tfalse\nhow\tword")
        solve(StructuredFIB(), m)
        for (random, make) in made
            found = plan(m, make; random, episodes=2)
            settings_text(found)
            numbers(found)
            n, k, p, l, r = parse.(Int, split(sizes(found)))
            buffers = (zeros(2n), zeros(Int, n), zeros(k), zeros(Int, p), zeros(Int, l), zeros(UInt8, p), zeros(r))
            GC.@preserve buffers copy_out(found, map(at, buffers)...)
        end
        forget()
        unroll(m, OneStepLookahead(m, b -> 0.0))
    end
end
