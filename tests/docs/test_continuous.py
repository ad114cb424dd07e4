"""The simulator of the page on continuous states runs as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_your_own_simulator(tmp_path):
    page = (ROOT / "docs" / "continuous.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.S).group(1)
    (tmp_path / "own_simulator.py").write_text(code, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "own_simulator.py")]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"[\d.]+ ± [\d.]+, looks at \d+% of steps", done.stdout)
