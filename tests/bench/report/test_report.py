"""The report as a file: what is in it, what cannot be, and that its numbers are the frame's."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from bench.analysis.results import Results
from bench.problems import find_problem
from bench.report import policy_data
from bench.report.page_file import bundle, embedded, page_file
from bench.report.policy_data import PolicyData
from bench.report.report import _columns, write_report
from bench.store.store import StoreError
from solvers import solve
from tests.bench import page_results


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bench.problems.registry.problems", page_results.with_nasty_problem())
        page_results.write_results(folder)
        yield folder


@pytest.fixture(scope="module")
def page(results):
    return write_report(Results.load(page_results.SUITE, results)).read_text(encoding="utf-8")


def data(page, name):
    return json.loads(re.search(rf'id="{name}-data">(.*?)</script>', page, re.DOTALL)[1])


def test_cells_carry_the_numbers_of_the_frame(page, results):
    frame = Results.load(page_results.SUITE, results).frame.set_index("key")
    cells = {cell["key"]: cell for cell in data(page, "suite")["cells"]}
    assert cells.keys() == set(frame.index)
    for key, cell in cells.items():
        shown = frame.loc[key, "shown"]
        assert cell["value"] == (None if np.isnan(shown) else pytest.approx(shown, rel=1e-9))
        assert cell["published"].replace("\u2212", "-") == frame.loc[key, "published_text"]
        assert cell["best"] == frame.loc[key, "best"]


def test_a_bound_in_printed_units_is_on_the_right_side_of_every_value(page):
    """On the lakes a bound on the cost from below is a bound on the printed reward from above."""
    cells = [c for c in data(page, "suite")["cells"] if c["problem"] == "frozen-lake-4x4"]
    for k in (0.005, 0.01):
        here = [c for c in cells if c["k"] == k]
        proven = [c["bounds"][1] for c in here if c["bounds"][1] is not None]
        values = [c["value"] for c in here if c["value"] is not None]
        assert proven and max(values) <= min(proven) + 1e-6
        assert here[0]["bestBound"] == pytest.approx(min(proven))


def test_a_failure_and_a_bound_without_policy_are_cells_too(page):
    cells = {cell["key"]: cell for cell in data(page, "suite")["cells"]}
    failed = next(cell for cell in cells.values() if cell["status"] == "timeout")
    assert failed["reason"] == "timeout 20 s <b>hard</b>" and not failed["explorable"]
    bound = cells[page_results.key_of("frozen-lake-4x4", 0.01, "delayed-information")]
    assert bound["value"] is None and bound["bounds"][1] > 0 and not bound["explorable"]


def test_no_name_can_leave_the_data(page):
    """Our own scripts are the only ones, whatever names and figures say."""
    assert page.count("</script>") == page.count("<script") == 3
    assert "alert(1)" in page and "<script>alert" not in page
    assert "onerror" in page and "<img src=x" not in page
    states = data(page, "policy")["problems"][page_results.NASTY]["states"]
    assert states == [f"</script>{page_results.NASTY}", "{{script}}"]


def test_page_refers_to_nothing_outside(page):
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert "default-src 'none'" in page
    assert not re.search(r"^(import|export) ", bundle("main"), re.MULTILINE)


def test_title_is_escaped_and_placeholders_in_data_stay():
    page = page_file("<b>&", {"words": "{{style}} </script>"}, {})
    assert "<title>&lt;b&gt;&amp;</title>" in page
    assert data(page, "suite") == {"words": "{{style}} </script>"}
    assert "<" not in embedded({"a<b": "<!--"})


def test_plans_of_every_root_travel_with_a_small_model(page):
    model = find_problem("frozen-lake-4x4").build(0.01)
    spi = solve(model, "spi")
    policies = data(page, "policy")
    stored = policies["policies"][page_results.key_of("frozen-lake-4x4", 0.01, "spi")]
    assert set(map(int, stored["plans"])) == set(np.flatnonzero(~model.terminal))
    for root, at in stored["plans"].items():
        actions, senses = expand(policies["plans"][at])
        plan = spi.policy.plan(int(root))
        assert actions == plan.actions[: len(actions)] and senses == plan.senses
        assert stored["values"][root] == pytest.approx(spi.values[int(root)], rel=1e-4, abs=1e-9)


def expand(short):
    """A plan's short form, read independently of the page: ``0x3,2!``."""
    runs = [run.split("x") for run in short.rstrip("!").rstrip("~").split(",")]
    actions = [int(a) for a, *n in runs for _ in range(int(n[0]) if n else 1)]
    return tuple(actions), short.endswith("!")


