"""Learning suites: what is refused, and one that runs whole."""

import json

import numpy as np
import pytest

from bench.analysis.learned import learned
from bench.cli import main
from bench.learning.curves import Curves, Optimum, published_return, read_curves, read_optima
from bench.learning.figures import TOP, highest
from bench.learning.runner import FAILED, Job, LearningStore, jobs_of, run_job
from bench.learning.suite import (
    LearnerEntry,
    LearningProblem,
    load_learning_suite,
    suite_names,
)

TINY = """
title = "tiny"
seeds = 2
checkpoints = 3
seconds = 900
optimum_seconds = 2

[[problem]]
id = "measuring-value@horizon=none,discount=none"
label = "value"
steps = 300
horizon = 50
max_return = 1.0

[[learner]]
id = "amrl-q"
published = "AMRL"

[[learner]]
id = "learn-then-spi"
options = { draws = 0 }
"""


def written(tmp_path, text: str) -> str:
    path = tmp_path / "tiny.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", suite_names())
def test_the_suites_of_the_project_are_sound(name):
    suite = load_learning_suite(name)
    jobs = jobs_of(suite)
    assert len({job.key for job in jobs}) == len(jobs)
    for problem in suite.problems:
        marks = suite.checkpoints_of(problem)
        assert marks[-1] == problem.steps and marks == sorted(set(marks))
        assert any(entry.takes(problem) for entry in suite.learners)


@pytest.mark.parametrize(
    ("wrong", "right", "said"),
    [
        ("seeds = 2", "seed = 2", "unknown key 'seed'"),
        ('id = "amrl-q"', 'id = "amrl"', "unknown learner 'amrl'"),
        ("draws = 0", "draw = 0", "has no option 'draw'"),
        ("steps = 300", "", "steps"),
        ("steps = 300", "steps = 0", "steps must be"),
        ("checkpoints = 3", "checkpoints = 0", "checkpoints must be above 0"),
        ('id = "measuring-value@', 'id = "value@', "unknown problem 'value"),
        ('id = "learn-then-spi"', 'id = "amrl-q"', "two"),
    ],
)
def test_mistakes_are_named(tmp_path, wrong, right, said):
    text = TINY.replace(wrong, right)
    if said == "two":
        text = text.replace("options = { draws = 0 }", "")
    with pytest.raises(ValueError, match=said):
        load_learning_suite(written(tmp_path, text))


def test_a_suite_runs_resumes_and_is_shown(tmp_path, capsys):
    name = written(tmp_path, TINY)
    results = tmp_path / "results"
    assert main(["learn", "run", name, "--jobs", "2", "--results", str(results)]) == 0
    assert "5 jobs, 0 done before" in capsys.readouterr().err
    assert main(["learn", "run", name, "--results", str(results)]) == 0
    assert "5 jobs, 5 done before" in capsys.readouterr().err
    only = ["learn-*/value", "--results", str(results)]
    assert main(["learn", "run", name, "--only", *only]) == 0
    assert "3 jobs, 3 done before" in capsys.readouterr().err
    assert main(["learn", "run", name, "--only", "spi/*", *only[1:]]) == 2
    assert "no run of this suite; it has amrl-q / value, seed 0" in capsys.readouterr().err
    suite = load_learning_suite(name)
    curves, optimum = read_curves(suite, results), read_optima(suite, results)["value"]
    assert [c.learner.id for c in curves] == ["amrl-q", "learn-then-spi"]
    for c in curves:
        assert c.values.shape == (2, 3) and c.steps[-1] == 300
        assert (c.regrets >= -1e-12).all() and ((c.looks >= 0) & (c.looks <= 1)).all()
    assert optimum.known == pytest.approx(0.8664, abs=1e-4) and optimum.gap >= -1e-12
    assert main(["learn", "table", name, "--results", str(results)]) == 0
    shown = capsys.readouterr().out
    assert "learn-then-spi" in shown and "(0.816)" in shown
    assert main(["learn", "plot", name, "--results", str(results)]) == 0
    assert main(["learn", "report", name, "--results", str(results)]) == 0
    page = (results / "tiny" / "report.html").read_text()
    assert page.count("<svg") == 3 and "<td>learn-then-spi</td>" in page and "(0.816)" in page
    folder = results / "tiny"
    for file in ("table.md", "table.tex", "curves.csv", "figures/regret.png"):
        assert (folder / file).stat().st_size > 0
    lines = (folder / "curves.csv").read_text().splitlines()
    assert len(lines) == 1 + 2 * 2 * 3
    earned = learned(tmp_path, "measuring-value")
    assert earned == []  # only the suite named learning stands beside other tables
    folder.rename(results / "learning")
    earned = learned(results, "measuring-value")
    assert [one.learner for one in earned] == ["amrl-q", "learn-then-spi"]
    for one, c in zip(earned, curves, strict=True):
        assert (one.runs, one.sensing_cost) == (2, 0.05)
        assert one.training_return == pytest.approx(np.mean(c.last_returns), rel=1e-5)
    (results / "learning").rename(folder)
    damaged = next((folder / "runs").glob("*.jsonl"))
    damaged.write_text(damaged.read_text()[:-9])
    capsys.readouterr()
    assert main(["learn", "table", name, "--results", str(results)]) == 2
    told = capsys.readouterr().err
    assert f"{damaged} is damaged" in told and len(told.splitlines()) == 1


