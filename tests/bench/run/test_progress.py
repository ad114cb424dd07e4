"""Progress lines: what is done, in words, and the time left."""

import io

from bench.run.progress import Progress, describe, duration
from bench.store import status
from bench.store.result import Result
from bench.suites.cell import Cell


def cell(i, **more):
    fixed = dict(
        suite="s", problem="frozen-lake-4x4", sensing_cost="0.01", solver="spi", label="spi"
    )
    rest = dict(options={}, seed=i, budget=10.0, threads=1, memory_mb=100, key=str(i))
    return Cell(**{**fixed, **rest, **more})


def done(c, **more):
    return Result(**{**c.columns(), "status": status.OK, **more})


def test_lines_tell_what_is_done_and_the_time_left_learns():
    stream = io.StringIO()
    progress = Progress(jobs=2, stream=stream)
    cells = [cell(i) for i in range(4)]
    progress.begin(cells, [], "4 cells")
    for c in cells[:2]:
        progress.started(c)
        progress.finished(c, done(c, value=-0.02099, solve_seconds=0.2, wall_seconds=8.0))
    _, first, second = stream.getvalue().splitlines()
    assert first == (
        "[1/4] spi / frozen-lake-4x4, k = 0.01: reward ×1000 20.99 in 0.2 s, about 12 s left"
    )
    assert second.endswith("about 8 s left")  # two cells of 8 s, two at once


def test_time_of_an_earlier_run_is_remembered():
    stream = io.StringIO()
    progress = Progress(jobs=1, stream=stream)
    earlier = [done(cell(2), wall_seconds=3.0)]
    progress.begin([cell(1), cell(2)], earlier, "2 cells")
    progress.finished(cell(1), done(cell(1), status=status.TIMEOUT, reason="timeout 10 s"))
    assert stream.getvalue() == (
        "2 cells\n[1/2] spi / frozen-lake-4x4, k = 0.01: timeout 10 s, about 3 s left\n"
    )


def test_bounds_and_costs_are_named_as_such():
    bound = done(cell(1), lower=-0.05, solve_seconds=1.0)
    assert describe(cell(1), bound) == "upper bound ×1000 50.00 in 1 s"
    cost = done(cell(1), value=0.35, lower=0.3, solve_seconds=1.0)
    assert describe(cell(1, problem="two-state"), cost) == "cost 0.350000 in 1 s"


def test_durations_are_short():
    assert [duration(s) for s in (40, 600, 9000)] == ["40 s", "10 min", "2.5 h"]
