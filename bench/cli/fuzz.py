"""``sensebench fuzz``: hostile little problems against every solver and the checker of proofs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bench.conformance.fuzz import run_campaign
from bench.conformance.fuzz_record import Campaign, merge


def add(commands: Any) -> None:
    """Add this command to the parser."""
    fuzz = commands.add_parser("fuzz", help="hostile little problems against every solver")
    fuzz.add_argument("--cases", type=_whole, default=200, help="default: %(default)s")
    fuzz.add_argument("--seed", type=_whole, default=1, help="default: %(default)s")
    fuzz.add_argument(
        "--from",
        type=_whole,
        default=0,
        dest="first",
        metavar="CASE",
        help="the first case, for a shard of a campaign; default: %(default)s",
    )
    fuzz.add_argument(
        "--merge",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="run nothing: make one record of the files of several campaigns or shards",
    )
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
    path = args.output or Path("fuzz.json" if args.merge else f"fuzz-{args.seed}.json")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"--output {path}: there is no folder {path.parent}")
    if args.merge:
        record = merge(args.merge, path)
        return _report(record["cases"], record["seconds"], record["runs"], record["counts"], path)
    campaign = Campaign.resume(path, args.seed, args.first)
    try:
        run_campaign(campaign, args.cases, path, lambda line: print(line, flush=True))
    finally:
        campaign.save(path)
    return _report(campaign.done, campaign.seconds, campaign.runs, campaign.counts, path)


def _report(
    cases: int, seconds: float, runs: dict[str, int], counts: dict[str, int], path: Path
) -> int:
    failures = sum(counts.values())
    print(f"{cases} cases, {sum(runs.values())} solver runs, {seconds:.0f} s; {failures} failures")
    for what, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"  {count:6}  {what}")
    print(f"counts and scripts are in {path}")
    return 1 if counts else 0
