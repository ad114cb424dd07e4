import subprocess
import sys

LOOK = """
import sys
import bench, pomdp_bridge, solvers
from pomdp_bridge.julia import bridge
from pomdp_bridge.julia import doctor
from pomdp_bridge.julia import environment
from pomdp_bridge.files import formats as files
from pomdp_bridge.julia import solvers as julia_solvers
from pomdp_bridge.julia import setup
from pomdp_bridge.julia import worker
known = solvers.solver_classes()
assert {"julia-sarsop", "julia-sarsop-structured", "julia-fib", "julia-pomcp", "julia-qmdp",
        "julia-pbvi"} <= set(known), sorted(known)
for name in known:
    solvers.make_solver(name).available()
assert "juliacall" not in sys.modules, "importing started Julia"
"""


def test_importing_and_asking_never_starts_julia():
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
