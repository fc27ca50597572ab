#!/bin/sh
# environment.sh PYTHON FOLDER PIP-ARGUMENTS...: a virtual environment with these packages.
# Works where the system Python has pip but not venv's ensurepip (Debian), and where it refuses
# to install for everybody (PEP 668): nothing is installed outside FOLDER.
set -eu
python=$1
folder=$2
shift 2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "cyberdeck needs Python 3.11 or newer, and '$python' is not: $("$python" --version 2>&1)" >&2
    echo "Name another one, for example: make PYTHON=python3.12 ..." >&2
    exit 1
fi
if [ ! -x "$folder/bin/python" ]; then
    if ! "$python" -m venv "$folder" >/dev/null 2>&1; then
        # No ensurepip here: make the environment bare and let the system's pip fill it.
        rm -rf "$folder"
        "$python" -m venv --without-pip "$folder"
        if ! "$python" -m pip --python "$folder/bin/python" install --quiet pip; then
            rm -rf "$folder"
            echo "This Python can make no environment: it has neither ensurepip nor pip." >&2
            echo "On Debian or Ubuntu: apt-get install python3-venv. Then try again." >&2
            exit 1
        fi
    fi
fi
echo "Installing into $folder (the first time this takes a minute or two) ..."
"$folder/bin/python" -m pip install --quiet "$@"
