"""
    model_hash(m)

The identity of a model: SHA-256 of its numbers as text, the same that Python computes. Names and the
start distribution are no part of it; the layout of the text is in `docs/file-formats.md`.
"""
function model_hash(m::SensingPOMDP)
    A, S = n_base_actions(m), size(m.R, 1)
    io = IOBuffer()
    number(x) = @sprintf("%.12e", x + 0.0)
    println(io, "sensing-mdp 1\n$S $A\n", number(m.discount))
    for table in (-m.R[:, 1:A], m.k), s in 1:S, a in 1:A
        println(io, number(table[s, a]))
    end
    for over in m.terminal
        println(io, Int(over))
    end
    for a in 1:A, s in 1:S, idx in nzrange(m.T[a], s)
        p = nonzeros(m.T[a])[idx]
        p > 0 && println(io, a - 1, ' ', s - 1, ' ', rowvals(m.T[a])[idx] - 1, ' ', number(p))
    end
    return SHA.sha256(take!(io))
end
