# Errors in one line that name the file and the line, for people who see no stack trace.

"""
    in_file(f, path)

Call `f`; whatever it throws comes out as a [`SolverFileError`](@ref) that names the line of `path` it
came through.
"""
function in_file(f, path::AbstractString)
    try
        return f()
    catch err
        err isa Union{SolverFileError,InterruptException,OutOfMemoryError} && rethrow()
        showerror(stderr, err, catch_backtrace()) # the whole story is for the log
        println(stderr)
        line = line_of(err, path, catch_backtrace())
        throw(SolverFileError("$path$(line > 0 ? ", line $line" : ""): $(one_line(err))"))
    end
end

function line_of(err, path, trace)
    err isa LoadError && return max(line_of(err.error, path, trace), err.line)
    for frame in stacktrace(trace)
        endswith(string(frame.file), basename(path)) && return frame.line
    end
    return 0
end

function one_line(err)
    err isa LoadError && return one_line(err.error)
    lines = split(sprint(showerror, err), '\n'; keepempty=false)
    # Julia shows the code and points at the place: what is wrong stands behind the pointer.
    pointed = err isa Meta.ParseError ? findfirst(contains("── "), lines) : nothing
    pointed === nothing || return "syntax error: " * last(split(lines[pointed], "── "))
    line = strip(join(strip.(first(lines, 2)), " "))
    return length(line) > 300 ? first(line, 300) * "…" : line
end

"""
    check_requirements(solver, m, name)

Ask POMDPLinter whether the model has all that the solver says it needs.
"""
function check_requirements(solver, m, name)
    lacking = try
        Base.invokelatest(unmet, Base.invokelatest(POMDPLinter.get_requirements, solve, (solver, m)))
    catch # a package whose declaration itself is broken cannot be checked
        return
    end
    isempty(lacking) || throw(SolverFileError(
        "$name: $(nameof(typeof(solver))) needs methods that a SensingPOMDP does not have: $(join(lacking, ", "))"))
    return
end

# The methods in a set of requirements that are not there; what cannot be told is not among them.
function unmet(reqs)
    found = String[]
    for req in reqs.reqs
        POMDPLinter.implemented(req) || push!(found, "$(nameof(first(req)))$(Tuple(last(req).parameters))")
    end
    foreach(d -> append!(found, unmet(d)), reqs.deps)
    return unique(found)
end
unmet(::POMDPLinter.Unspecified) = String[]
