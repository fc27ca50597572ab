#!/bin/sh
# aarch64_test.sh PYTHON WHEEL DIGESTS: use a wheel for Linux on aarch64 in that machine's Python, which
# qemu runs here, and compare what it plays with DIGESTS. The Python is Debian's, from apt, which
# leaves this system as it is; kept in build/aarch64.
set -eu
python=$1
wheel=$2
digests=$3
kept=$PWD/build/aarch64
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || {
    echo "qemu is not installed: apt-get install qemu-user-static" >&2
    exit 1
}

if [ ! -e "$kept/ready" ]; then
    mkdir -p "$kept/apt/lists/partial" "$kept/root"
    apt() {
        apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
            -o Acquire::Languages=none -o Dir::State::lists="$kept/apt/lists" \
            -o Dir::State::status=/dev/null -o Dir::Cache="$kept/apt" "$@"
    }
    apt update
    apt install --download-only --yes --no-install-recommends python3-minimal libpython3-stdlib libstdc++6
    for each in "$kept"/apt/archives/*.deb; do
        dpkg -x "$each" "$kept/root"
    done
    touch "$kept/ready"
fi
run() {
    PYTHONPATH="$kept/site" PYTHONDONTWRITEBYTECODE=1 CYBERDECK_CACHE_DIR="$kept/cache" \
        "$qemu" -L "$kept/root" "$kept/root/usr/bin/python3" -W error "$@"
}

rm -rf "$kept/site"
version=$(run -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$python" -m pip install --quiet --target "$kept/site" --only-binary :all: --python-version "$version" \
    --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 "$wheel"
run tools/native/digests.py "$digests"
test ! -e "$kept/cache"
