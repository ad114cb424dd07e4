"""POMDPs.jl through juliacall: a supervised worker, the solvers, set-up and diagnosis."""
