"""The model as a POMDP: in memory for POMDPs.jl through juliacall, and as files.

Nothing is imported here: the worker process must be able to start Julia before anything else is
loaded, and importing this package never starts or downloads Julia.
"""
