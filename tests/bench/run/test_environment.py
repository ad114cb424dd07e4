"""The environment record: what made the rows, and nothing about whose machine it was."""

import json
import os
import platform
from pathlib import Path

from bench.run.environment import describe


def test_it_says_what_made_the_rows_and_not_where():
    record = describe(jobs=2)
    assert record["jobs"] == 2 and record["cores"] >= 1 and record["memory_mb"] > 0
    assert record["python"] == platform.python_version()
    assert {"numpy", "scipy", "gymnasium"} <= set(record["packages"])
    assert "julia" in record and isinstance(record["dirty"], bool)
    text = json.dumps(record)
    for private in (platform.node(), str(Path.home()), os.getcwd()):
        assert len(private) < 4 or private not in text
