#!/bin/sh
# wheel_test.sh PYTHON: build a wheel, as `pip install .` does, install it into an empty environment
# outside the checkout, and use what it carries there: without numba, and with it; then beside the
# example of a project of somebody's own.
set -eu
unset PYTHONPATH
python=$1
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh tools/environment.sh "$python" "$work/build" build hatchling
"$work/build/bin/python" -m build --wheel --no-isolation --outdir "$work/dist" . >/dev/null
wheel=$(echo "$work"/dist/*.whl)
sh tools/environment.sh "$python" "$work/venv" "$wheel"
sh tools/environment.sh "$python" "$work/own" "${wheel}[jit,train]" ./examples/project pytest
cp tools/smoke.py "$work/smoke.py"
cp -r examples/project/tests "$work/tests"
cd "$work"
# Compiled by nothing: whatever plays ends in one line that names the extra.
for command in "warm-up" "play stacktrices" "check hovercrafts" "evaluate hackthegrid random --deals 1"; do
    # shellcheck disable=SC2086  # its words
    if "$work/venv/bin/cyberdeck" $command </dev/null >/dev/null 2>told; then
        echo "cyberdeck $command: neither numba nor a library is there, and nothing says so" >&2
        exit 1
    fi
    grep -v "pip install '\.\[jit\]'" told && exit 1
    test "$(wc -l <told)" -eq 1
done
"$work/venv/bin/python" -m pip install --quiet "${wheel}[jit]"
"$work/venv/bin/python" -W error smoke.py
"$work/venv/bin/cyberdeck" list
"$work/venv/bin/python" - <<'CODE'
import importlib.resources as resources
import cyberdeck
for name in cyberdeck.GAMES:
    assert resources.files(f"cyberdeck.games.{name}").joinpath("RULES.md").is_file(), name
assert resources.files("cyberdeck").joinpath("py.typed").is_file()
CODE
"$work/own/bin/python" -W error -c \
    "import sys, cyberdeck; assert 'neon_arena' not in sys.modules; print(cyberdeck.game('neon_arena').title)"
"$work/own/bin/python" -m pytest -q -p no:cacheprovider tests
cd "$here"
echo "the wheel works in an empty environment"
