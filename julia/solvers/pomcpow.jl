# title: POMCPOW, online; all actions are tried, no widening over what is discrete already
# packages: POMCPOW 0.3
# options: tree_queries::Int=1000, max_depth::Int=20, c, max_time
# policy: random
using POMCPOW, Random

const WARM_UP = (; tree_queries=10)

function make_solver(m; budget, seed, c=maximum(m.R) - minimum(m.R), options...)
    return POMCPOWSolver(; criterion=MaxUCB(c), enable_action_pw=false, check_repeat_obs=true,
                         rng=MersenneTwister(seed), default_action=1, options...)
end
