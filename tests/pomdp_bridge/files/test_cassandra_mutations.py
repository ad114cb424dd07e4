"""No text makes the ``.pomdp`` reader crash, or read another model than the text's."""

import re

import numpy as np
import pytest

from pomdp_bridge.files.cassandra import write_pomdp
from pomdp_bridge.files.cassandra_reader import read_pomdp
from solvers import ModelError
from tests.pomdp_bridge.files.test_cassandra_reader import FOREIGN
from tests.pomdp_bridge.random_problems import SHAPES, random_problem

MANY = 400
"""Mutations tried here; the slow test tries 5,000."""
WORDS = (
    *("discount:", "states:", "start:", "strat:", "values:", "observations:", "T:", "O:", "R:"),
    *("uniform", "identity", "*", ":", "0", "1", "9", "-1", "0.5", "1e999", "nan", "²", "", "#"),
    *("start include:", "reset", "cost", "reward", "99999999999999", "1_0", "x", "\n", "start"),
)


def mutated(text, rng):
    """One to three changes of letters, words or lines."""
    for _ in range(int(rng.integers(1, 4))):
        how = int(rng.integers(8))
        lines = text.split("\n")
        at, line = int(rng.integers(len(text) + 1)), int(rng.integers(len(lines)))
        if how == 0:
            text = text[:at] + str(rng.choice(list("0123456789.:-+*# eTORs\n"))) + text[at + 1 :]
        elif how == 1:
            text = text[:at] + text[at + int(rng.integers(1, 30)) :]
        elif how == 2:
            text = text[:at]
        elif how == 3:
            text = text[:at] + str(rng.choice(WORDS)) + text[at:]
        elif how == 4:
            words = lines[line].split(" ")
            words[int(rng.integers(len(words)))] = str(rng.choice(WORDS))
            lines[line] = " ".join(words)
            text = "\n".join(lines)
        elif how == 5:
            del lines[line]
            text = "\n".join(lines)
        elif how == 6:
            lines.insert(int(rng.integers(len(lines))), lines[line])
            text = "\n".join(lines)
        else:
            other = int(rng.integers(len(lines)))
            lines[line], lines[other] = lines[other], lines[line]
            text = "\n".join(lines)
    return text


def meaning(text):
    """What a file of ours says, by a reader that knows our own way of writing and no other.

    Returns discount, T, R (by action and state) and start; None if anything is said otherwise.
    """
    seen, T, R, shown = {}, {}, [], {}
    for line in text.split("\n"):
        line = " ".join(re.sub(r"([:])", r" \1 ", line.split("#")[0]).split())
        if not line:
            continue
        word, _, rest = line.partition(" : ")
        parts = [part.split() for part in rest.split(" : ")]
        if word in ("discount", "values", "states", "actions", "observations", "start"):
            if word in seen:
                return None
            seen[word] = rest.split()
            continue
        try:
            if word == "T":
                (a,), (s,), (after, p) = parts
                T[int(a), int(s), int(after)] = float(p)
            elif word == "R":
                (a,), (s,), (x,), (y, r) = parts
                after = slice(None) if x == "*" else int(x)
                R.append((int(a), int(s), after, None if y == "*" else int(y), float(r)))
            elif word == "O":
                (a,), (s,), (o, p) = parts
                if float(p) > 0:
                    shown[int(a), int(s)] = int(o)
            else:
                return None
        except ValueError:
            return None
    try:
        S, A = int(seen["states"][0]), int(seen["actions"][0])
        dense, rewards = np.zeros((A, S, S)), np.zeros((A, S, S))
        for at, p in T.items():
            dense[at] = p
        for a, s, after, o, r in R:
            given = np.zeros(S, bool)
            given[after] = True
            given &= [o is None or shown[a, end] == o for end in range(S)]
            rewards[a, s, given] = r
        sign = {"reward": 1.0, "cost": -1.0}[seen["values"][0]]
        start = np.array([float(x) for x in seen["start"]])
        return float(seen["discount"][0]), dense, sign * (dense * rewards).sum(axis=2), start
    except (KeyError, ValueError, IndexError):
        return None


def figures(problem):
    """Discount, T, R and start of a model, as :func:`meaning` has them."""
    T = np.array([T.toarray() for T in problem.transitions])
    rewards = -np.concatenate([problem.costs, problem.costs + problem.sensing_costs()], axis=1)
    return problem.discount, np.concatenate([T, T]), rewards.T, problem.start


def same(one, other):
    if other is None:
        return False
    return all(
        np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-7, atol=1e-8)
        for x, y in zip(one, other, strict=True)
    )


def tally(path, seeds):
    """How many mutated files were read and how many refused; anything else is an error."""
    read = refused = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        problem = random_problem(seed % 7, S=4, A=2, sensing=SHAPES[seed % 3])
        write_pomdp(problem, path)
        whole = path.read_text()
        text = mutated(whole, rng)
        path.write_text(text)
        try:
            found = figures(read_pomdp(path))
        except ModelError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            refused += 1
            continue
        read += 1
        said = None if whole.startswith(text) else meaning(text)  # a cut must change nothing
        right = same(found, figures(problem) if said is None else said)
        assert right, f"seed {seed}: another model was read"
    return read, refused


