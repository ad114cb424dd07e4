"""Files of other programs: every form of the grammar, and what is refused."""

import numpy as np
import pytest

from pomdp_bridge.files.cassandra_reader import read_pomdp
from solvers import ModelError

FOREIGN = """
# Written by hand: names, costs, matrices, rows, wildcards; looks stand before blind actions.
discount: 0.9
values: cost
states: here there gone
actions: look-go look-wait go wait
observations: none h t g
start: 0.25 0.75 0.0

T: look-go
0.0 0.5 0.5
0.0 0.5 0.5
0.0 0.0 1.0
T: look-wait identity
T: go : here
0.0 0.5 0.5
T: go : 1 : there 0.5
T: go : there : gone 0.5
T: go : gone : gone 1.0
T: wait identity
O: * : here : h 1.0
O: * : there : t 1.0
O: * : gone
0.0 0.0 0.0 1.0
O: go
1.0 0.0 0.0 0.0
1.0 0.0 0.0 0.0
1.0 0.0 0.0 0.0
O: wait : *
1.0 0.0 0.0 0.0
R: * : * : * : * 9.0
R: go : * : * : * 1.0
R: go : here : gone : * 3.0
R: go : gone : * : * 0.0
R: wait : * : * : * 0.5
R: wait : gone : * : * 0.0
R: look-go : * : * : * 1.2
R: look-go : here : gone : g 3.2
R: look-go : gone
0.2 0.2 0.2 0.2
0.2 0.2 0.2 0.2
0.2 0.2 0.2 0.2
R: look-wait : * : * : * 0.7
R: look-wait : gone : gone
0.2 0.2 0.2 0.2
"""


def written(tmp_path, text):
    path = tmp_path / "p.pomdp"
    path.write_text(text)
    return path


def test_a_foreign_file_is_understood(tmp_path):
    problem = read_pomdp(written(tmp_path, FOREIGN))
    assert problem.action_names == ("go", "wait")
    assert problem.state_names == ("here", "there", "gone")
    assert problem.terminal.tolist() == [False, False, True]
    np.testing.assert_allclose(problem.transitions[0].toarray()[0], [0, 0.5, 0.5])
    np.testing.assert_allclose(problem.transitions[1].toarray(), np.eye(3))
    np.testing.assert_allclose(problem.costs, [[2.0, 0.5], [1.0, 0.5], [0, 0]])
    assert problem.sensing_cost == pytest.approx(0.2)
    np.testing.assert_allclose(problem.start, [0.25, 0.75, 0])
    assert problem.discount == 0.9


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("start: uniform", [1 / 3, 1 / 3, 1 / 3]),
        ("start: there", [0, 1, 0]),
        ("start: 0", [1, 0, 0]),
        ("start include: here there", [0.5, 0.5, 0]),
        ("start exclude: gone", [0.5, 0.5, 0]),
    ],
)
def test_every_form_of_start(tmp_path, start, expected):
    text = FOREIGN.replace("start: 0.25 0.75 0.0", start)
    np.testing.assert_allclose(read_pomdp(written(tmp_path, text)).start, expected)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("discount: 0.9", "discount: much", "line 3: expected a number but found 'much'"),
        ("T: go : 1 : there 0.5", "T: go : 7 : there 0.5", "unknown state '7'"),
        ("T: go : 1 : there 0.5", "T: 2 : 1 : 9 0.5", "T: 2 : 1 : 9 is outside"),
        ("values: cost", "values: money", "expected reward or cost"),
        ("T: look-wait identity", "T: look-wait uniform", "no looking action moves like"),
        ("O: * : there : t 1.0", "O: * : there : h 1.0", "shows some states apart"),
        ("O: * : there : t 1.0", "O: * : there : t 0.5\nO: * : there : h 0.5", "is random"),
        ("R: look-go : * : * : * 1.2", "R: look-go : * : * : * 0.2", "cannot be negative"),
        ("O: wait : *\n1.0 0.0 0.0 0.0", "", "1 actions stay blind and 3 look"),
        ("observations: none h t g", "", "stands before observations"),
        (
            "T: go : there : gone 0.5",
            "T: go : there : gone 0.4",
            "action go from state there sum to 0.9",
        ),
    ],
)
def test_mistakes_are_named(tmp_path, old, new, message):
    assert old in FOREIGN
    with pytest.raises(ModelError, match=message):
        read_pomdp(written(tmp_path, FOREIGN.replace(old, new)))


def test_no_file_and_no_text(tmp_path):
    with pytest.raises(ModelError, match="no such file"):
        read_pomdp(tmp_path / "absent.pomdp")
    (tmp_path / "b.pomdp").write_bytes(b"\xff\xfe\x00\xd8")
    with pytest.raises(ModelError, match="not a text file"):
        read_pomdp(tmp_path / "b.pomdp")
    with pytest.raises(ModelError, match="not a POMDP"):
        read_pomdp(written(tmp_path, "discount: 0.5\n"))
