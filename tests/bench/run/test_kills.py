"""Kill −9 at random moments loses, doubles, spoils and falsifies no row."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest

pytest.importorskip("distributed")

from tests.bench.run.kill_cluster import slay
from tests.bench.run.kills import ROOT, VICTIMS, Campaign, Round, record, recorded

RECORD = ROOT / "results" / "reference" / "robustness" / "kills.csv"


def test_what_is_recorded_is_counted_in(tmp_path):
    path = tmp_path / "kills.csv"
    path.write_bytes(RECORD.read_bytes())
    before, more = recorded(path), Counter({"dask worker": 2, "runner": 1})
    record(path, 3, more)
    assert recorded(path) == before + more
    assert len({line.count(",") for line in path.read_text().splitlines()}) == 1


def test_of_each_kind_a_quarter_is_wanted():
    campaign = Campaign(6, 0, Path(), before=Counter({"runner": 5, "cell": 1}))
    this = Round(campaign.path, Path(), {}, campaign.chance)
    assert campaign.missing(list(VICTIMS), this) == [0, 2, 3, 3]
    this.kills["dask worker"] += 1
    assert campaign.missing(list(VICTIMS), this) == [0, 2, 2, 3]


def test_what_is_gone_is_not_counted_as_killed():
    process = psutil.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert slay(process)
    assert not slay(process)
    process.stdin.close()


@pytest.mark.slow
def test_sixteen_kills_lose_nothing(tmp_path):
    kills = Campaign(16, seed=1, folder=tmp_path).run()
    print(dict(kills))
    assert kills.total() == 16
    assert all(kills[kind] for kind in VICTIMS)