def test_mutated_files_are_refused_or_read_as_they_are(tmp_path):
    read, refused = tally(tmp_path / "p.pomdp", range(MANY))
    assert read + refused == MANY and refused > MANY / 3


@pytest.mark.slow
def test_five_thousand_mutations(tmp_path):
    read, refused = tally(tmp_path / "p.pomdp", range(5000))
    print(f"{read} files read as they are, {refused} refused")
    assert read + refused == 5000


def test_mutations_of_a_file_by_hand_never_crash(tmp_path):
    path = tmp_path / "p.pomdp"
    refused = 0
    for seed in range(MANY):
        path.write_text(mutated(FOREIGN, np.random.default_rng(seed)))
        try:
            read_pomdp(path)
        except ModelError:
            refused += 1
    assert refused > MANY / 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "start: 0.25 0.75 0.0",
            "strat: 0.25 0.75 0.0",
            "line 8: unknown section 'strat'; did you mean",
        ),
        ("none h t g\nstart:", "4\nstrat:", "line 8: unknown section 'strat'; did you mean start?"),
        (
            "none h t g\nstart:",
            "4\nabc:",
            "unknown section 'abc'; expected one of: discount, values",
        ),
        ("none h t g", "3 h t g", "'3' cannot name an observation; names begin with a letter"),
        ("none h t g", "reset h t g", "'reset' cannot name an observation; it is a word of"),
        ("start: 0.25 0.75 0.0", "start: *", "* stands for all states; write 'start: uniform'"),
        ("T: wait identity", "Q: wait identity", "unknown section 'Q'; expected one of"),
        ("start: 0.25 0.75 0.0", "discount: 0.5", "line 8: discount: stands twice"),
        ("start: 0.25 0.75 0.0", "states: 3", "line 8: states: stands twice"),
        ("discount: 0.9", "discount:", "expected a number but found 'values'"),
        ("states: here there gone", "start: 0.5 0.5 0.0", "start: stands before states"),
        ("start: 0.25 0.75 0.0", "start:\nT: 0 : 0 : 0 1.0", "expected a state but found 'T: 0"),
        ("start: 0.25 0.75 0.0", "start include:", "expected names of some states"),
        ("T: look-wait identity", "T: look-wait : here identity", "no matrix is expected"),
        ("start: 0.25 0.75 0.0", "# sensebench-names: {}", "does not hold a name"),
        ("start: 0.25 0.75 0.0", "# sensebench-names: [", "is not JSON"),
        ("T: wait identity", "T: wait\n0.5 0.5", "expected a number but found 'O'"),
        ("observations: none h t g", "observations: 99999999", "expected 1 to"),
        ("observations: none h t g", "observations: none h t h", "'h' stands twice"),
    ],
)
def test_each_fault_that_was_found_is_named(tmp_path, old, new, message):
    assert old in FOREIGN
    (tmp_path / "p.pomdp").write_text(FOREIGN.replace(old, new))
    with pytest.raises(ModelError, match=re.escape(message)):
        read_pomdp(tmp_path / "p.pomdp")


@pytest.mark.parametrize("seed", range(2))
def test_every_beginning_of_a_file_is_refused_or_gives_the_same_model(tmp_path, seed):
    path = tmp_path / "p.pomdp"
    problem = random_problem(seed, S=2, A=1, sensing=SHAPES[seed])
    write_pomdp(problem, path)
    whole, read = path.read_text(), []
    for length in range(len(whole)):
        path.write_text(whole[:length])
        try:
            found = read_pomdp(path)
        except ModelError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            continue
        assert same(figures(found), figures(problem)), f"another model from {length} characters"
        assert found.state_names == problem.state_names
        read.append(length)
    assert read == [len(whole) - 1], "only the last line break can be missed"


@pytest.mark.parametrize("at", ["R:", "O:", "T: 1", "start"])
def test_a_file_cut_anywhere_after_its_names_is_called_cut(tmp_path, at):
    path = tmp_path / "p.pomdp"
    write_pomdp(random_problem(1), path)
    whole = path.read_text()
    path.write_text(whole[: whole.index("\n" + at) + 3])
    with pytest.raises(
        ModelError, match="does not end with its line '# sensebench-end': it was cut"
    ):
        read_pomdp(path)


def test_a_file_that_lost_a_line_is_refused_and_one_of_an_older_version_is_read(tmp_path):
    path = tmp_path / "p.pomdp"
    problem = random_problem(1)
    write_pomdp(problem, path)
    whole = path.read_text()
    last = whole[whole.rindex("R:") : whole.rindex("# sensebench-end")]
    path.write_text(whole.replace(last, ""))
    with pytest.raises(ModelError, match="was cut or changed"):
        read_pomdp(path)
    older = re.sub(', "last_line": "[^"]*"', "", whole).replace("# sensebench-end\n", "")
    assert "sensebench-end" not in older
    path.write_text(older)
    assert same(figures(read_pomdp(path)), figures(problem))
