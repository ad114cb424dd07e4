"""The measurement measures both forms of the environment."""

from bench.perf.environment_speed import environment_speed


def test_both_forms_are_measured():
    found = environment_speed(steps=40_000)
    assert set(found) == {"vectorised_steps_per_second", "plain_steps_per_second"}
    assert all(rate > 0 for rate in found.values())
