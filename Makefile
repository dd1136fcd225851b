# make run | make test need nothing but Python >= 3.11; the rest is for developers.
PYTHON ?= python3
TORCH  ?= auto
VENV   := .venv
BIN    := $(VENV)/bin
SET    := pyproject.toml constraints.txt scripts/install.sh
SITE   := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

.PHONY: install install-dev run test test-all check bench docs clean

install: $(VENV)/.run-ready
install-dev: $(VENV)/.dev-ready

$(VENV)/.run-ready: $(SET)
	PYTHON=$(PYTHON) TORCH=$(TORCH) sh scripts/install.sh $(VENV) .
	@touch $@

$(VENV)/.dev-ready: $(VENV)/.run-ready
	PYTHON=$(PYTHON) TORCH=$(TORCH) sh scripts/install.sh $(VENV) '.[dev]'
	@touch $@

run: install
	$(BIN)/gradatim run --config configs/pocket.toml $(ARGS)

test: install-dev
	$(BIN)/pytest -n 2 --dist loadfile -m 'not slow and not gpu and not smollm' $(ARGS)

test-all: install-dev
	$(BIN)/pytest -m 'not gpu' $(ARGS)

check: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_tree.py
	$(SITE)

# The site in site/; a link or an anchor that leads nowhere ends it.
docs: $(VENV)/.docs-ready
	$(SITE)

$(VENV)/.docs-ready: $(VENV)/.run-ready
	PYTHON=$(PYTHON) TORCH=$(TORCH) sh scripts/install.sh $(VENV) '.[docs]'
	@touch $@

bench: install-dev
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file --json || exit 1; done

clean:
	rm -rf $(VENV) .gradatim
