"""
    PlanPolicy(m, plans)

One [`Plan`](@ref) for each state that a look may show. Its updater keeps the state last seen and how
many steps ago that was, so it works with the simulators of POMDPTools. The first state is known to
our agent: give it as `Deterministic(s)`; from a spread initial belief it looks first.
"""
struct PlanPolicy <: Policy
    m::SensingPOMDP
    plans::Vector{Plan}
end

"Where a plan stands: the state last seen (0 if none was yet), and the steps since."
struct PlanBelief
    root::Int
    steps::Int
    likeliest::Int
end

struct PlanUpdater <: Updater
    m::SensingPOMDP
end

POMDPs.updater(p::PlanPolicy) = PlanUpdater(p.m)

function POMDPs.initialize_belief(::PlanUpdater, d)
    likeliest = argmax(s -> pdf(d, s), support(d))
    return PlanBelief(pdf(d, likeliest) ≈ 1 ? likeliest : 0, 0, likeliest)
end
POMDPs.initialize_belief(::PlanUpdater, b::PlanBelief) = b

POMDPs.update(up::PlanUpdater, b::PlanBelief, a, o) =
    o == nothing_seen(up.m) ? PlanBelief(b.root, b.steps + 1, b.likeliest) : PlanBelief(o, 0, o)

function POMDPs.action(p::PlanPolicy, b::PlanBelief)
    A = n_base_actions(p.m)
    plan = p.plans[b.likeliest]
    isempty(plan.actions) && return 1 # the episode is over: blind, for nothing
    b.root == 0 && return A + base_action(p.m, first(plan.actions))
    return plan.actions[min(b.steps + 1, end)]
end

# At a belief that is certain of a state the plan begins; elsewhere a plan alone does not say.
function POMDPs.action(p::PlanPolicy, b)
    likeliest = argmax(s -> pdf(b, s), support(b))
    pdf(b, likeliest) ≈ 1 || throw(ArgumentError(
        "a PlanPolicy knows how many steps ago it looked, a belief alone does not: use updater(policy)"))
    return action(p, PlanBelief(likeliest, 0, likeliest))
end

const POLICY_ARRAYS = ["format", "model", "plan_indptr", "plan_actions", "plan_senses",
                       "alphas", "alpha_actions", "alpha_senses"]

"""
    load_policy(path, m)

The policy in a file of `sensebench solve --save` or [`save_policy`](@ref): a [`PlanPolicy`](@ref) or
an `AlphaVectorPolicy`. A policy of another model is refused.
"""
function load_policy(path::AbstractString, m::SensingPOMDP)
    file = read_arrays(path, POLICY_ARRAYS, ["model"])
    file["model"] == model_hash(m) || throw(ArgumentError("$path is a policy of another model: the hashes differ"))
    A = n_base_actions(m)
    if haskey(file, "alphas")
        alphas = file["alphas"]
        chosen = file["alpha_actions"] .+ 1 .+ A .* file["alpha_senses"]
        return AlphaVectorPolicy(m, [-alphas[i, :] for i in axes(alphas, 1)], Vector{Int}(chosen))
    end
    ends, listed, senses = (file["plan_$name"] for name in ("indptr", "actions", "senses"))
    plans = map(states(m)) do s
        strip = listed[ends[s]+1:ends[s+1]] .+ 1
        senses[s] && !isempty(strip) && (strip[end] += A)
        Plan(Vector{Int}(strip), senses[s])
    end
    return PlanPolicy(m, plans)
end

"""
    save_policy(path, m, policy; about...)

Write a policy for `sensebench score`: alpha vectors as they are, any other deterministic policy as
the plans it follows. `about` may name the problem: `problem="taxi", sensing_cost=1.0`.
"""
function save_policy(path::AbstractString, m::SensingPOMDP, policy::Policy; about...)
    A = n_base_actions(m)
    text = join(("$(json_text(string(k))): $(v isa Real ? v : json_text(string(v)))" for (k, v) in about), ", ")
    arrays = Dict{String,Any}("format" => FILE_FORMAT, "model" => model_hash(m),
                              "about" => codeunits("{$text}") |> collect)
    if policy isa AlphaVectorPolicy
        chosen = collect(Int, policy.action_map)
        arrays["alphas"] = .-permutedims(reduce(hcat, policy.alphas)) .+ 0.0
        arrays["alpha_actions"] = base_action.(Ref(m), chosen) .- 1
        arrays["alpha_senses"] = Vector{Bool}(looks.(Ref(m), chosen))
    else
        plans = policy isa PlanPolicy ? policy.plans : unroll(m, policy)
        arrays["plan_indptr"] = [0; cumsum(length(p.actions) for p in plans)]
        arrays["plan_actions"] = Int[base_action(m, a) - 1 for p in plans for a in p.actions]
        arrays["plan_senses"] = Bool[p.looks for p in plans]
    end
    NPZ.npzwrite(path, arrays)
    return path
end
