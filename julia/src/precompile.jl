using PrecompileTools: @setup_workload, @compile_workload

# Two states, two actions: enough to compile every planner before it is timed.
function tiny_problem()
    T = [sparse([0.7 0.2; 0.3 0.8]), sparse([0.3 0.9; 0.7 0.1])]
    C = [0.0 1.0; 1.0 0.0]
    return SensingPOMDP(T, -hcat(C, C .+ 0.25), [0.5, 0.5], 0.5)
end

"""
    warm_up(planner, options=Dict())

Run a planner on a tiny problem, so that compiling it is not counted as planning.
"""
function warm_up(planner::AbstractString, options=Dict{String,Any}())
    m = tiny_problem()
    options = Dict{Symbol,Any}(Symbol(k) => v for (k, v) in options)
    short(limits...) = merge(options, Dict{Symbol,Any}(limits...))
    if planner == "pomcp"
        simulate_pomcp(m, short(:tree_queries => 10); episodes=2)
    elseif startswith(planner, "sarsop")
        # Enough sweeps to meet pruning too; tiny_problem is never solved to precision 0.
        plan(m, planner, short(:max_time => 1.0, :max_steps => 5, :precision => 0.0, :verbose => false))
    else
        plan(m, planner, short(:max_iterations => 3))
    end
    return nothing
end

@setup_workload begin
    @compile_workload begin
        for planner in ("sarsop", "sarsop-structured", "fib", "qmdp", "pbvi", "pomcp")
            warm_up(planner)
        end
    end
end
