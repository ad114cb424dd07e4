# title: PointBasedValueIteration.jl; it has no clock
# packages: PointBasedValueIteration 0.2
# options: max_iterations::Int, epsilon
# start: asked
using PointBasedValueIteration

const WARM_UP = (; max_iterations=3)

function make_solver(m; budget, seed, epsilon=nothing, options...)
    named = epsilon === nothing ? (;) : (; ϵ=epsilon)
    return PBVISolver(; named..., options...)
end
