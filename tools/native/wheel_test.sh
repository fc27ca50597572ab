#!/bin/sh
# wheel_test.sh PYTHON WHEEL DIGESTS: install a wheel with compiled games into an empty environment
# without numba, outside the checkout, use it there, and compare what it plays with DIGESTS.
set -eu
python=$1
wheel=$2
digests=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sh tools/environment.sh "$python" "$work/venv" "$wheel"
if "$work/venv/bin/python" -c "import numba" 2>/dev/null; then
    echo "numba was installed with $wheel" >&2
    exit 1
fi
cp tools/smoke.py tools/native/digests.py "$work/"
cp "$digests" "$work/digests.json"
cd "$work"
export CYBERDECK_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W error smoke.py
"$work/venv/bin/python" -W error digests.py digests.json
test ! -e "$work/cache"
echo "the wheel works without numba"
