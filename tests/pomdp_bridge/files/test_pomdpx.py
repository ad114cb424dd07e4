"""The XML is read back with the standard library and compared with the exported arrays."""

from xml.etree import ElementTree

import numpy as np
import pytest

from bench import load_problem
from pomdp_bridge.export import flatten
from pomdp_bridge.files.pomdpx import write_pomdpx
from tests.pomdp_bridge.random_problems import random_problem


def table(root, section, sizes):
    """A TBL parameter as a dense array; the names of values end in their number, * is all."""
    array = np.zeros(sizes)
    for entry in root.find(section).iter("Entry"):
        place = tuple(
            slice(None) if part == "*" else int(part[1:])
            for part in entry.findtext("Instance").split()
        )
        value = entry.find("ProbTable")
        value = entry.find("ValueTable") if value is None else value
        array[place] = float(value.text)
    return array


@pytest.mark.parametrize("make", [lambda: random_problem(2), lambda: load_problem("inventory")])
def test_the_file_holds_the_exported_pomdp(tmp_path, make):
    problem = make()
    pomdp = flatten(problem)
    write_pomdpx(problem, tmp_path / "p.pomdpx")
    root = ElementTree.parse(tmp_path / "p.pomdpx").getroot()
    S, A = pomdp.num_states, pomdp.num_actions
    sizes = {v.tag: int(v.findtext("NumValues")) for v in root.find("Variable") if len(v)}
    assert sizes == {"StateVar": S, "ObsVar": S + 1, "ActionVar": A}
    assert float(root.findtext("Discount")) == problem.discount
    start = table(root, "InitialStateBelief", (S,))
    T = table(root, "StateTransitionFunction", (A, S, S))
    shown = table(root, "ObsFunction", (A, S, S + 1))
    R = table(root, "RewardFunction", (A, S))
    np.testing.assert_array_equal(start, pomdp.start)
    np.testing.assert_array_equal(T, [pomdp.transition(a).toarray() for a in range(A)])
    np.testing.assert_array_equal(shown, [pomdp.observation(a).toarray() for a in range(A)])
    np.testing.assert_array_equal(R, pomdp.rewards.T)
