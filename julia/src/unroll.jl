"""
What to do from a known state: POMDP actions in order, all blind but the last; the last one looks, or
is repeated for good.
"""
struct Plan
    actions::Vector{Int}
    looks::Bool
end

const FORGOTTEN = 1e-10 # a step this much discounted no longer counts

"""
    unroll(m, policy; deadline=Inf)

One [`Plan`](@ref) for each state: what a deterministic policy does from there on exact beliefs until
it looks, or until what is left cannot matter. Between looks nothing is seen, so the plans are the
whole policy. A policy that answers differently to the same belief is refused.
"""
function unroll(m::SensingPOMDP, policy; deadline=Inf)
    horizon = m.discount < 1 ? ceil(Int, log(FORGOTTEN) / log(m.discount)) : 10_000
    return [unroll(m, policy, s, horizon, deadline) for s in states(m)]
end

function unroll(m::SensingPOMDP, policy, s::Int, horizon, deadline)
    m.terminal[s] && return Plan(Int[], false)
    ordered = collect(states(m))
    b = zeros(length(ordered))
    b[s] = 1.0
    chosen = Int[]
    for step in 1:horizon
        a = chosen_action(m, policy, ordered, b)
        if step == 1
            again = chosen_action(m, policy, ordered, b)
            again == a || throw(ArgumentError(
                "the policy chose action $a in state $s and then $again: it plans with chance; say `policy: random` in the head of the solver file to have it simulated"))
        end
        push!(chosen, a)
        looks(m, a) && return Plan(chosen, true)
        time() > deadline && throw(ArgumentError(
            "the policy took too long to be followed from every state: $step steps from state $s"))
        before, b = b, m.T[base_action(m, a)] * b
        b == before && break # nothing changes any more, so neither does what it does
        sum(b[i] for i in eachindex(b) if !m.terminal[i]; init=0.0) ≤ FORGOTTEN && break
    end
    return Plan(chosen, false)
end

# The action at a belief, checked: a policy may return anything.
function chosen_action(m::SensingPOMDP, policy, ordered, b)
    a = action(policy, DiscreteBelief(m, ordered, copy(b)))
    a isa Integer && a in actions(m) || throw(ArgumentError(
        "the policy chose $(repr(a)); expected one of the actions 1 to $(length(actions(m)))"))
    return Int(a)
end

"""
    OneStepLookahead(m, value)

The policy that is best if `value(b)`, a function of a belief (a vector), says what comes after one
step. For solvers that hand back values without actions.
"""
struct OneStepLookahead{F} <: Policy
    m::SensingPOMDP
    value::F
    corners::Vector{Float64}
end

function OneStepLookahead(m::SensingPOMDP, value)
    S = length(states(m))
    return OneStepLookahead(m, value, [value(Float64.(1:S .== s)) for s in 1:S])
end

POMDPs.updater(p::OneStepLookahead) = DiscreteUpdater(p.m)

function POMDPs.action(p::OneStepLookahead, b)
    m = p.m
    at = [pdf(b, s) for s in states(m)]
    gain(a) = begin
        after = m.T[base_action(m, a)] * at
        dot(@view(m.R[:, a]), at) + m.discount * (looks(m, a) ? dot(after, p.corners) : p.value(after))
    end
    return argmax(gain, actions(m))
end
