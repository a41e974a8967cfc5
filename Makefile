# Only python3 (3.11 or newer), make and a package index are assumed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: start test test-core test-agents test-wheels bench check wheels clean

$(VENV)/.ready: pyproject.toml constraints.txt $(wildcard native/*.*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hookd needs Python 3.11 or newer; try make PYTHON=python3.12")'
	@echo 'Setting up $(VENV); this happens once.'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

$(VENV)/.bridges: $(VENV)/.ready
	@echo 'Installing the frameworks that hookd has bridges to and the MCP library; this happens once.'
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[langchain,openai-agents,pydantic-ai,mcp]'
	@touch $@

$(VENV)/.vectors: $(VENV)/.ready
	@echo 'Installing what compares by meaning; this happens once.'
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[vectors]'
	@touch $@

$(VENV)/.mcp: $(VENV)/.ready
	@echo 'Installing the MCP library; this happens once.'
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mcp]'
	@touch $@

$(VENV)/.agents: $(VENV)/.ready
	@echo 'Installing the real agents for the tests; this happens once.'
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[agents,mcp]'
	@touch $@

$(VENV)/.wheels: $(VENV)/.ready
	@echo 'Installing a C compiler for every platform; this happens once.'
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[wheels]'
	@touch $@

$(VENV)/.installers: $(VENV)/.wheels
	@echo 'Installing the installers that people have; this happens once.'
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[installers]'
	@touch $@

start: $(VENV)/.ready
	@$(BIN)/python tools/start.py "$(PROJECT)"

# WIDE=1 has the tests of vectors and their figures too, and compares more sessions with the real agent.
test: $(VENV)/.bridges $(if $(WIDE),$(VENV)/.vectors)
	WIDE=$(WIDE) $(BIN)/python -m pytest -n $(WORKERS) --ignore=tests/agents --ignore=tests/installing

# What depends on the interpreter: without the frameworks that hookd has bridges to, and other people's cases.
test-core: $(VENV)/.mcp
	$(BIN)/python -m pytest -n $(WORKERS) $(foreach folder,agents bridges corpus docs installing mcp,--ignore=tests/$(folder))

test-agents: $(VENV)/.agents
	WIDE=$(WIDE) $(BIN)/python -m pytest -n $(WORKERS) tests/agents

# hookd installed as people install it: a wheel of this platform without a compiler, uv tool, pipx and pip.
test-wheels: $(VENV)/.installers
	$(BIN)/python -m pytest -n $(WORKERS) tests/installing

# A wheel with the native client inside for each platform, in dist/.
wheels: $(VENV)/.wheels
	$(BIN)/python tools/wheels.py

bench: $(VENV)/.bridges
	$(BIN)/python bench/run.py

check: $(VENV)/.bridges
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	MYPYPATH=bench $(BIN)/mypy bench/*.py
	$(BIN)/lint-imports
	$(BIN)/python -m pytest tests/docs

clean:
	rm -rf $(VENV) build dist native/build bench/build
