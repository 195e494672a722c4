# `make demo` and `make test` are all a newcomer needs: each first makes .venv from the
# lock, which takes minutes the first time and nothing after that.
PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
BIN := .venv/bin
READY := .venv/installed

.PHONY: demo test lint docs gallery coverage dist lock clean

demo: $(READY)
	$(BIN)/eqlearn demo

# One thread of BLAS in each of the two: more only wait for each other.
test coverage: export OPENBLAS_NUM_THREADS = 1

test: lint
	$(BIN)/python -m pytest -n 2

lint: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

# The pages, for a browser: docs/_build/index.html. A warning is an error.
docs: $(READY)
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build

# Runs the examples again, and writes their pages and pictures.
gallery: $(READY)
	$(BIN)/python examples/make_gallery.py

# All tests, and which lines of the library they reach. Tracebacks are Python's own: to
# write pytest's, Python before 3.11.8 may end in a SystemError of its syntax trees.
coverage: $(READY)
	$(BIN)/python -m pytest -n 2 --tb=native --cov --cov-report=term:skip-covered

# What is released: built, then installed and tried in a clean environment elsewhere.
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/python tests/clean_install.py dist

# Names, versions and hashes only: where packages come from is each machine's own setting.
lock: $(READY)
	CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --upgrade \
		--extra dev --strip-extras --generate-hashes --allow-unsafe \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist docs/_build .coverage*
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
