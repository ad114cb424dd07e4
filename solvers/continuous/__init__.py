"""Continuous states: the simulator contract, SPI with function approximation, and its baselines."""

from solvers.continuous.baselines import AlwaysLook, ContinuousATM, EveryN, NeverLook
from solvers.continuous.critic import Critic, fit_always_look
from solvers.continuous.discretise import CellPolicy, discretise
from solvers.continuous.improve import ImprovedPolicy
from solvers.continuous.model import ContinuousError, ContinuousSensingMDP
from solvers.continuous.plans import ContinuousPolicy, Plans
from solvers.continuous.remember import Remembered, remembered
from solvers.continuous.search import SearchPolicy
from solvers.continuous.simulate import Judgement, compare, judge
from solvers.continuous.spi_continuous import SPIContinuous, Update

__all__ = [
    "AlwaysLook",
    "CellPolicy",
    "ContinuousATM",
    "ContinuousError",
    "ContinuousPolicy",
    "ContinuousSensingMDP",
    "Critic",
    "EveryN",
    "ImprovedPolicy",
    "Judgement",
    "NeverLook",
    "Plans",
    "Remembered",
    "SPIContinuous",
    "SearchPolicy",
    "Update",
    "compare",
    "discretise",
    "fit_always_look",
    "judge",
    "remembered",
]
