# What a developer types. `make demo` and `make test` need only python3 (3.11 or newer) and git: they set themselves up.

VENV = .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/set-up.stamp
# Two tests at a time, whoever is free takes the next: the suites start many processes each, and some tests are long.
WORKERS = 2 --dist worksteal
# What `make test` leaves out; `make check` leaves out only what fetches programs of others, and tries properties with all of
# their examples.
CHOICE = -m "not long and not tools"
FULL = --hypothesis-profile=full

# Test modules are rewritten for their asserts; kept, that is done once.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL = help
.NOTPARALLEL:
.PHONY: help demo test test-long test-tools real-agents fuzz soak lint types check fmt bench golden clean

help:
	@echo "make demo       see a whole run in a throwaway repository (KEEP=1 leaves it there)"
	@echo "make test       the default tests"
	@echo "make test-long  the long ones: crash sweeps, real tools, whole plans"
	@echo "make test-tools those with programs of others, which they fetch: agents, Git LFS, lefthook"
	@echo "make fuzz       the properties, with many examples that are new each time"
	@echo "make soak       runs that are killed, cut off from disk and power, and meddled with, for SOAK_MINUTES"
	@echo "make check      lint, types and every test; what CI runs"
	@echo "make fmt        format the code and sort its imports"
	@echo "make bench      speed, as ratios against floors and peers"
	@echo "make golden     write the expected outputs and the plan schema anew; read the diff like code"
	@echo "make clean      remove everything that was made here"

# pip runs only when pyproject.toml has changed since it last ran well.
$(STAMP): pyproject.toml tools/set-up.sh
	@echo "setting up $(VENV) ..."
	@PYTHON="$(PYTHON)" sh tools/set-up.sh $(VENV)
	@touch $@

demo: $(STAMP)
	@$(BIN)/python -m demo

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) $(CHOICE)

test-long: CHOICE = -m long $(FULL)
test-long: test

# Agent programs at the versions that docs/agents.md speaks of, in a folder that all checkouts share (over 2 GiB).
TOOLS = $(or $(WAVES_TOOLS),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/git-waves/tools)
# The agents run without a network, where that can be had; the other tests fetch what they need.
AGENT_TESTS = tests/tools/test_real_agents.py
test-tools: CHOICE = -m tools --ignore=$(AGENT_TESTS)
test-tools: real-agents test
	$(BIN)/python tools/offline.py $(BIN)/python -m pytest -n $(WORKERS) -m tools $(AGENT_TESTS)

real-agents:
	@sh tools/agents.sh "$(TOOLS)"

fuzz: CHOICE = -m hypothesis --hypothesis-profile=fuzz --timeout=0
fuzz: test

# For a night: make soak SOAK_MINUTES=480. SOAK="--seed 7 --kinds killed" chooses; docs/faults.md says what is tried.
SOAK_MINUTES = 10
soak: $(STAMP)
	$(BIN)/python -m tests.soak --minutes $(SOAK_MINUTES) --workers 2 $(SOAK)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

check: CHOICE = -m "not tools" $(FULL)
check: lint types test

fmt: $(STAMP)
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(BIN)/python -m bench

golden: $(STAMP)
	$(BIN)/python -c "from git_waves.formats.native import write_schema; write_schema()"
	GOLDEN=1 $(BIN)/python -m pytest -n $(WORKERS) $(CHOICE)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
