"""``sensebench fuzz``: hostile little problems against every solver and the checker of proofs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bench.conformance.fuzz import Campaign, run_campaign


def add(commands: Any) -> None:
    """Add this command to the parser."""
    fuzz = commands.add_parser("fuzz", help="hostile little problems against every solver")
    fuzz.add_argument("--cases", type=_whole, default=200, help="default: %(default)s")
    fuzz.add_argument("--seed", type=_whole, default=1, help="default: %(default)s")
    fuzz.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="counts as JSON; default: fuzz-SEED.json"
    )
    fuzz.set_defaults(call=fuzz_solvers)


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number >= 0")
    return int(text)


def fuzz_solvers(args: argparse.Namespace) -> int:
    """Run a campaign, print its failures and counts; exit code 1 if anything failed."""
    path = args.output or Path(f"fuzz-{args.seed}.json")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"--output {path}: there is no folder {path.parent}")
    campaign = Campaign.resume(path, args.seed)
    try:
        run_campaign(campaign, args.cases, path, lambda line: print(line, flush=True))
    finally:
        campaign.save(path)
    runs = sum(campaign.runs.values())
    print(
        f"{campaign.done} cases, {runs} solver runs, {campaign.seconds:.0f} s; "
        f"{sum(campaign.counts.values())} failures"
    )
    for what, count in campaign.counts.most_common():
        print(f"  {count:6}  {what}")
    print(f"counts and scripts are in {path}")
    return 1 if campaign.counts else 0
