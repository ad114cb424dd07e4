const Move = let V = SubArray{Int,1,Vector{Int},Tuple{UnitRange{Int}},true},
                 P = SubArray{Float64,1,Vector{Float64},Tuple{UnitRange{Int}},true}
    SparseCat{V,P}
end

"""
    SensingPOMDP(T, R, start, discount; terminal, end_is_seen=false, k, names="")

A Markov decision process with a state sensing cost, as a POMDP.

With S states and A actions of the process, POMDP actions `1:A` stay blind and `A+1:2A` are the
same actions with a look; observations `1:S` are the state that a look shows, `S+1` is nothing.

# Fields
- `T`: `T[a][sp, s]` for `a` in `1:A`: next states stand in the columns
- `R`: `R[s, a]` for `a` in `1:2A`, sensing costs included
- `start`: initial belief
- `discount`
- `terminal`: states in which a look ends the episode. To the solvers they are ordinary absorbing
  states (`isterminal` is false everywhere), because a blind agent does not know it is in one
- `end_is_seen`: the other convention, in which the agent notices the end for free: looks in terminal
  states are free and `isterminal` is true there
- `k`: sensing cost for each `(s, a)`, `a` in `1:A`
- `names`: JSON text with the names that a problem file has, empty where there are none
- `moves`: distribution of the next state for each `(s, a)`, views of the columns of `T`
"""
struct SensingPOMDP <: POMDP{Int,Int,Int}
    T::Vector{SparseMatrixCSC{Float64,Int}}
    R::Matrix{Float64}
    start::Vector{Float64}
    discount::Float64
    terminal::BitVector
    end_is_seen::Bool
    k::Matrix{Float64}
    names::String
    moves::Matrix{Move}
    first::SparseCat{Vector{Int},Vector{Float64}}
end

function SensingPOMDP(T, R, start, discount; terminal=falses(length(start)), end_is_seen=false, k=nothing,
                      names="")
    S, A = size(R, 1), length(T)
    size(R, 2) == 2A || throw(DimensionMismatch("R has $(size(R, 2)) columns for $A actions; expected $(2A)"))
    length(start) == S || throw(DimensionMismatch("start has $(length(start)) entries for $S states"))
    for (a, Ta) in enumerate(T)
        size(Ta) == (S, S) || throw(DimensionMismatch("T[$a] is $(size(Ta)); expected ($S, $S)"))
    end
    if end_is_seen
        R = copy(R)
        R[terminal, A+1:2A] = R[terminal, 1:A] # a look in a terminal state is free
    end
    k = k === nothing ? R[:, 1:A] .- R[:, A+1:2A] : k
    moves = [_move(T[a], s) for s in 1:S, a in 1:A]
    support = findall(>(0), start)
    return SensingPOMDP(T, R, start, discount, terminal, end_is_seen, k, names, moves,
                        SparseCat(support, start[support]))
end

function _move(T::SparseMatrixCSC{Float64,Int}, s::Int)
    r = nzrange(T, s)
    return SparseCat(view(rowvals(T), r), view(nonzeros(T), r))
end

"""
    SensingPOMDP(indptr, indices, data, R, start, discount, terminal)

The same from flat buffers counted from 0: CSR of each T(a) with rows by the present state, the
actions one after the other. They are the CSC buffers of the transpose, which is what is kept.
"""
function SensingPOMDP(indptr::AbstractMatrix, indices::AbstractVector, data::AbstractVector,
                      R::AbstractMatrix, start::AbstractVector, discount::Real, terminal::AbstractVector;
                      more...)
    A, S = size(indptr, 1), size(indptr, 2) - 1
    T = Vector{SparseMatrixCSC{Float64,Int}}(undef, A)
    last = 0
    for a in 1:A
        n = Int(indptr[a, end])
        block = last+1:last+n
        colptr = Int[indptr[a, s] + 1 for s in 1:S+1]
        T[a] = SparseMatrixCSC(S, S, colptr, Int.(indices[block]) .+ 1, Float64.(data[block]))
        last += n
    end
    return SensingPOMDP(T, Matrix{Float64}(R), Vector{Float64}(start), Float64(discount);
                        terminal=BitVector(Bool.(terminal)), more...)
end

n_base_actions(m::SensingPOMDP) = length(m.T)

"""
    looks(m, a)

Whether POMDP action `a` looks at the state it leads to.
"""
looks(m::SensingPOMDP, a::Int) = a > n_base_actions(m)

base_action(m::SensingPOMDP, a::Int) = looks(m, a) ? a - n_base_actions(m) : a

nothing_seen(m::SensingPOMDP) = size(m.R, 1) + 1

POMDPs.states(m::SensingPOMDP) = axes(m.R, 1)
POMDPs.actions(m::SensingPOMDP) = axes(m.R, 2)
POMDPs.observations(m::SensingPOMDP) = Base.OneTo(nothing_seen(m))

POMDPs.stateindex(::SensingPOMDP, s::Int) = s
POMDPs.actionindex(::SensingPOMDP, a::Int) = a
POMDPs.obsindex(::SensingPOMDP, o::Int) = o

POMDPs.transition(m::SensingPOMDP, s::Int, a::Int) = m.moves[s, base_action(m, a)]
POMDPs.observation(m::SensingPOMDP, a::Int, sp::Int) = Deterministic(looks(m, a) ? sp : nothing_seen(m))
POMDPs.reward(m::SensingPOMDP, s::Int, a::Int) = m.R[s, a]

POMDPs.initialstate(m::SensingPOMDP) = m.first
POMDPs.discount(m::SensingPOMDP) = m.discount
POMDPs.isterminal(m::SensingPOMDP, s::Int) = m.end_is_seen && m.terminal[s]
