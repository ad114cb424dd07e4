"""Kill −9 at random moments loses, doubles, spoils and falsifies no row."""

import pytest

pytest.importorskip("distributed")

from tests.bench.run.kills import VICTIMS, Campaign


@pytest.mark.slow
def test_sixteen_kills_lose_nothing(tmp_path):
    kills = Campaign(16, seed=1, folder=tmp_path).run()
    print(dict(kills))
    assert kills.total() == 16
    assert all(kills[kind] for kind in VICTIMS)
