const FILE_FORMAT = 1
const ARRAYS = ["indptr", "indices", "data", "costs", "sensing_cost", "discount", "start", "terminal"]

"""
    load_problem(path; reward_scale=1)

The problem in an `.npz` file written by `sensebench export PROBLEM --format npz -o FILE` or by
[`save_problem`](@ref). Rewards are minus the costs in the file, times `reward_scale`.
"""
function load_problem(path::AbstractString; reward_scale::Real=1)
    file = read_arrays(path, [ARRAYS; "format"; "end_is_seen"; "names"], ARRAYS)
    C = file["costs"]
    k = _sensing_costs(file["sensing_cost"], size(C))
    R = -reward_scale .* hcat(C, C .+ k)
    return SensingPOMDP(file["indptr"], file["indices"], file["data"], R, file["start"],
                        file["discount"], file["terminal"]; end_is_seen=get(file, "end_is_seen", false),
                        k=reward_scale .* k, names=String(get(file, "names", UInt8[])))
end

"""
    save_problem(path, m; name)

Write a problem as an `.npz` file, which `sensebench` takes wherever the id of a problem is asked for.
A problem that came from a file keeps its names unless another `name` is given.
"""
function save_problem(path::AbstractString, m::SensingPOMDP; name::AbstractString="")
    A = n_base_actions(m)
    own = isempty(name) ? first(splitext(basename(path))) : name
    names = isempty(name) && !isempty(m.names) ? m.names : "{\"name\": $(json_text(own))}"
    NPZ.npzwrite(path, Dict{String,Any}(
        "format" => FILE_FORMAT,
        "indptr" => permutedims(reduce(hcat, [Ta.colptr .- 1 for Ta in m.T])),
        "indices" => reduce(vcat, [rowvals(Ta) .- 1 for Ta in m.T]),
        "data" => reduce(vcat, [nonzeros(Ta) for Ta in m.T]),
        "costs" => .-m.R[:, 1:A] .+ 0.0, # minus zero is zero
        "sensing_cost" => simplest(m.k),
        "discount" => m.discount,
        "start" => m.start,
        "terminal" => Vector{Bool}(m.terminal),
        "end_is_seen" => m.end_is_seen,
        "names" => collect(codeunits(names)),
    ))
    return path
end

# A number, one cost per action, or one per state and action.
simplest(k) = allequal(k) ? first(k) : allequal(eachrow(k)) ? k[1, :] : k

# Named arrays of an .npz file, or an error that says what is wrong with it.
function read_arrays(path::AbstractString, wanted, needed)
    isfile(path) || throw(ArgumentError("no such file: $path"))
    file = try
        NPZ.npzread(path, wanted)
    catch err
        err isa InterruptException && rethrow()
        throw(ArgumentError("$path cannot be read as an .npz file: $(sprint(showerror, err))"))
    end
    missing_arrays = filter(name -> !haskey(file, name), needed)
    isempty(missing_arrays) || throw(ArgumentError("$path has no array $(join(missing_arrays, ", "))"))
    get(file, "format", FILE_FORMAT) == FILE_FORMAT ||
        throw(ArgumentError("$path has format $(file["format"]); this version reads format $FILE_FORMAT"))
    return file
end

json_text(text::AbstractString) = string('"', escape_string(text, '"'), '"')

_sensing_costs(k::Real, size) = fill(Float64(k), size)
_sensing_costs(k::AbstractVector, (S, A)) = repeat(reshape(Float64.(k), 1, A), S)
_sensing_costs(k::AbstractMatrix, _) = Float64.(k)
