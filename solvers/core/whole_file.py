"""A file that is whole or not there at all: written beside its place first, then renamed into it.

A rename puts a regular file where anything was, even a device.  So a symbolic link is followed and
the file it leads to replaced; a folder, a device or a pipe is refused before anything is written.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from solvers.core.validation import ModelError


@contextlib.contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A temporary path to write to, renamed to ``path`` if all goes well, removed if not."""
    path = Path(path)
    target = Path(os.path.realpath(path))
    there = path.exists() or target.is_symlink()  # still a link: it leads to itself
    if there and not path.is_file():
        raise ModelError(f"cannot write {path}: it is not a regular file; choose another name")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
