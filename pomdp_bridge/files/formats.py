"""Problems as files: ``.npz`` (ours, everything), ``.pomdp`` (Cassandra) and ``.pomdpx`` (APPL)."""

from __future__ import annotations

from pathlib import Path

from pomdp_bridge.files.cassandra import write_pomdp
from pomdp_bridge.files.cassandra_reader import read_pomdp
from pomdp_bridge.files.npz import read_npz, write_npz
from pomdp_bridge.files.pomdpx import write_pomdpx
from solvers.core.model import SensingMDP
from solvers.core.validation import ModelError

WRITERS = {"npz": write_npz, "pomdp": write_pomdp, "pomdpx": write_pomdpx}
READERS = {"npz": read_npz, "pomdp": read_pomdp}


def write(problem: SensingMDP, path: str | Path, format: str | None = None) -> Path:
    """Write a problem; the format is the file's suffix when left out."""
    path = Path(path)
    chosen = format or path.suffix.removeprefix(".")
    if chosen not in WRITERS:
        raise ModelError(f"unknown format {chosen!r}; the formats are: {', '.join(WRITERS)}")
    if not path.parent.is_dir():
        raise ModelError(f"cannot write {path}: there is no folder {path.parent}")
    WRITERS[chosen](problem, path)
    return path


def read(path: str | Path) -> SensingMDP:
    """Read a problem from an ``.npz`` or ``.pomdp`` file."""
    path = Path(path)
    chosen = path.suffix.removeprefix(".")
    if chosen not in READERS:
        raise ModelError(f"cannot read {path}: expected a file ending in .npz or .pomdp")
    return READERS[chosen](path)
