"""Planning when looking costs money: the model, exact evaluation, solvers, bounds, certificates."""

from solvers.advice.advice import Advice, advise
from solvers.bounds.certificates import Certificate, always_sense_threshold, certify
from solvers.bounds.delayed_information import delayed_information_bound
from solvers.bounds.proof import verify_claim, write_proof
from solvers.bounds.verify import Verdict, verify
from solvers.core.controller import Controller, load_controller
from solvers.core.evaluation import Evaluation, evaluate, evaluate_fully
from solvers.core.model import SensingMDP
from solvers.core.policy import AlphaVectorPolicy, Plan, PlanPolicy, Policy, PolicyError
from solvers.core.policy_file import load_policy, save_policy
from solvers.core.simulation import Simulation, simulate
from solvers.core.solution import BUDGET, SOLVED, Solution
from solvers.core.solver import (
    Budget,
    Solver,
    SolverError,
    load_solver_file,
    make_solver,
    solve,
    solver_classes,
)
from solvers.core.validation import ModelError

__all__ = [
    "BUDGET",
    "SOLVED",
    "Advice",
    "AlphaVectorPolicy",
    "Budget",
    "Certificate",
    "Controller",
    "Evaluation",
    "ModelError",
    "Plan",
    "PlanPolicy",
    "Policy",
    "PolicyError",
    "SensingMDP",
    "Simulation",
    "Solution",
    "Solver",
    "SolverError",
    "Verdict",
    "advise",
    "always_sense_threshold",
    "certify",
    "delayed_information_bound",
    "evaluate",
    "evaluate_fully",
    "load_controller",
    "load_policy",
    "load_solver_file",
    "make_solver",
    "save_policy",
    "simulate",
    "solve",
    "solver_classes",
    "verify",
    "verify_claim",
    "write_proof",
]
