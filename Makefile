# make play      set up and open the arena in the browser
# make terminal  set up and play at the terminal
# make setup     set up, to use the command littlego
# make test      set up and run the checks
# make siege     attack, kill, starve and fill disks: the long tests of the sandbox and of what a kill must not lose
# make soak      kill everything for minutes while games are played, and try every hostile agent at every level
# make docs      build the documentation as a site
# make site      the same with the pages, for any static host: play, hints, reviews and puzzles without a server
# make bench     measure
# make lock      refresh the locks from pyproject.toml

PYTHON ?= python3
PORT ?= 8025
OPPONENT ?=
COLOUR ?= black

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: setup play terminal test siege fast soak lint bench docs site lock clean
.DEFAULT_GOAL := play

setup: .venv/.runtime
	@echo "ready: . .venv/bin/activate, then littlego --help"

play: .venv/.runtime
	@exec $(BIN)/littlego web --open --port $(PORT)

terminal: .venv/.runtime
	@case "$(COLOUR)" in \
		[Bb]lack) $(BIN)/littlego play manual $(or $(OPPONENT),strongest) ;; \
		[Ww]hite) $(BIN)/littlego play $(or $(OPPONENT),strongest) manual ;; \
		*) echo "COLOUR=$(COLOUR): expected black or white"; exit 2 ;; \
	esac; status=$$?; echo "(The command littlego is in $(BIN): '. $(BIN)/activate' puts it on the PATH.)"; exit $$status

test: lint node_modules
	$(BIN)/python -m pytest -m "not siege and not exhaustive"
	@echo "CI runs make siege as well"

siege: .venv/.develop
	$(BIN)/python -m pytest -m "siege and not exhaustive"

fast: .venv/.develop
	$(BIN)/python -m pytest -m "not slow and not exhaustive"

# Kills every kind of process more than a hundred times while games are played; the suite kills eighteen times.
soak: .venv/.develop
	LITTLEGO_CHAOS_KILLS=35 $(BIN)/python -m pytest tests/arena/test_chaos.py
	$(BIN)/python -m pytest -m exhaustive

lint: .venv/.develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# For the checks of the pages' JavaScript. Without npm, or with one that is too old, they are skipped; CI fails then.
node_modules: package-lock.json
	@if ! command -v npm >/dev/null; then echo "no npm: the checks of the pages' JavaScript are skipped"; \
	elif npm ci --silent --no-audit --no-fund; then touch $@; \
	else rm -rf $@; echo "npm ci failed: the checks of the pages' JavaScript are skipped"; fi

bench: .venv/.runtime
	$(BIN)/python tools/bench.py engine

docs: .venv/.docs
	$(BIN)/python docs/build_site.py site/docs
	@echo "site/docs/index.html is the documentation"

site: docs node_modules
	$(BIN)/python docs/build_site.py --pages site
	@echo "serve site/ from anywhere: $(BIN)/python -m http.server --directory site"

# The stamps keep the second run quick: nothing is installed again until a lock changes.
.venv/.python:
	@command -v $(PYTHON) >/dev/null || { echo "there is no $(PYTHON): make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed, and $(PYTHON) is older: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.runtime: .venv/.python requirements.lock pyproject.toml
	@echo "installing: about a minute"
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

.venv/.develop: .venv/.runtime requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

.venv/.docs: .venv/.runtime requirements-docs.lock
	$(PIP) install --require-hashes -r requirements-docs.lock
	@touch $@

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade

lock: .venv/.python
	$(PIP) install uv
	$(LOCK) pyproject.toml --extra web --group build -o requirements.lock
	$(LOCK) pyproject.toml --extra web --group dev -c requirements.lock -o requirements-dev.lock
	$(LOCK) pyproject.toml --extra web --group docs -c requirements.lock -c requirements-dev.lock -o requirements-docs.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --resolution lowest-direct \
		pyproject.toml --all-extras -o requirements-lowest.txt

clean:
	rm -rf node_modules .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist site
