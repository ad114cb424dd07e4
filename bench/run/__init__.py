"""Running a suite's cells, each in its own process under hard limits."""
