"""``sensebench verify``: does a proof file hold?  And the writing of one, for ``solve --proof``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bench.cli.arguments import seconds
from solvers import SensingMDP, Solution, verify, write_proof
from solvers.bounds.proof_file import load

LIMIT = 120.0
"""CPU seconds that checking a proof may take."""


def add(commands: Any) -> None:
    """Add this command to the parser."""
    command = commands.add_parser("verify", help="check a proof file with independent code")
    command.add_argument("file", type=Path, help="as `sensebench solve … --proof FILE` writes it")
    command.add_argument(
        "--limit", type=seconds, default=5 * LIMIT, help="CPU seconds (default: %(default)g)"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(call=verify_file)


def verify_file(args: argparse.Namespace) -> int:
    """Print the verdict; exit code 0 only if the proof holds, 1 if it does not."""
    try:  # a file that is not there is no false proof
        open(args.file, "rb").close()
    except OSError as error:
        raise ValueError(f"{args.file} cannot be read: {error.strerror}") from None
    verdict = verify(args.file, args.limit)
    if args.json:
        bounds = (verdict.lower, verdict.upper) if verdict.ok else (None, None)
        answer = {"ok": verdict.ok, "lower": bounds[0], "upper": bounds[1]}
        print(json.dumps({**answer, "reason": verdict.reason}))
    elif verdict.ok:
        print(f"{'problem':18}{_about(args.file)}")
        print(f"{'proven':18}{verdict.lower:.10g} <= optimal cost <= {verdict.upper:.10g}")
        print(f"{'checked':18}{verdict.reason}")
    else:
        print(f"refused: {verdict.reason}")
    return 0 if verdict.ok else 1


def _about(path: Path) -> str:
    """The problem that a file is about, in words."""
    stored = load(path)
    (S, A), k = stored["costs"].shape, stored["sensing_cost"]
    name = json.loads(stored["names"].tobytes().decode()).get("name", "unnamed")
    cost = f"k = {float(k):g}" if k.ndim == 0 else f"k from {k.min():g} to {k.max():g}"
    return f"{name}: {S} states, {A} actions, discount {float(stored['discount']):g}, {cost}"


def write_and_report(path: Path, problem: SensingMDP, solution: Solution) -> str:
    """Write the proof of a solution's bounds and check it; in words, what was proven."""
    verdict = write_proof(path, problem, solution, LIMIT)
    if not verdict.ok:
        raise ValueError(f"--proof {path}: the proof was refused: {verdict.reason}")
    megabytes = path.stat().st_size / 1e6
    return (
        f"proof of {verdict.lower:.10g} <= optimal cost <= {verdict.upper:.10g} written to {path} "
        f"({megabytes:.2g} MB); next: sensebench verify {path}"
    )
