# The verbs of the project. `make run` and `make test` do all the set-up themselves.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Without compiled files each of the many processes would compile all packages again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup run serve test test-cpu test-fast test-runtime clients faults injections fuzz evals bench check format lock weight world build clean

VENV := .venv
BIN := $(VENV)/bin
comma := ,
UV := $(shell sed -n 's/^uv==\([0-9.]*\).*/uv==\1/p' requirements/dev.txt)
# The first interpreter on the PATH that is new enough.
PYTHON ?= $(firstword $(foreach python,python3 python3.13 python3.12 python3.11,\
	$(shell $(python) -c 'import sys; sys.version_info >= (3, 11) and print("$(python)")' 2>/dev/null)))

# One more than there are cores: many tests wait for a process or a clock.
WORKERS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

# What looks for weaknesses; its pins are not ours.
AUDIT := .venvs/audit

# What the functions run on in Lambda.
RUNTIME := 3.13

FAST := tests/core tests/docs tests/edges

# What all recorded answers reach; those of a model have one finding that no case expects.
FIGURES := $(foreach figure,recall silence statuses,--at-least $(figure)=1)

help: ## say what the verbs do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready ## install everything that is needed into .venv

$(VENV)/.ready: requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed." >&2; exit 1; }
	@echo "Setting up Kodiai in $(VENV), once; with an empty cache it takes about a minute." >&2
	@test -x $(BIN)/python || { echo "… creating the environment" >&2; $(PYTHON) -m venv $(VENV); }
	@test -x $(BIN)/uv || { echo "… installing $(UV)" >&2; $(BIN)/python -m pip install --quiet $(UV); }
	@echo "… installing $$(grep -c == requirements/dev.txt) packages" >&2
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python requirements/dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@
	@echo "… ready" >&2

run: setup ## review the bundled sample, or REPO=path HEAD=rev [BASE=rev]
	@mkdir -p out
	@$(BIN)/kodiai review $(if $(REPO),--repo "$(REPO)" --push "$(or $(HEAD),HEAD)$(if $(BASE),$(comma)$(BASE))",--sample) \
		--html out/review.html --json out/review.json

serve: setup ## open the bundled sample's pull request on a page, or REPO=path HEAD=branch [BASE=branch] [ARGS=...]
	@$(BIN)/kodiai serve $(if $(REPO),--repo "$(REPO)" --head "$(or $(HEAD),HEAD)" $(if $(BASE),--base "$(BASE)"),--sample) $(ARGS)

test: setup ## run all tests
	@$(BIN)/python -m scripts.test_cpu --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder --durations 20

test-cpu: setup ## run all tests, and list where their CPU time goes: phases, files, fixtures
	@$(BIN)/python -m scripts.test_cpu --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder -p tests.cpu_meter

test-fast: setup ## run the tests that start no system
	@$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadgroup $(FAST)

test-runtime: setup ## run the tests of grammars, edges and doors on the Python that Lambda runs, where it is there
	@$(BIN)/python -m scripts.interpreters | sed -n '/^$(RUNTIME) /p' | while read -r version python; do \
		venv=.venvs/$$version; \
		test $$venv/.ready -nt requirements/dev.txt || { \
			$(BIN)/uv venv --quiet --allow-existing --python "$$python" $$venv; \
			$(BIN)/uv pip sync --quiet --python $$venv/bin/python requirements/dev.txt; \
			touch $$venv/.ready; }; \
		echo "Python $$version"; \
		$$venv/bin/python -m pytest --quiet --numprocesses auto -m "not slow and not hypothesis and not proof" \
			tests/core/code tests/edges tests/functions; \
	done

clients: setup ## have Claude Code, Codex and Gemini CLI work through a review; CLIENTS="in turn" tries one, the next one with each commit
	@CLIENTS="$(CLIENTS)" $(BIN)/python -m pytest -m client tests/clients

faults: setup ## kill every flow at every call to the outside, then soak the local system; CAP=N tries only N, the next N with each commit
	@$(BIN)/python -m tests.faults $(if $(CAP),--cap $(CAP))

injections: setup ## review pull requests that give orders to a model that obeys; CAP=N tries only N, the next N with each commit
	@$(BIN)/python -m tests.injection $(if $(CAP),--cap $(CAP))

fuzz: setup ## give a million broken inputs to everything that reads what others wrote, or ARGS="--inputs 1000 --target diff"
	@$(BIN)/python -m tests.fuzz $(ARGS)

evals: setup ## review all cases of evals/ with recorded answers, and fail below their figures; ARGS= for a model, see evals/README.md
ifdef ARGS
	@$(BIN)/python -m evals run $(ARGS)
else
	@$(BIN)/python -m evals run --replay recordings --out out/evals/recordings --at-least precision=1 $(FIGURES)
	@$(BIN)/python -m evals run --replay --at-least precision=0.98 $(FIGURES)
endif

bench: setup ## measure speed and cost into bench/results, or ARGS="--quick", or the parts to measure
	@$(BIN)/python -m bench $(ARGS)

check: setup $(AUDIT)/.ready ## lint, types, layers, template, known vulnerabilities
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/cfn-lint template.yaml
	@$(AUDIT)/bin/checkov --config-file .checkov.yaml
	@$(BIN)/python -m scripts.audit layers/common/requirements.txt requirements/dev.txt

.venvs/%/.ready: requirements/%.txt $(VENV)/.ready
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python .venvs/$*
	@$(BIN)/uv pip sync --quiet --python .venvs/$*/bin/python requirements/$*.txt
	@touch $@

weight: setup ## print the size of the project next to its budget, and what else the house rules count
	@$(BIN)/python -m scripts.weight

build: setup ## build the layer and the functions with SAM, and print their sizes
	@$(BIN)/python -m scripts.build

format: setup ## put the code into its form
	@$(BIN)/ruff check --fix --quiet; $(BIN)/ruff format --quiet

lock: setup ## pin all requirements again: of the layer, and of development
	@for part in layers/common/requirements $(addprefix requirements/,dev audit schemathesis); do \
		$(COMPILE) --upgrade $$part.in --output-file $$part.txt; \
	done

world: setup ## pin the newest descriptions of GitHub and Anthropic, and write what the stand-ins and the tests keep of them
	@npm --prefix requirements/world install --save-exact --no-package-lock --ignore-scripts --no-audit --no-fund \
		--loglevel error $(patsubst %,@octokit/%@latest,graphql-schema openapi webhooks-examples)
	@$(COMPILE) --upgrade-package anthropic requirements/dev.in --output-file requirements/dev.txt
	@$(MAKE) --no-print-directory setup
	@$(BIN)/python -m scripts.world
	@rm -r requirements/world/node_modules
	@$(BIN)/python -m scripts.request_types

clean: ## remove what was built
	@rm -rf .aws-sam out .mypy_cache .pytest_cache .ruff_cache .hypothesis
