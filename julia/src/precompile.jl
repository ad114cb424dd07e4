using PrecompileTools: @setup_workload, @compile_workload

# Two states and A actions: enough to compile every planner before it is timed.
function tiny_problem(A::Int=2)
    kinds = (sparse([0.7 0.2; 0.3 0.8]), sparse([0.3 0.9; 0.7 0.1]))
    T = [kinds[mod1(a, 2)] for a in 1:A]
    C = [Float64(mod(s + a, 2)) for s in 1:2, a in 1:A]
    return SensingPOMDP(T, -hcat(C, C .+ 0.25), [0.5, 0.5], 0.5)
end

"""
    warm_up(planner, options_text, A)

Run a planner on a tiny problem with A actions, so that compiling it is not counted as planning.
NativeSARSOP compiles some of its code anew for every number of actions.
"""
function warm_up(planner::String, options_text::String="", A::Int=2)
    options = parse_options(options_text)
    if planner == "pomcp"
        merge!(options, Dict("tree_queries" => 10, "episodes" => 2))
    elseif startswith(planner, "sarsop")
        # Enough sweeps to meet pruning too; precision 0 keeps it from stopping before.
        merge!(options, Dict("max_time" => 1.0, "max_steps" => 5, "precision" => 0.0))
    else
        merge!(options, Dict("max_iterations" => 3))
    end
    text = join(("$name\t$value" for (name, value) in options), '\n')
    return request(tiny_problem(A), planner, text)
end

@setup_workload begin
    @compile_workload begin
        m = tiny_problem()
        indptr = [0 2 4; 0 2 4]' |> collect
        indices, data = repeat([0, 1], 4), fill(0.5, 8)
        R, start, over = permutedims(m.R), m.start, falses(2) |> Vector{Bool}
        at(array) = Int(pointer(array))
        GC.@preserve indptr indices data R start over from_addresses(
            2, 2, at(indptr), at(indices), at(data), at(R), at(start), 0.5, at(over))
        for planner in ("sarsop", "sarsop-structured", "fib", "qmdp", "pbvi", "pomcp")
            found = warm_up(planner)
            settings_text(found)
            n, k = parse.(Int, split(sizes(found)))
            alphas, chosen, upper = zeros(2n), zeros(Int, n), zeros(k)
            GC.@preserve alphas chosen upper copy_out(found, at(alphas), at(chosen), at(upper))
        end
    end
end
