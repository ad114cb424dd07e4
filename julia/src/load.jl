const FILE_FORMAT = 1
const ARRAYS = ["indptr", "indices", "data", "costs", "sensing_cost", "discount", "start", "terminal"]

"""
    load_problem(path; reward_scale=1)

The problem in an `.npz` file written by `sensebench export PROBLEM --format npz -o FILE`.
Rewards are minus the costs in the file, times `reward_scale`.
"""
function load_problem(path::AbstractString; reward_scale::Real=1)
    isfile(path) || throw(ArgumentError("no such file: $path"))
    file = try
        NPZ.npzread(path, [ARRAYS; "format"])
    catch err
        err isa InterruptException && rethrow()
        throw(ArgumentError("$path cannot be read as an .npz file: $(sprint(showerror, err))"))
    end
    missing_arrays = filter(name -> !haskey(file, name), ARRAYS)
    isempty(missing_arrays) || throw(ArgumentError("$path has no array $(join(missing_arrays, ", "))"))
    get(file, "format", FILE_FORMAT) == FILE_FORMAT ||
        throw(ArgumentError("$path has format $(file["format"]); this version reads format $FILE_FORMAT"))
    C = file["costs"]
    k = _sensing_costs(file["sensing_cost"], size(C))
    R = -reward_scale .* hcat(C, C .+ k)
    return SensingPOMDP(file["indptr"], file["indices"], file["data"], R, file["start"],
                        file["discount"], file["terminal"])
end

_sensing_costs(k::Real, size) = fill(Float64(k), size)
_sensing_costs(k::AbstractVector, (S, A)) = repeat(reshape(Float64.(k), 1, A), S)
_sensing_costs(k::AbstractMatrix, _) = Float64.(k)
