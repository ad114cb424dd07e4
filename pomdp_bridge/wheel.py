"""Building a wheel: our Julia package goes with it, into ``pomdp_bridge/julia_package``.

In a checkout the package lies in ``julia/``, at the top, where a Julia user expects it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from setuptools.command.build_py import build_py

INSIDE = "julia_package"


class BuildWithJulia(build_py):
    """Copies ``julia/`` beside the Python files, and lets ``juliapkg.json`` point there."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        package = Path(self.build_lib, "pomdp_bridge")
        shutil.rmtree(package / INSIDE, ignore_errors=True)
        shutil.copytree(
            "julia", package / INSIDE, ignore=shutil.ignore_patterns("Manifest*.toml", ".*")
        )
        described = json.loads(Path("pomdp_bridge", "juliapkg.json").read_text(encoding="utf-8"))
        described["packages"]["SensingPOMDPs"]["path"] = INSIDE
        text = json.dumps(described, indent=4) + "\n"
        (package / "juliapkg.json").write_text(text, encoding="utf-8")
