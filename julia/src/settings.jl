# Names that can be typed anywhere; the package's own spelling is used inside.
const SPELLING = Dict(:ϵ => :epsilon)
_option_name(f::Symbol) = get(SPELLING, f, f)

"""
    effective_settings(solver)

What a solver will really use, read back from its fields: name => number or text. The fields of a
solver inside it come as `outer.inner`.
"""
function effective_settings(solver, prefix="")
    found = Dict{String,Any}()
    for f in fieldnames(typeof(solver))
        value, name = getfield(solver, f), prefix * String(_option_name(f))
        if value isa Solver
            found[name] = String(nameof(typeof(value)))
            merge!(found, effective_settings(value, name * "."))
        elseif value isa Union{Real,AbstractString,Symbol}
            found[name] = value isa Real ? value : String(value)
        elseif !(value isa AbstractArray)
            found[name] = string(nameof(typeof(value)))
        end
    end
    return found
end
