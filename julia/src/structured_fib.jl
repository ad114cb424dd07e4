"""
    StructuredFIB(; max_time, max_iterations, tolerance)

The Fast Informed Bound of a sensing POMDP, at the cost of its structure: a blind action shows one
observation and a look shows the state, so with `V(s) = maxₐ α(s, a)`

    α(s, blind a) = R(s, blind a) + γ maxₐ′ Σ T(s′ | s, a) α(s′, a′)
    α(s, look  a) = R(s, look  a) + γ       Σ T(s′ | s, a) V(s′)

and one sweep is a sparse product, with no loop over observations. It starts from the value of the
fully observed process, itself started from `rmax / (1 - γ)`. Both iterations come down from above,
so every iterate is an upper bound: it may be stopped at any time, and serves as the `init_upper` of
a `SARSOPSolver`.
"""
Base.@kwdef struct StructuredFIB <: Solver
    max_time::Float64       = Inf
    max_iterations::Int     = typemax(Int)
    tolerance::Float64      = 1e-6
end

POMDPs.solve(sol::StructuredFIB, m::SensingPOMDP) = first(solve_info(sol, m))

function POMDPTools.solve_info(sol::StructuredFIB, m::SensingPOMDP)
    Γ, info = structured_fib(sol, m.T, m.R, m.discount)
    return AlphaVectorPolicy(m, collect(eachrow(Γ)) .|> collect, actions(m)), info
end

# NativeSARSOP hands its own tabular form to its initial bounds; the structure is read back from it.
function POMDPs.solve(sol::StructuredFIB, m::ModifiedSparseTabular)
    A = structured_actions(m)
    Γ, _ = structured_fib(sol, m.T[1:A], m.R, m.discount)
    return AlphaVectorPolicy(m, collect(eachrow(Γ)) .|> collect, 1:2A)
end

# How many actions the sensing problem has; a POMDP of another structure is refused.
function structured_actions(m::ModifiedSparseTabular)
    A, odd = divrem(length(m.T), 2)
    nothing_o = size(first(m.O), 2)
    structured = odd == 0 && all(a -> nnz(m.O[a][:, nothing_o]) == size(m.R, 1), 1:A) &&
                 all(a -> m.T[a] == m.T[A+a], 1:A)
    structured || throw(ArgumentError("this bound needs a SensingPOMDP: blind actions first, then the same with a look"))
    return A
end

function structured_fib(sol::StructuredFIB, T, R, γ)
    t0 = time()
    S, A = size(R, 1), length(T)
    V = observed_values(sol, T, R, γ, t0)
    Γ = Matrix{Float64}(undef, 2A, S)
    for s in 1:S, a in 1:A
        after = γ * expected(T[a], s, V)
        Γ[a, s] = R[s, a] + after
        Γ[A+a, s] = R[s, A+a] + after
    end
    Γ′ = similar(Γ)
    acc = Vector{Float64}(undef, 2A)
    iter, residual = 0, Inf
    while residual > sol.tolerance && iter < sol.max_iterations && time() - t0 < sol.max_time
        residual = sweep!(Γ′, Γ, V, T, R, γ, acc)
        Γ, Γ′ = Γ′, Γ
        iter += 1
    end
    return Γ, (; iter, residual, time=time() - t0)
end

# One round of the equations above; V is scratch. Returns the largest change.
function sweep!(Γ′, Γ, V, T, R, γ, acc)
    A = length(T)
    for s in eachindex(V)
        V[s] = maximum(@view Γ[:, s])
    end
    residual = 0.0
    @inbounds for a in 1:A
        rv, nz = rowvals(T[a]), nonzeros(T[a])
        for s in eachindex(V)
            fill!(acc, 0.0)
            seen = 0.0
            for idx in nzrange(T[a], s)
                sp, p = rv[idx], nz[idx]
                seen += p * V[sp]
                @simd for i in eachindex(acc)
                    acc[i] += p * Γ[i, sp]
                end
            end
            blind = R[s, a] + γ * maximum(acc)
            look = R[s, A+a] + γ * seen
            residual = max(residual, abs(blind - Γ[a, s]), abs(look - Γ[A+a, s]))
            Γ′[a, s] = blind
            Γ′[A+a, s] = look
        end
    end
    return residual
end

# Value of the fully observed process, from above. An absorbing state is worth its best reward for
# good, which spares the slowest part of the iteration.
function observed_values(sol::StructuredFIB, T, R, γ, t0)
    best = vec(maximum(R; dims=2))
    V = fill(maximum(best) / (1 - γ), length(best))
    for s in eachindex(V)
        all(Ta -> Ta[s, s] == 1, T) && (V[s] = best[s] / (1 - γ))
    end
    A, residual = length(T), Inf
    while residual > sol.tolerance && time() - t0 < sol.max_time
        residual = 0.0
        for s in eachindex(V)
            v = maximum(max(R[s, a], R[s, A+a]) + γ * expected(T[a], s, V) for a in 1:A)
            residual = max(residual, V[s] - v)
            V[s] = min(V[s], v)
        end
    end
    return V
end

function expected(T::SparseMatrixCSC, s, V)
    rv, nz = rowvals(T), nonzeros(T)
    v = 0.0
    @inbounds for idx in nzrange(T, s)
        v += nz[idx] * V[rv[idx]]
    end
    return v
end
