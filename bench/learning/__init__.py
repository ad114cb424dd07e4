"""Learning suites, and every problem as a registered Gymnasium environment."""

from bench.learning.environments import environment_id, register_environments

__all__ = ["environment_id", "register_environments"]
