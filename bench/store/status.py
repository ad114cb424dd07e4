"""The status words of a result row; how a process can fail has its words in the bridge."""

from pomdp_bridge.process.status import CRASHED, FAILED, MEMORY, TIMEOUT

OK = "ok"
"""The solver returned a valid result."""
INVALID = "invalid"
"""It returned something that is not a result: not a number, not a policy, bounds that cross."""
SKIPPED = "skipped"
"""It cannot run here, or cannot take this problem, and said why."""
STATUSES = (OK, TIMEOUT, MEMORY, CRASHED, FAILED, INVALID, SKIPPED)

UNAVAILABLE = "not available here"
"""Note of a skipped row whose solver cannot run on this machine (another machine may)."""

VERIFIED = "verified"
"""What the row claims was proved again by code that shares nothing with the solver."""
CLAIMED = "claimed"
"""The row claims a bound that was not, or not in time, proved again."""
NONE = "none"
"""The row claims no bound."""

__all__ = [
    "CLAIMED",
    "CRASHED",
    "FAILED",
    "INVALID",
    "MEMORY",
    "NONE",
    "OK",
    "SKIPPED",
    "STATUSES",
    "TIMEOUT",
    "UNAVAILABLE",
    "VERIFIED",
]
