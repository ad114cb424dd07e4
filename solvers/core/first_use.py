"""A word to the user when inner loops are compiled: it happens once per installation and is slow.

numba keeps what it has compiled beside the sources, so the first use of a solver may take a minute
of silence and every later one none.  The line appears only when something really is compiled.
"""

from __future__ import annotations

import sys
from typing import Any

from numba.core import event

WORDS = "sensebench: compiling inner loops, once per installation; this may take a minute"

_told = False


class _Listener(event.Listener):
    """Tells of the first compilation of this process."""

    def on_start(self, event: Any) -> None:
        global _told
        if not _told:
            _told = True
            print(WORDS, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


_listener = _Listener()
_listening = False


def announce_compiling() -> None:
    """From now on, tell of the first compilation; calling it again changes nothing."""
    global _listening
    if not _listening:
        _listening = True
        event.register("numba:compile", _listener)  # type: ignore[no-untyped-call]
