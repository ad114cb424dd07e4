"""The certificate blocks of a table against the paper's Table 3."""

import pytest

from bench import load_problem
from bench.analysis.published import facts
from bench.analysis.results import Results
from bench.tables.certificate_table import certificate_blocks
from bench.tables.tables import render
from solvers import solve
from tests.bench.made_rows import row, store

PROBLEM, K = "two-state-counterexample", 0.005
DEPTHS = range(7)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    model, made, details = load_problem(PROBLEM, K), [], {}
    for N in DEPTHS:
        found = solve(model, "truncation", depth=N)
        line = row(PROBLEM, K, "truncation", value=found.value, options={"depth": N})
        plans = {
            str(j): {"actions": list(found.policy.plan(j).actions), "senses": True} for j in (0, 1)
        }
        made.append(line)
        details[line.key] = {"values": found.values.tolist(), "plans": plans, "info": found.info}
    return store(tmp_path_factory.mktemp("counter"), *reversed(made), details=details)


def test_values_and_plans_are_the_papers(results):
    (block,) = certificate_blocks(Results.load("made", results))
    assert [name for name, _ in block.lines] == [str(N) for N in DEPTHS]
    checked = 0
    for fact in facts():
        if fact.problem != PROBLEM or not fact.quantity.startswith("truncation N="):
            continue
        N, root = (int(word.strip("N=")) for word in fact.quantity.split()[1::2])
        entries = dict(zip(block.header[1:], block.lines[N][1], strict=True))
        assert float(entries[f"V({root})"].text) == pytest.approx(float(fact.text), abs=1e-6)
        assert f"plan {entries[f'plan {root}'].text}" == fact.note
        checked += 1
    assert checked == 2 * len(DEPTHS)


def test_criteria_name_the_roots(results):
    (block,) = certificate_blocks(Results.load("made", results))
    column = block.header.index("Thm 4.4") - 1
    assert [entries[column].text for _, entries in block.lines] == ["none"] * 2 + ["0"] * 5


def test_every_format_has_the_block(results):
    for fmt in ("terminal", "markdown", "latex"):
        assert "Certificates of Two states, counterexample" in render(
            Results.load("made", results), fmt
        )


def test_one_depth_makes_no_block(tmp_path):
    line = row(PROBLEM, K, "truncation", value=1.0, options={"depth": 1})
    store(tmp_path, line, details={line.key: {"values": [1.0, 1.0], "info": {"epsilon": 0.1}}})
    assert certificate_blocks(Results.load("made", tmp_path)) == []
