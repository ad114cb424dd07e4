"""Compiled or BLAS-bound inner loops; they take arrays and know no model.

What is compiled is kept on disk.  numba compiles a loop again when its own file has changed, but a
loop also holds those that it calls, some from other files here: after an update it could go on with
what these were before.  So all of it is forgotten as soon as any file here has changed.
"""

from hashlib import sha256
from pathlib import Path

from numba import config, njit


@njit(cache=True)
def _nothing():
    """Says where numba keeps what is compiled of this folder."""


def forget_outdated() -> None:
    """Have everything here compiled again if any file is not as it was."""
    digest = sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    kept = Path(_nothing.stats.cache_path)
    mark = kept / "compiled-from.sha256"
    if not mark.is_file() or mark.read_text() != digest.hexdigest():
        for index in kept.glob("*.nbi"):
            index.unlink(missing_ok=True)
        mark.write_text(digest.hexdigest())


if not config.DISABLE_JIT:  # else nothing is kept
    forget_outdated()
