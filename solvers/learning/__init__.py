"""When the model is unknown: Gymnasium environments with a price on looking, and learners."""

from solvers.learning.environment import SensingEnv
from solvers.learning.learner import (
    Learner,
    LearnerError,
    Task,
    learner_classes,
    load_learner_file,
    make_learner,
)
from solvers.learning.training import Checkpoint, task_of, train
from solvers.learning.vector_environment import SensingVectorEnv
from solvers.learning.wrapper import PricedLooks

__all__ = [
    "Checkpoint",
    "Learner",
    "LearnerError",
    "PricedLooks",
    "SensingEnv",
    "SensingVectorEnv",
    "Task",
    "learner_classes",
    "load_learner_file",
    "make_learner",
    "task_of",
    "train",
]
