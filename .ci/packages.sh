#!/bin/sh
# packages.sh PACKAGE...: install those of Debian's packages that are not there yet.
set -eu
missing=""
for each in "$@"; do
    case $each in
        nodejs) command=node ;;
        qemu-user-static) command=qemu-aarch64-static ;;
        *) command=$each ;;
    esac
    [ "$each" = chromium ] && [ -n "${CHROMIUM:-}" ] && continue
    command -v "$command" >/dev/null || missing="$missing $each"
done
[ -z "$missing" ] && exit 0
[ "$(id -u)" = 0 ] || { echo "install these first:$missing" >&2; exit 1; }
apt-get update -qq
# shellcheck disable=SC2086  # a list of names
DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $missing >/dev/null
