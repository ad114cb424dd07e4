"""A stand-in for juliacall: no Julia, but answers, errors and bad manners on demand.

What it does depends on the name of the solver file it is asked to run.
"""

import ctypes
import os
import signal
import time
from types import SimpleNamespace

BEGAN = time.time()
time.sleep(1.0)  # starting takes a while, so that sharing a start can be measured


def behave(source):
    name = os.path.basename(source)
    if name == "sleep.jl":
        time.sleep(600)
    if name == "crash.jl":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "grow.jl":
        held = []
        while True:
            held.append(bytearray(os.urandom(1) * 2**24))
            time.sleep(0.02)
    if name == "throw.jl":
        raise RuntimeError("throw.jl, line 3: no luck")
    return SimpleNamespace(pid=os.getpid(), count=len(CALLS))


CALLS = []


def request(problem, source, budget, seed, random, episodes, options):
    CALLS.append(source)
    return behave(source)


def copy_out(found, *addresses):
    for address, array in zip(addresses, ([1.0, 2.0], [0], [], [], [], [], []), strict=True):
        kind = ctypes.c_double if array and isinstance(array[0], float) else ctypes.c_int64
        for i, value in enumerate(array):
            kind.from_address(address + 8 * i).value = value


package = SimpleNamespace(
    from_addresses=lambda *a: "problem",
    warm_up=lambda *a: None,
    forget=lambda: None,
    request=request,
    sizes=lambda found: "1 0 0 0 0",
    copy_out=copy_out,
    settings_text=lambda found: f"pid\t{found.pid}\ncalls\t{found.count}\nbegan\t{BEGAN}",
    numbers=lambda found: "0.5 NaN NaN 3 0 0 0 0 0",
)
Main = SimpleNamespace(seval=lambda text: None, SensingPOMDPs=package, VERSION="1.10.0")
