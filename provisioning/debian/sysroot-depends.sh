#!/usr/bin/env bash
# The packages of a sysroot that a binary is linked against, as a Depends field: dpkg-shlibdeps knows this machine's
# packages only.
#
# usage: sysroot-depends.sh BINARY SYSROOT
set -euo pipefail
binary=$1 sysroot=$2

owner() { # LIBRARY
  # Names may be listed with and without /usr, and the file may be the target of the name.
  grep -lE "/$1\$" "$sysroot"/var/lib/dpkg/info/*.list | grep -v -- '-dev' | head -1 | sed 's|.*/||; s|\.list$||; s|:.*||'
}
version() { # PACKAGE: the upstream part, so that a rebuild for a point release is good enough
  dpkg-query --admindir="$sysroot/var/lib/dpkg" --show --showformat='${Version}' "$1:arm64" | sed 's/-[^-]*$//'
}

readelf --dynamic "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r library; do
  package=$(owner "$library")
  [[ -n $package ]] || { echo "no package of the sysroot has $library" >&2; exit 1; }
  printf '%s (>= %s)\n' "$package" "$(version "$package")"
done | sort -u | paste -sd, | sed 's/,/, /g'
