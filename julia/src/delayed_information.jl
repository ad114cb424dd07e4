"""
    DelayedInformation(n; max_time, max_sweeps, tolerance)

An upper bound on the value of a sensing POMDP: the agent is told, for free, the state as it was `n`
steps ago. With `σ` the last blind actions since the known state `s`, `m ≤ n` of them, and `B(s, σ)`
the belief they lead to,

    W(s, σ) = max over a of  B(s,σ) R(look a) + γ B(s,σ) T(a) W(·, ∅)
                             B(s,σ) R(blind a) + γ W(s, σa)                        m < n
                             B(s,σ) R(blind a) + γ Σ T(σ₁)(s,s′) W(s′, σ₂…σₙa)     m = n

`n = 1` is the Fast Informed Bound, `n = 2` the Tighter Informed Bound (Krale et al. 2025); it falls
with `n`. It comes down from the value of the fully observed process, so every iterate is a bound and
it may be stopped at any time: any `SARSOPSolver` takes it as `init_upper`. The work and memory of one
sweep are those of `S × Aⁿ⁺¹` numbers.
"""
Base.@kwdef struct DelayedInformation <: Solver
    n::Int                  = 2
    max_time::Float64       = Inf
    max_sweeps::Int         = typemax(Int)
    tolerance::Float64      = 1e-6
end
DelayedInformation(n::Int; options...) = DelayedInformation(; n, options...)

POMDPs.solve(sol::DelayedInformation, m::SensingPOMDP) = first(solve_info(sol, m))

function POMDPTools.solve_info(sol::DelayedInformation, m::SensingPOMDP)
    Γ, info = delayed_information(sol, m.T, m.R, m.discount)
    return AlphaVectorPolicy(m, collect(eachcol(Γ)) .|> collect, actions(m)), info
end

# NativeSARSOP hands its own tabular form to its initial bounds; the structure is read back from it.
function POMDPs.solve(sol::DelayedInformation, m::ModifiedSparseTabular)
    A = structured_actions(m)
    Γ, _ = delayed_information(sol, m.T[1:A], m.R, m.discount)
    return AlphaVectorPolicy(m, collect(eachcol(Γ)) .|> collect, 1:2A)
end

# The vectors (S, 2A): what each action is worth if the state is known for sure before it.
function delayed_information(sol::DelayedInformation, T, R, γ)
    sol.n ≥ 1 || throw(ArgumentError("DelayedInformation($(sol.n)): expected a delay of at least 1"))
    t0 = time()
    S, A, n = size(R, 1), length(T), sol.n
    V = observed_values(StructuredFIB(max_time=sol.max_time / 4, tolerance=sol.tolerance), T, R, γ, t0)
    Tt = [copy(Ta') for Ta in T] # rows by the present state
    # E[m]: expected reward of each blind action after each string of m; W[m]: the values.
    E = [reshape(R[:, 1:A], S, A)]
    W = [reshape(V, S, 1)]
    for m in 1:n
        push!(E, behind(Tt, E[end]))
        push!(W, behind(Tt, W[end]))
    end
    sweeps, residual = 0, Inf
    while residual > sol.tolerance && sweeps < sol.max_sweeps && time() - t0 < sol.max_time
        residual = sweep!(W, E, Tt, R, γ)
        sweeps += 1
    end
    blind = R[:, 1:A] .+ γ .* W[2]
    look = reduce(hcat, [R[:, A+a] .+ γ .* (Tt[a] * vec(W[1])) for a in 1:A])
    return hcat(blind, look), (; sweeps, residual, time=time() - t0)
end

# From what holds after each string σ to what holds after each string aσ, one action earlier: columns
# are strings, the last action counting fastest.
behind(Tt, X) = reduce(hcat, [Ta * X for Ta in Tt])

# One round of the equations, the longest strings first; returns the largest change.
function sweep!(W, E, Tt, R, γ)
    n, A, S = length(W) - 1, length(Tt), size(R, 1)
    looks = [reduce(hcat, [R[:, A+a] .+ γ .* (Tt[a] * vec(W[1])) for a in 1:A])]
    for m in 1:n
        push!(looks, behind(Tt, looks[end]))
    end
    residual = 0.0
    for m in n:-1:0
        # What comes after one more blind action: columns are strings with that action at their end.
        after = m < n ? W[m+2] : behind(Tt, W[n+1])
        blind = E[m+1] .+ γ .* after
        best = dropdims(maximum(reshape(blind, S, A, :); dims=2); dims=2)
        seen = dropdims(maximum(reshape(looks[m+1], S, A, :); dims=2); dims=2)
        new = min.(max.(best, seen), W[m+1])
        residual = max(residual, maximum(W[m+1] .- new))
        W[m+1] = new
    end
    return residual
end
