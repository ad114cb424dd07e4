"""The figures of the continuous suites.

value-and-looks-over-cost : every method's value and looking rate over the sensing cost, and how
much worse than SPI it is;
value-over-updates : SPI's value against updates, simulated moves and processor time;
map-PROBLEM : how long SPI goes blind from each state, what it does first, and where the state may
be, step by step, during one blind run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bench.continuous.problems import PROBLEMS, load_continuous
from bench.continuous.suites import Settings
from bench.continuous.table import TITLES, grid_values, load, load_cells, summary
from bench.plots.style import (
    Style,
    add_legend,
    line_handle,
    log_costs,
    panels,
    point_handle,
    save,
    styled,
)
from solvers.continuous import ContinuousPolicy, ContinuousSensingMDP
from solvers.continuous.spi_continuous import policy_from_json

SPI = "spi-continuous"
STYLES = {
    "spi-continuous": Style("#0072B2", "o", "-", "full"),
    "network": Style("#0072B2", "o", "--", "none"),
    "always-look": Style("#999999", "s", "-", "full"),
    "never-look": Style("#999999", "v", ":", "none"),
    "every-n": Style("#E69F00", "^", "-", "full"),
    "atm": Style("#009E73", "D", "-", "full"),
    "grid": Style("#000000", "_", ":", "full"),
}

COLOURS = (
    *("#DDDDDD", "#0072B2", "#E69F00", "#009E73", "#CC79A7"),
    *("#56B4E9", "#D55E00", "#F0E442", "#666666"),
)
"""Of the actions in a map."""


def draw(settings: Settings, results: Path) -> list[Path]:
    """Draw all figures into ``<results>/<suite>/figures``; returns their paths."""
    folder, cells = results / settings.name / "figures", load_cells(settings.name, results)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with styled():
        written += save(over_cost(settings.name, results), folder / "value-and-looks-over-cost")
        written += save(over_updates(cells), folder / "value-over-updates")
        for cell in cells:
            problem = load_continuous(cell["problem"], cell["sensing_cost"])
            if "policy" in cell:
                policy = policy_from_json(problem, cell["policy"])
                draw_map = _line if problem.dimension == 1 else _plane
                written += save(draw_map(problem, policy), folder / f"map-{cell['problem']}")
    return written


def over_cost(suite: str, results: Path) -> Figure:
    """Each method over k: its value, how much worse than SPI that is, and how often it looks."""
    frame = summary(load(suite, results))
    found = [p for p in PROBLEMS if p in set(frame["problem"])]
    figure, axes = panels(3 * len(found), len(found), 1.8, width=1.75 * max(len(found), 3))
    used: dict[str, str] = {}
    for i, problem in enumerate(found):
        here, column = frame[frame["problem"] == problem], axes[i :: len(found)]
        costs = sorted(here["sensing_cost"].unique())
        for method in [m for m in STYLES if m in set(here["method"])]:
            used[method] = TITLES[method]
            _method(column, here, method)
        if here["grid_value"].notna().any():
            used["grid"] = "the finest grid's value"
            _grid(column, here)
        _show_the_close_ones(column[0], here)
        lowest = min(np.min(line.get_ydata()) for line in column[1].lines)
        column[1].set_ylim(lowest - 1.0, min(20.0, column[1].get_ylim()[1]))
        column[0].set_title(problem)
        for ax in column:
            log_costs(ax, costs)
            ax.set_xlabel("sensing cost k" if ax is column[-1] else "")
        labels = ("reward" if load_continuous(problem).scale < 0 else "cost", "", "")
        if i == 0:
            labels = (labels[0], "worse than SPI, %", "looks per 100 steps")
        for ax, label in zip(column, labels, strict=True):
            ax.set_ylabel(label)
    add_legend(figure, [line_handle(STYLES[f], used[f]) for f in STYLES if f in used])
    return figure


def _method(column: list[Axes], here: pd.DataFrame, method: str) -> None:
    """One method in the three panels of a problem; SPI lies above the others."""
    rows, spi = (here[here["method"] == m].set_index("sensing_cost") for m in (method, SPI))
    style = {**STYLES[method].of_line(), "zorder": 5 if method == SPI else 3}
    percent = 100 / spi["value"].abs()
    worse = rows["behind_spi"] * percent
    column[0].errorbar(rows.index, rows["value"], rows["standard_error"], **style)
    column[1].errorbar(rows.index, worse, rows["behind_spi_error"] * percent, **style)
    column[2].plot(rows.index, 100 * rows["sensing_rate"], **style)


def _grid(column: list[Axes], here: pd.DataFrame) -> None:
    """The finest grid's own value in the first two panels of a problem."""
    spi = here[here["method"] == SPI].set_index("sensing_cost")["value"]
    sign = load_continuous(str(here["problem"].iloc[0])).scale
    values = {k: grid_values(block)[:1] for k, block in here.groupby("sensing_cost")}
    known = {k: found[0] for k, found in values.items() if found}
    style = {**STYLES["grid"].of_line(), "zorder": 6}
    column[0].plot(list(known), list(known.values()), **style)
    worse = [100 * sign * (value - spi[k]) / abs(spi[k]) for k, value in known.items()]
    column[1].plot(list(known), worse, **style)