def test_limits_are_hard_and_the_reason_is_kept(tmp_path):
    suite = load_learning_suite(written(tmp_path, TINY.replace("steps = 300", "steps = 9999999")))
    job = next(job for job in jobs_of(suite) if job.kind == "run")
    slow = run_job(Job(job.kind, job.title, job.spec, 3.0, 4096, job.key))
    assert slow[-1] == {FAILED: "timeout: still running after 3 s"}
    fat = run_job(Job(job.kind, job.title, job.spec, 900.0, 20, job.key))
    assert fat[-1] == {FAILED: "out of memory: more than 20 MiB"}
    broken = run_job(Job(job.kind, job.title, {**job.spec, "learner": "?"}, 900.0, 4096, job.key))
    assert "unknown learner '?'" in broken[-1][FAILED]
    store = LearningStore(tmp_path, "tiny")
    store.write(job, slow)
    assert store.read(job) == json.loads(json.dumps(slow))
    by_other_code = Job(job.kind, job.title, job.spec, 3.0, 4096, "0123456789abcdef")
    assert store.read(by_other_code) is None
    assert store.shown(by_other_code) == store.read(job)


def test_steps_to_counts_from_where_it_stays():
    entry = LearnerEntry("amrl-q", published="AMRL")
    problem = LearningProblem("measuring-value@horizon=none", 30, sensing_cost=0.05)
    regrets = np.array([[0.05, 0.5, 0.05], [0.5, 0.01, 0.01], [0.5, 0.5, 0.5]])
    blank = np.zeros((3, 3))
    curves = Curves(
        problem,
        entry,
        steps=np.array([10.0, 20.0, 30.0]),
        values=1 - regrets,
        regrets=regrets,
        looks=blank,
        returns=blank,
        last_returns=blank[0],
        seconds=blank[0],
        megabytes=blank[0],
        failures=(),
    )
    assert curves.steps_to(0.1, 1.0).tolist() == [30, 20, np.inf]
    assert published_return(problem, entry) == 0.816


def test_no_line_of_the_regret_figure_is_cut_off():
    problem = LearningProblem("measuring-value@horizon=none", 30, sensing_cost=0.05)
    regrets = np.array([[9.0, 40.0], [9.0, 60.0], [9.0, 5.0]])
    nothing = np.zeros((3, 2))
    far = Curves(
        *(problem, LearnerEntry("amrl-q"), np.array([1.0, 2.0]), nothing, regrets, nothing),
        *(nothing, np.zeros(3), np.zeros(3), np.zeros(3), ()),
    )
    assert highest([far], Optimum(best=-2.0, known=-2.0)) > 40.0 / 2
    assert highest([far], Optimum(best=100.0, known=100.0)) == TOP == highest([], Optimum(1, 1))
