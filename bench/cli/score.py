"""``sensebench score``: what a policy file is worth, exactly, and how far from optimal it may be.

The problem is the one the file names, or ``--problem``; a policy of another model is refused, so a
folder of policy files is a leaderboard on which nobody can claim anything.  The bound is the best
one known: the largest recorded in the results at hand, or one made here in a few seconds.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.analysis.labels import percent
from bench.analysis.recorded import recorded
from bench.cli.arguments import add_results, seconds
from bench.problems import Problem, find_problem
from solvers import PolicyError, SensingMDP, evaluate_fully, load_policy, solve
from solvers.core.policy_file import about_policy

BOUNDING = "dips"
BOUND_SECONDS = 10.0
CLOSE = 1e-6
"""A recorded bound this close, as a share of the value, needs no other."""
CROSSING = 1e-9
"""How far a number may lie above another, as a share of it, and still be rounding."""


@dataclass(frozen=True)
class Score:
    """One policy file judged; costs under the problem's start.

    gap : proven distance from optimal as a share of |value|
    """

    file: str
    problem: str
    sensing_cost: float | None
    solver: str
    value: float
    shown: str
    lower: float
    gap: float
    bound_by: str
    sensing_rate: float


def add(commands: Any) -> None:
    """Add this command to the parser."""
    score = commands.add_parser("score", help="exact value and proven gap of a policy file")
    score.add_argument("path", type=Path, metavar="FILE|FOLDER", help="a policy, or many")
    score.add_argument("--problem", help="whose policy it is; default: what the file says")
    score.add_argument("-k", "--sensing-cost", type=float, help="default: what the file says")
    score.add_argument(
        "--bound-seconds",
        type=seconds,
        default=BOUND_SECONDS,
        help=f"time for a lower bound of our own (default: {BOUND_SECONDS:g})",
    )
    add_results(score)
    score.add_argument("--json", action="store_true", help="print JSON")
    score.set_defaults(call=score_policies)


def score_policies(args: argparse.Namespace) -> int:
    """Print the score of a file, or the leaderboard of a folder."""
    folder = args.path.is_dir()
    files = sorted(args.path.glob("**/*.npz")) if folder else [args.path]
    if not files:
        raise PolicyError(f"{args.path} holds no policy file (.npz)")
    scores, refused = [], []
    for file in files:
        try:
            scores.append(_score(file, args))
        except ValueError as error:
            if not folder:
                raise
            refused.append(str(error))
    if args.json:
        answer = [asdict(score) for score in scores]
        print(json.dumps({"scores": answer, "refused": refused} if folder else answer[0], indent=2))
    elif folder:
        _print_board(scores, refused)
    else:
        _print_one(scores[0])
    return 1 if refused else 0


def _score(file: Path, args: argparse.Namespace) -> Score:
    about = about_policy(file)
    name = args.problem or about.get("problem")
    if not isinstance(name, str):
        raise PolicyError(f"{file} does not say whose policy it is; use --problem and -k")
    k = args.sensing_cost if args.sensing_cost is not None else about.get("sensing_cost")
    if k is not None and not (isinstance(k, int | float) and math.isfinite(k) and k >= 0):
        raise PolicyError(f"{file}: the sensing cost is {k!r:.60}; use -k with a number")
    try:
        facts, problem = _problem(name, None if k is None else float(k))
    except ValueError as error:
        raise PolicyError(f"{file}: {error}; use --problem") from None
    policy = load_policy(file, problem)
    found = evaluate_fully(problem, policy)
    value = float(problem.start @ found.values)
    lower, source = _best_bound(name, k, value, args.bound_seconds, args.results)
    if lower > value + CROSSING * (1 + abs(value)):
        raise PolicyError(
            f"{file}: its value {value:.10g} is below the bound {lower:.10g} by {source}; one of "
            "the two is wrong, please report it"
        )
    distance = max(0.0, value - lower)
    return Score(
        file=str(file),
        problem=name,
        sensing_cost=k,
        solver=str(about.get("solver", "")),
        value=value,
        shown=f"{facts.shown(value):.{facts.digits}f}",
        lower=lower,
        gap=distance / abs(value) if value else (0.0 if distance == 0 else math.inf),
        bound_by=source,
        sensing_rate=found.sensing_rate(problem.start),
    )


@cache
def _problem(name: str, k: float | None) -> tuple[Problem, SensingMDP]:
    facts = find_problem(name)
    return facts, facts.build(facts.sensing_costs[0] if k is None else k)


@cache
def _made_bound(name: str, k: float | None, limit: float) -> float:
    return solve(_problem(name, k)[1], BOUNDING, budget=limit).lower


def _best_bound(
    name: str, k: float | None, value: float, limit: float, results: Path
) -> tuple[float, str]:
    """The largest lower bound known on the optimal cost, and who proved it.

    One is made here unless a recorded one is close to the value already.
    """
    best, source = -math.inf, ""
    for folder, row in recorded(results, name, k) if k is not None else ():
        if row.lower is not None and row.lower > best:
            best, source = row.lower, f"{row.solver}, in {folder}"
    if value - best > CLOSE * abs(value):
        made = _made_bound(name, k, limit)
        if made >= best - CROSSING * (1 + abs(made)):
            return made, f"{BOUNDING}, here"
    return best, source


def _print_one(score: Score) -> None:
    facts = find_problem(score.problem)
    word, least = ("reward", "at most") if facts.rewards else ("cost", "at least")
    scale = f" ×{facts.scale:g}" if facts.scale != 1 else ""
    k = "" if score.sensing_cost is None else f", k = {score.sensing_cost:g}"
    lines = (
        ("policy", f"{score.file}{f' (by {score.solver})' if score.solver else ''}"),
        ("problem", f"{facts.title}{k}"),
        (word + scale, f"{score.shown} (exact)"),
        (f"optimum {least}", f"{facts.shown(score.lower):.{facts.digits}f} (by {score.bound_by})"),
        ("gap", f"within {percent(score.gap)} of optimal (proven)"),
        ("sensing rate", f"{score.sensing_rate:.4f} of discounted steps"),
    )
    for name, text in lines:
        print(f"{name:18}{text}")


def _print_board(scores: list[Score], refused: list[str]) -> None:
    games: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        k = "" if score.sensing_cost is None else f", k = {score.sensing_cost:g}"
        games.setdefault((score.problem, k), []).append(score)
    for (name, k), listed in games.items():
        facts = find_problem(name)
        word = "reward" if facts.rewards else "cost"
        scale = f" ×{facts.scale:g}" if facts.scale != 1 else ""
        print(f"{facts.title}{k}; {word}{scale}; bound by {listed[0].bound_by}")
        width = max(len(Path(score.file).name) for score in listed)
        for rank, score in enumerate(sorted(listed, key=lambda s: (s.value, s.file)), 1):
            print(
                f"  {rank:3}  {Path(score.file).name:{width}}  {score.shown:>14}  "
                f"within {percent(score.gap)}  {score.solver}".rstrip()
            )
    for text in refused:
        print(f"refused: {text}")
