"""
    SensingPOMDP(mdp, k; start=initialstate(mdp), end_is_seen=false)

Any explicit `MDP` of POMDPs.jl with a state sensing cost: looking at the next state costs `k`, a
number, or an array per action `(A,)` or per state and action `(S, A)`. States and actions become
numbers, in the order of `ordered_states` and `ordered_actions`; terminal states become absorbing and
free.
"""
function SensingPOMDP(mdp::MDP, k; start=initialstate(mdp), end_is_seen::Bool=false)
    S, A = ordered_states(mdp), ordered_actions(mdp)
    terminal = BitVector(isterminal(mdp, s) for s in S)
    R = zeros(length(S), length(A))
    T = map(enumerate(A)) do (j, a)
        to, from, chance = Int[], Int[], Float64[]
        for (i, s) in enumerate(S)
            if terminal[i]
                push!(to, i); push!(from, i); push!(chance, 1.0)
                continue
            end
            for (sp, p) in weighted_iterator(transition(mdp, s, a))
                p > 0 || continue
                push!(to, stateindex(mdp, sp)); push!(from, i); push!(chance, p)
                R[i, j] += p * reward(mdp, s, a, sp)
            end
        end
        moves = sparse(to, from, chance, length(S), length(S))
        all(sum(moves; dims=1) .≈ 1) || throw(ArgumentError("the transitions of action $a do not sum to 1 from every state"))
        moves
    end
    first = zeros(length(S))
    for (s, p) in weighted_iterator(start)
        first[stateindex(mdp, s)] += p
    end
    size(k) in ((), (length(A),), size(R)) || throw(DimensionMismatch(
        "k has size $(size(k)); expected a number, ($(length(A)),) or $(size(R))"))
    cost = _sensing_costs(k, size(R))
    end_is_seen && (cost[terminal, :] .= 0)
    return SensingPOMDP(T, hcat(R, R .- cost), first, Float64(discount(mdp)); terminal, end_is_seen, k=cost)
end