def _show_the_close_ones(ax: Axes, here: pd.DataFrame) -> None:
    """Limits that fit the methods which choose when to look: the others may be far off."""
    close = here[here["method"].isin([SPI, "every-n"])]["value"]
    room = 0.4 * max(close.max() - close.min(), 1e-9)
    low, high = ax.get_ylim()
    ax.set_ylim(max(low, close.min() - room), min(high, close.max() + room))


AGAINST = {
    "number": "update (0: the start)",
    "samples": "moves of the simulator, millions",
    "cpu_seconds": "processor time, s",
}


def over_updates(cells: list[dict[str, Any]]) -> Figure:
    """SPI's value at the middle cost, a line per seed: the updates taken, and those tried."""
    found = [p for p in PROBLEMS if any(c["problem"] == p for c in cells)]
    figure, axes = panels(3 * len(found), 3, 1.5)
    for i, problem in enumerate(found):
        scale, middle = load_continuous(problem).scale, PROBLEMS[problem][1][1]
        here = [c for c in cells if c["problem"] == problem and c["sensing_cost"] == middle]
        for ax, (name, label) in zip(axes[3 * i : 3 * i + 3], AGAINST.items(), strict=True):
            for cell in here:
                _sequence(ax, cell["updates"], name, scale)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
            ax.set_xlabel(label if problem == found[-1] else "")
            ax.set_title(f"{problem}, k = {middle:g}" if name == "number" else "")
        axes[3 * i].set_ylabel("reward" if scale < 0 else "cost")
    kinds = {"a run: the updates it took": "full", "an update tried and not taken": "none"}
    handles = [point_handle(Style("#0072B2", "o", "-", k), name) for name, k in kinds.items()]
    add_legend(figure, handles)
    return figure


def _sequence(ax: Axes, updates: list[dict[str, Any]], name: str, scale: float) -> None:
    """One run: a line through the updates that were taken, an open circle for each other one."""
    unit = 1e6 if name == "samples" else 1.0
    for taken, look in ((True, {"ls": "-", "mfc": "#0072B2"}), (False, {"ls": "", "mfc": "white"})):
        at = [u for u in updates if u["taken"] is taken]
        x, y = [u[name] / unit for u in at], [scale * u["value"] for u in at]
        ax.plot(x, y, marker="o", ms=3, lw=0.8, color="#0072B2", **look)


