#!/bin/sh
# oldest_test.sh PYTHON: a smoke test with the oldest Gymnasium that pyproject.toml allows.
set -eu
python=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh tools/environment.sh "$python" "$work/venv" ".[jit]" "gymnasium==1.2.0"
"$work/venv/bin/python" -m pip list 2>/dev/null | grep -i -E '^(gymnasium|pettingzoo|numba|numpy) '
cp tools/smoke.py "$work/smoke.py"
cd "$work"
"$work/venv/bin/python" -W error smoke.py
echo "the oldest supported Gymnasium works"
