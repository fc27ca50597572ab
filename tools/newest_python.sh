#!/bin/sh
# newest_python.sh VERSION FOLDER: Python VERSION, such as 3.14, as FOLDER/root/usr/bin/pythonVERSION.
# It is that of Debian's release in the making, forky. apt downloads it with all it needs, its own C
# library among them, and leaves this system as it is.
set -eu
version=$1
mkdir -p "$2/apt/lists/partial" "$2/apt/archives/partial" "$2/root"
folder=$(cd "$2" && pwd)
root=$folder/root
from=$(sed -n -e 's/^URIs: *//p' -e 's/^deb .*\(http[^ ]*\) .*/\1/p' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $from forky main" >"$folder/apt/sources.list"
apt() {
    apt-get -qq -o APT::Sandbox::User=root -o Acquire::Languages=none -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::Etc::sourcelist="$folder/apt/sources.list" -o Dir::State::lists="$folder/apt/lists" \
        -o Dir::State::status=/dev/null -o Dir::Cache="$folder/apt" "$@"
}
apt update
apt install --download-only --yes --no-install-recommends "python$version" "python$version-venv" \
    libgomp1 libstdc++6
for each in "$folder"/apt/archives/*.deb; do
    dpkg -x "$each" "$root"
done

# With that C library and by the name it is called by, so that environments are made from it.
libraries=$(ls -d "$root"/usr/lib/*-linux-gnu*)
python=$root/usr/bin/python$version
mv "$python" "$python.elf"
cat >"$python" <<SH
#!/bin/sh
exec "$(ls "$libraries"/ld-linux-*)" --library-path "$libraries" --argv0 "\$0" "$python.elf" "\$@"
SH
chmod +x "$python"
# ensurepip looks for pip where Debian puts it: in / and not here.
rm "$root/usr/lib/python$version/EXTERNALLY-MANAGED"
PYTHONPATH=$(ls "$root"/usr/share/python-wheels/pip-*.whl) "$python" -m pip install --quiet \
    --no-warn-script-location --root-user-action ignore pip