def _line(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> Figure:
    figure, (left, right) = panels(2, 2, 2.4)
    x = np.linspace(problem.low[0], problem.high[0], 241)[:, None]
    plans = policy.plans(x, np.zeros(len(x), int))
    for a in range(problem.num_actions):
        first = plans.actions[:, 0] == a
        name = problem.action_names[a] if problem.action_names else str(a)
        left.plot(x[first, 0], plans.lengths[first], ".", ms=3, color=COLOURS[a + 1], label=name)
    close = {"columnspacing": 0.8, "handletextpad": 0.1}
    left.legend(title="first action", loc="upper center", ncols=problem.num_actions, **close)
    left.set(xlabel=f"{problem.state_names[0]} seen", ylabel="steps until the next look")
    left.set_ylim(0, 1.5 * plans.lengths.max())
    left.yaxis.set_major_locator(MaxNLocator(integer=True))
    left.set_title(f"{problem.name}, k = {problem.sensing_cost:g}")
    clouds, looked = _blind_run(problem, policy, problem.start(1, np.random.default_rng(1)))
    aside = np.random.default_rng(0).uniform(-0.15, 0.15, len(clouds[0]))
    for t, cloud in enumerate(clouds):
        seen = looked and t == len(clouds) - 1
        right.plot(t + aside, cloud[:, 0], ".", ms=2, color="#D55E00" if seen else "#0072B2")
    right.set_xlabel("steps since the look" + (" (orange: the next look)" if looked else ""))
    right.xaxis.set_major_locator(MaxNLocator(integer=True))
    right.set_ylabel(problem.state_names[0])
    right.set_title("where it may be during one blind run")
    return figure


def _whole_numbers() -> MaxNLocator:
    """At most six ticks at whole numbers; each axis needs a locator of its own."""
    return MaxNLocator(integer=True, nbins=6)


def _plane(problem: ContinuousSensingMDP, policy: ContinuousPolicy) -> Figure:
    figure, (left, middle, right) = panels(3, 3, 2.4)
    axes = [np.linspace(lo, hi, 61) for lo, hi in zip(problem.low, problem.high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    plans, over = policy.plans(points, np.zeros(len(points), int)), problem.ended(points)
    first = np.where(over, np.nan, plans.actions[:, 0]).reshape(61, 61).T
    lengths = np.where(over | ~plans.looks, np.nan, plans.lengths).reshape(61, 61).T
    never = np.where(~over & ~plans.looks, 1.0, np.nan).reshape(61, 61).T
    top = max(2.0, float(np.nanquantile(lengths, 0.98))) if np.isfinite(lengths).any() else 2.0
    flat = {"shading": "nearest", "rasterized": True}
    left.pcolormesh(*axes, never, cmap=ListedColormap(["#BBBBBB"]), **flat)
    shown = left.pcolormesh(*axes, lengths, cmap="viridis", vmin=1, vmax=top, **flat)
    bar_at = {"location": "bottom", "shrink": 0.9}
    figure.colorbar(shown, ax=left, extend="max", ticks=_whole_numbers(), **bar_at)
    grey = " (grey: none)" if np.isfinite(never).any() else ""
    left.set_title(f"{problem.name}, k = {problem.sensing_cost:g}\nsteps until the next look{grey}")
    A = problem.num_actions
    colours = ListedColormap([COLOURS[a % len(COLOURS)] for a in range(A)])
    done = middle.pcolormesh(*axes, first, cmap=colours, vmin=-0.5, vmax=A - 0.5, **flat)
    names = problem.action_names or [str(a) for a in range(A)]
    bar = figure.colorbar(done, ax=middle, ticks=range(A), **bar_at)
    bar.ax.set_xticklabels(names, rotation=0 if A < 5 else 60)
    middle.set_title("first action")
    clouds, looked = _blind_run(problem, policy, problem.start(1, np.random.default_rng(1)))
    steps = np.repeat(np.arange(len(clouds)), len(clouds[0]))
    x, y = np.concatenate(clouds).T
    dots = right.scatter(x, y, c=steps, s=2, cmap="plasma", linewidths=0, rasterized=True)
    figure.colorbar(dots, ax=right, ticks=_whole_numbers(), **bar_at)
    end = "then it looks" if looked else "and never looks"
    right.set_title(f"where it may be after each of\n{len(clouds) - 1} blind steps, {end}")
    for ax in (left, middle, right):
        ax.set(xlabel=problem.state_names[0], ylabel=problem.state_names[1])
        ax.set_xlim(problem.low[0], problem.high[0])
        ax.set_ylim(problem.low[1], problem.high[1])
    return figure


def _blind_run(
    problem: ContinuousSensingMDP, policy: ContinuousPolicy, root: np.ndarray
) -> tuple[list[np.ndarray], bool]:
    """The cloud of the plan from a root, step by step, and whether the plan ends in a look."""
    plan = policy.plans(root, np.zeros(1, int))
    cloud, rng = np.repeat(root, 200, axis=0), np.random.default_rng(0)
    clouds = [cloud]
    for action in plan.actions[0, : plan.lengths[0]]:
        cloud, _ = problem.move(cloud, np.full(len(cloud), action), rng)
        clouds.append(cloud)
    return clouds, bool(plan.looks[0])
