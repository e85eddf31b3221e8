# Two commands, nothing else: `make demo` shows the main job, `make test` passes every test.
# Needed: Python 3.11-3.13 and make. Everything else is installed into .venv, pinned by constraints.txt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STAMP_DEV := $(VENV)/.installed-dev
STAMP_DOCS := $(VENV)/.installed-docs
PIP := PIP_CONSTRAINT= PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/pip install --quiet --constraint constraints.txt

# Tests start two thousand processes: each would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick explore lint docs bench figures clean
.DEFAULT_GOAL := demo

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

$(STAMP_DEV): $(STAMP)
	$(PIP) --editable '.[dev]'
	@touch $@

$(STAMP_DOCS): $(STAMP)
	$(PIP) --editable '.[docs]'
	@touch $@

demo: $(STAMP)  ## a worked example on a generated hospital table, end to end
	$(BIN)/likeness demo -o demo-release --overwrite

test: $(STAMP_DEV)  ## every test
	$(BIN)/python -m pytest -q -m "slow or not slow"

quick: $(STAMP_DEV)  ## the tests that take moments
	$(BIN)/python -m pytest -q

ROUNDS ?= 1
explore: $(STAMP_DEV)  ## hunt for counterexamples: properties on new random examples, ROUNDS times; what fails is tried first next time
	for round in $$(seq $(ROUNDS)); do \
	  $(BIN)/python -m pytest -q -m hypothesis --hypothesis-profile=explore || exit; done

lint: $(STAMP_DEV)  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP_DOCS)  ## the documentation site, in build/docs: nothing is fetched; every warning is an error
	$(BIN)/python -m sphinx -b html -E -W --keep-going -q -d build/docs-trees docs build/docs
	@echo build/docs/index.html

bench: $(STAMP_DEV)  ## time as ratios to one sort on this machine, loss beside other tools, memory, cold start
	$(BIN)/python -m benchmarks

figures: $(STAMP_DEV)  ## the papers' figures and claims, redone (about half an hour)
	$(BIN)/python -m papers.similarity_clustering
	$(BIN)/python -m papers.identity_reserved
	$(BIN)/python -m papers.background_knowledge
	$(BIN)/python -m papers.beta_likeness
	$(BIN)/python -m papers.two_tables

clean:
	rm -rf $(VENV) demo-release build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
