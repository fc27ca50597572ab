#!/bin/sh
# wheel_test.sh PYTHON: build a wheel, install it into an empty environment outside the checkout,
# and use what it carries there.
set -eu
python=$1
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh tools/environment.sh "$python" "$work/build" build hatchling
"$work/build/bin/python" -m build --wheel --no-isolation --outdir "$work/dist" . >/dev/null
sh tools/environment.sh "$python" "$work/venv" "$work"/dist/*.whl
cp tools/smoke.py "$work/smoke.py"
cd "$work"
"$work/venv/bin/python" -W error smoke.py
"$work/venv/bin/cyberdeck" list
"$work/venv/bin/python" - <<'CODE'
import importlib.resources as resources
import cyberdeck
for name in cyberdeck.GAMES:
    assert resources.files(f"cyberdeck.games.{name}").joinpath("RULES.md").is_file(), name
assert resources.files("cyberdeck").joinpath("py.typed").is_file()
CODE
cd "$here"
echo "the wheel works in an empty environment"
