# `make test` and `make reproduce` build their own virtual environment from a clean clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.sensebench-ready

.PHONY: reproduce reproduce-julia test coverage test-slow lint format docs clean

reproduce: $(READY)
	$(BIN)/sensebench run table1 --keep-going
	$(BIN)/sensebench plot table1
	$(BIN)/sensebench report table1
	$(BIN)/sensebench table table1
	$(BIN)/sensebench compare table1

# The same with the POMDPs.jl rows: Julia is set up first, through juliacall's installer.
reproduce-julia: $(READY)
	$(BIN)/sensebench julia setup
	$(MAKE) reproduce

# One worker per core, one matrix thread each: more would only get in each other's way.
TEST_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

test: $(READY) lint
	$(TEST_ENV) $(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile

# The same tests with coverage, which the workflow runs on Python 3.13, where watching is cheap.
coverage: $(READY)
	$(TEST_ENV) $(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile --cov --cov-report=term:skip-covered

test-slow: $(READY)
	$(BIN)/python -m pytest -m slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "sensebench needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.11 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV): installing numpy, scipy, numba, matplotlib and the test tools, a minute or two …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	@touch $@

# The documentation as a site, in site/.
docs: $(READY)
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV)
