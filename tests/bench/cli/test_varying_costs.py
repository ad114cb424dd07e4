"""Sensing costs that vary, from the run to the page; and a suite by name or by path."""

import numpy as np
import pytest

from bench.cli import main
from bench.conformance.cases import uneven
from bench.store.store import Store
from pomdp_bridge.files.formats import write

SUITE = """
title = "Costs that vary"
budget = 5
[[problem]]
id = "{file}"
[[problem]]
id = "two-state"
sensing_costs = [[0.1, 0.2], [[0.1, 0.2], [0.3, 0.4]]]
[[solver]]
id = "truncation"
label = "truncation N={{depth}}"
each = {{ depth = [0, 1, 2] }}
[[solver]]
id = "atm"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A finished suite: a file with a cost of its own that varies, and costs per action."""
    folder = tmp_path_factory.mktemp("varying")
    write(uneven(), folder / "uneven.npz")
    suite = folder / "varying.toml"
    suite.write_text(SUITE.format(file=folder / "uneven.npz"))
    results = folder / "results"
    assert main(["run", str(suite), "--results", str(results), "--jobs", "2", "-q"]) == 0
    return suite, results


def test_every_cell_has_its_value(made):
    _, results = made
    rows = Store(results, "varying").read()
    assert len(rows) == 12 and all(row.ok and np.isfinite(row.value) for row in rows)
    assert {row.sensing_cost for row in rows} == {
        "own",
        "[0.1, 0.2]",
        "[[0.1, 0.2], [0.3, 0.4]]",
    }


@pytest.mark.parametrize("command", ["table", "plot", "report"])
def test_costs_that_vary_are_tabled_drawn_and_reported(made, command, capsys):
    suite, results = made
    assert main([command, str(suite), "--results", str(results)]) == 0
    captured = capsys.readouterr()
    assert captured.out and "Traceback" not in captured.err
    if command == "plot":
        assert any("depth-two-state" in line for line in captured.out.splitlines())
    if command == "table":
        assert "Certificates of" in captured.out


def test_a_table_by_name_is_the_table_by_path(made, capsys):
    suite, results = made
    texts = []
    for given in (str(suite), "varying"):
        assert main(["table", given, "--results", str(results)]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    suite.write_text(suite.read_text().replace('id = "atm"', 'id = "qmdp"'))
    assert main(["table", "varying", "--results", str(results)]) == 0
    assert "ATM" in texts[0] and "ATM" not in capsys.readouterr().out


def test_deleted_details_are_noticed_and_offered(made, capsys):
    suite, results = made
    suite.write_text(suite.read_text().replace('id = "qmdp"', 'id = "atm"'))
    gone = next((results / "varying" / "cells").glob("*.json"))
    gone.unlink()
    arguments = ["run", str(suite), "--results", str(results), "--jobs", "1"]
    assert main(arguments) == 0
    told = capsys.readouterr().err
    assert "the details file is missing, for example cells/" in told and "--rerun damaged" in told
    for command in ("table", "plot", "report"):
        assert main([command, str(suite), "--results", str(results)]) == 0
        told = capsys.readouterr().err
        assert f"1 of the rows in {results}" in told and "--rerun damaged" in told
    assert main([*arguments, "--rerun", "damaged"]) == 0
    assert "[1/1]" in capsys.readouterr().err and gone.exists()
