@testset "load" begin
    m = random_problem(3)
    S, A = 5, 2
    C = -m.R[:, 1:A]
    stored = Dict{String,Any}(
        "format" => 1,
        "indptr" => permutedims(reduce(hcat, [Ta.colptr .- 1 for Ta in m.T])),
        "indices" => reduce(vcat, [rowvals(Ta) .- 1 for Ta in m.T]),
        "data" => reduce(vcat, [nonzeros(Ta) for Ta in m.T]),
        "costs" => C,
        "sensing_cost" => 0.1,
        "discount" => m.discount,
        "start" => m.start,
        "terminal" => Vector{Bool}(m.terminal),
        "names" => codeunits("{}") |> collect,
    )
    mktempdir() do folder
        path = joinpath(folder, "p.npz")
        write_with(changes...) = NPZ.npzwrite(path, merge(stored, Dict{String,Any}(changes...)))

        write_with()
        again = load_problem(path)
        @test again.T == m.T && again.R ≈ m.R && again.discount == m.discount
        @test again.terminal == m.terminal
        @test load_problem(path; reward_scale=1000).R ≈ 1000 .* m.R

        # Written and read back it is the same to the last bit, names included.
        write_with("names" => codeunits("{\"name\": \"mine\"}") |> collect)
        one = load_problem(path)
        two = load_problem(save_problem(joinpath(folder, "again.npz"), one))
        @test two.T == one.T && two.R == one.R && two.k == one.k && two.start == one.start
        @test two.names == one.names && model_hash(two) == model_hash(one)
        @test NPZ.npzread(joinpath(folder, "again.npz"))["sensing_cost"] === 0.1

        write_with("sensing_cost" => [0.1, 0.3])
        @test load_problem(path).R[:, A+2] ≈ -C[:, 2] .- 0.3
        k = rand(Xoshiro(1), S, A)
        write_with("sensing_cost" => k)
        @test load_problem(path).R[:, A+1:2A] ≈ -C .- k

        write_with("format" => 2)
        @test_throws "has format 2" load_problem(path)
        NPZ.npzwrite(path, Dict("costs" => C))
        @test_throws "has no array" load_problem(path)
        @test_throws "no such file" load_problem(joinpath(folder, "absent.npz"))
        write(path, "not a zip file")
        @test_throws "cannot be read" load_problem(path)
    end
end
