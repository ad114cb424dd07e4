"""
    settable(S)

The options of solver type `S` by name, with their types: its fields that hold plain numbers.
"""
settable(::Type{S}) where {S} = Dict(
    _option_name(f) => fieldtype(S, f) for f in fieldnames(S) if fieldtype(S, f) <: Real
)
settable(::Type{QMDPSolver}) = filter(p -> p.first in (:max_iterations, :belres, :verbose),
                                      settable(ValueIterationSolver))

# Names that can be typed anywhere; the package's own spelling is used inside.
const SPELLING = Dict(:ϵ => :epsilon)
_option_name(f::Symbol) = get(SPELLING, f, f)
_field_name(S, option::Symbol) = something(findfirst(f -> _option_name(f) == option, collect(fieldnames(S))), 0)

"""
    configure(S, options; fixed...)

A solver of type `S` with the given options by name; `fixed` are keywords set by us. An unknown
option is an error that lists those there are.
"""
function configure(::Type{S}, options; fixed...) where {S}
    known = settable(S)
    keywords = Dict{Symbol,Any}(fixed)
    for (name, value) in options
        option = Symbol(name)
        haskey(known, option) || throw(ArgumentError(
            "$(nameof(S)) has no option $name; its options are: $(join(sort!(collect(String.(keys(known)))), ", "))"))
        at = _field_name(S, option)
        field = at == 0 ? option : fieldname(S, at)
        keywords[field] = convert(known[option], value)
    end
    return S(; keywords...)
end

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
