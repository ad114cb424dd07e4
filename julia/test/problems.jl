const SOLVERS = joinpath(@__DIR__, "..", "solvers")

# A random sensing problem with positive and negative rewards; its last state is terminal.
function random_problem(seed; S=5, A=2, γ=0.8, k=0.1)
    rng = Xoshiro(seed)
    T = map(1:A) do _
        P = rand(rng, S, S) .* (rand(rng, S, S) .< 0.7) .+ 0.01 .* Matrix(I, S, S)
        P[:, S] = Float64.(1:S .== S)
        sparse(P ./ sum(P; dims=1))
    end
    C = randn(rng, S, A)
    C[S, :] .= 0
    start = [fill(1 / (S - 1), S - 1); 0.0]
    return SensingPOMDP(T, -hcat(C, C .+ k), start, γ; terminal=1:S .== S)
end

# Values of always looking: a policy of the problem, so below any upper bound.
function always_look_values(m)
    A = length(m.T)
    V = zeros(length(states(m)))
    for _ in 1:10_000
        V′ = [maximum(m.R[s, A+a] + m.discount * dot(m.T[a][:, s], V) for a in 1:A) for s in states(m)]
        V′[m.terminal] .= 0
        maximum(abs, V′ - V) < 1e-12 && return V′
        V = V′
    end
    return V
end