def test_stored_beliefs_of_a_large_model_are_the_models_own(monkeypatch):
    monkeypatch.setattr(policy_data, "MOST_TRANSITIONS", 10)
    problem = find_problem("frozen-lake-4x4")
    model = problem.build(0.01)
    plan = solve(model, "spi").policy.plan(0)
    assert plan.senses and len(plan.actions) > 2
    collected = PolicyData()
    details = {"plans": {"0": {"actions": list(plan.actions), "senses": True}}}
    assert collected.add("key", problem, "0.01", details)
    content = collected.content()
    frames = content["walks"][content["policies"]["key"]["walks"][0]]
    assert content["problems"]["frozen-lake-4x4"]["transitions"] is None

    belief, cost = np.eye(model.num_states)[0], 0.0
    for t, action in enumerate((*plan.actions, None)):
        pairs, terminal, so_far, paid = frames[t]
        assert terminal == pytest.approx(belief[model.terminal].sum(), abs=1e-5)
        assert so_far == pytest.approx(cost, rel=1e-4)
        stored = dict(zip(pairs[::2], pairs[1::2], strict=True))
        for state, chance in stored.items():
            assert chance == pytest.approx(belief[state], abs=1e-4)
        left_out = np.delete(belief, list(stored))
        assert left_out.max() <= min(stored.values()) + 1e-4  # the likeliest were kept
        if action is not None:
            last = t == len(plan.actions) - 1
            cost += 0.9**t * (belief @ model.costs[:, action] + (0.01 if last else 0))
            belief = belief @ model.transitions[action]
    assert paid == pytest.approx(0.9 ** (len(plan.actions) - 1) * 0.01, rel=1e-4)


def test_sensing_costs_of_every_kind_reach_the_page_by_action():
    problem, plans = find_problem("two-state"), {"plans": {"0": {"actions": [1], "senses": True}}}
    collected = PolicyData()
    for text in ("0.25", "[0.1, 0.2]", "[[1, 2], [3, 4]]"):
        assert collected.add(text, problem, text, plans)
    stored = {text: policy["k"] for text, policy in collected.content()["policies"].items()}
    assert stored == {"0.25": 0.25, "[0.1, 0.2]": [0.1, 0.2], "[[1, 2], [3, 4]]": [[1, 3], [2, 4]]}


def test_plans_of_another_model_are_left_out():
    foreign = {"plans": {"7": {"actions": [0], "senses": True}}}
    assert not PolicyData().add("key", find_problem("two-state"), "0.25", foreign)


def test_variants_share_a_column_only_where_they_never_meet():
    lines = [
        ("spi", {"max_iterations": 2}, "SPI", "taxi"),
        ("spi", {}, "SPI", "lake"),
        ("spi", {"init": "best"}, "SPI (init best)", "lake"),
        ("spi", {"init": "best"}, "SPI (init best)", "icu"),
        ("spi", {"max_steps": 5}, "SPI (max steps 5)", "icu"),
        ("atm", {}, "ATM", "icu"),
    ]
    frame = pd.DataFrame(lines, columns=["solver", "options", "method", "problem"])
    columns = _columns(frame.assign(sensing_cost="1"))
    assert columns["SPI (max steps 5)"] == columns["SPI"] == "SPI"
    assert columns["SPI (init best)"] == "SPI (init best)"
    assert list(dict.fromkeys(columns.values())) == ["SPI", "SPI (init best)", "ATM"]


def test_a_suite_without_rows_is_an_error_that_says_what_to_run(tmp_path):
    with pytest.raises(StoreError, match="sensebench run quick"):
        write_report(Results.load("quick", tmp_path))
