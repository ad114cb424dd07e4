"""Suites: the built-in ones are right, and a mistake is told with file, key and what to write."""

import pytest

from bench.cli import main
from bench.suites.suite import SuiteError, load_suite, suite_names

GOOD = """
budget = 5
[[problem]]
id = "two-state"
[[solver]]
id = "spi"
"""


def write(folder, text):
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", suite_names())
def test_built_in_suites_are_right(name):
    cells = load_suite(name).cells()
    identities = [cell.identity for cell in cells]
    assert len(set(identities)) == len(identities) > 0
    assert load_suite(name).title and load_suite(name).description


def test_table1_has_five_problems_at_four_costs():
    cells = [c for c in load_suite("table1").cells() if not c.solver.startswith("julia-")]
    assert len({(c.problem, c.sensing_cost) for c in cells}) == 20
    for solver in ("always-sense", "atm", "spi", "dips", "delayed-information", "fib"):
        assert sum(c.solver == solver and c.label == solver for c in cells) == 20


def test_costs_default_to_the_problems_own_and_grids_are_logarithmic(tmp_path):
    assert [c.sensing_cost for c in load_suite(write(tmp_path, GOOD)).cells()] == ["0.25", "0.01"]
    grid = 'id = "two-state"\nsensing_costs = { from = 0.01, to = 1, count = 5 }'
    suite = load_suite(write(tmp_path, GOOD.replace('id = "two-state"', grid)))
    assert [c.sensing_cost for c in suite.cells()] == ["0.01", "0.0316", "0.1", "0.316", "1"]


def test_each_makes_one_entry_per_combination(tmp_path):
    more = 'each = { max_steps = [5, 9], init = ["blind", "best"] }\nlabel = "{init} {max_steps}"'
    suite = load_suite(write(tmp_path, GOOD + more))
    assert [s.label for s in suite.solvers] == ["blind 5", "best 5", "blind 9", "best 9"]


def test_a_label_may_name_an_option_left_at_its_default(tmp_path):
    suite = load_suite(write(tmp_path, GOOD + 'label = "SPI from {init}, {max_steps}"'))
    assert suite.solvers[0].label == "SPI from always-sense, 500"


def test_a_mistake_that_variants_share_is_told_once(tmp_path):
    text = GOOD + 'each = { max_steps = [5, 6, 7] }\nlabel = "SPI {max_steps.x}"'
    with pytest.raises(SuiteError) as told:
        load_suite(write(tmp_path, text))
    assert "solver[1].label" in str(told.value) and str(told.value).count("\n") == 0


def test_a_cost_per_action_is_a_cell_too(tmp_path):
    text = GOOD.replace('id = "two-state"', 'id = "two-state"\nsensing_costs = [[0.1, 0.3]]')
    (cell,) = load_suite(write(tmp_path, text)).cells()
    assert cell.sensing_cost == "[0.1, 0.3]"


COSTS = "sensing_costs"
MISTAKES = [
    ("budget = 5", 'budget = "long"', "budget: expected a number of seconds above 0, found 'long'"),
    ("budget = 5", "budget = -1", "budget: expected a number of seconds above 0, found -1"),
    ("budget = 5", "bugdet = 5", "bugdet: unknown key; expected one of: budget"),
    ("budget = 5", "seeds = 3", "seeds: expected a list of whole numbers, found 3"),
    ("budget = 5", "threads = 0", "threads: expected a whole number above 0, found 0"),
    ("budget = 5", 'files = ["no.py"]', "no such solver file"),
    ("budget = 5", "budget = ", "not valid TOML"),
    ('"two-state"', '"two-stat"', "problem[1].id: unknown problem 'two-stat'; the problems are:"),
    ('id = "two-state"', 'name = "x"', "problem[1].id: expected the id of a problem, found None"),
    ('"two-state"', '"two-state"\nsensing_costs = 1', "problem[1].sensing_costs: expected a list"),
    ('"two-state"', '"two-state"\nsensing_costs = [-1]', "sensing_costs[1]: expected a number"),
    ('"two-state"', '"two-state"\nsensing_costs = [[1, 2, 3]]', "problem[1].sensing_costs[1]:"),
    ('"spi"', '"spy"', "solver[1].id: unknown solver 'spy'; the solvers are:"),
    ('"spi"', '"spi"\noptions = { dept = 3 }', "options.dept: spi has no such option; its options"),
    ('"spi"', '"spi"\noptions = { max_steps = 2.5 }', "expected a whole number, found 2.5"),
    ('"spi"', '"spi"\noptions = { max_steps = true }', "expected a whole number, found True"),
    ('"spi"', '"spi"\noptions = { init = "worst" }', "solver[1].options: spi: init is 'worst'"),
    ('"spi"', '"spi"\noptions = { seed = 3 }', "give seeds at the top of the file"),
    ('"spi"', '"spi"\nonly_problems = ["taxi"]', "ids of problems of this suite"),
    ('"spi"', '"spi"\nlabel = "{depth}"', "in which {…} names an option"),
    ('"spi"', '"spi"\nlabel = "{init.x}"', "in which {…} names an option"),
    ('"spi"', '"spi"\nlabel = "{init[0]}"', "in which {…} names an option"),
    ('"spi"', '"spi"\nlabel = "{"', "in which {…} names an option"),
    ('"spi"', '"spi"\nlabel = ""', "solver[1].label: expected a text, found ''"),
    (
        '"spi"',
        '"spi"\nlabel = "{delta!r:>1000000000}"',
        "label: a label takes no format; write {delta}",
    ),
    (
        '"spi"',
        '"spi"\nlabel = "{init:{max_steps}}"',
        "label: a label takes no format; write {init}",
    ),
    ('"spi"', f'"spi"\nlabel = "{"x" * 201}"', "label: expected at most 200 characters, found 201"),
    ("budget = 5", "title = 3", "title: expected a text, found 3"),
    ("budget = 5", "budget = inf", "budget: expected a number of seconds above 0, found inf"),
    (
        '"two-state"',
        '"two-state"\nsensing_costs = { from = 1, to = 0, count = 3 }',
        "expected { from",
    ),
    (
        '"two-state"',
        '"two-state"\nsensing_costs = { from = 1, count = 3 }',
        "costs.to: expected { from",
    ),
    ("[[solver]]\nid", "[solver]\nid", "solver: expected at least one [[solver]]"),
]


@pytest.mark.parametrize(("old", "new", "told"), MISTAKES)
def test_a_mistake_is_told_with_file_and_key_before_anything_runs(tmp_path, capsys, old, new, told):
    path = write(tmp_path, GOOD.replace(old, new))
    assert main(["run", path, "--results", str(tmp_path / "out")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert any(told in line for line in lines), lines
    assert all(line.startswith(f"sensebench: {path}: ") for line in lines)
    assert not (tmp_path / "out").exists()


def test_all_mistakes_are_told_at_once(tmp_path):
    text = GOOD.replace("budget = 5", "budget = 0").replace('"spi"', '"spy"')
    with pytest.raises(SuiteError) as told:
        load_suite(write(tmp_path, text))
    assert len(str(told.value).splitlines()) == 2


def test_unknown_suites_and_borrowed_names_are_refused(tmp_path):
    with pytest.raises(SuiteError, match=r"unknown suite .tabel1.; the suites are: .*table1"):
        load_suite("tabel1")
    with pytest.raises(SuiteError, match="no such suite file"):
        load_suite(str(tmp_path / "none.toml"))
    (tmp_path / "table1.toml").write_text(GOOD)
    with pytest.raises(SuiteError, match="is the name of a built-in suite"):
        load_suite(str(tmp_path / "table1.toml"))
