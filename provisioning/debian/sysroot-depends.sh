#!/usr/bin/env bash
# The packages of a sysroot that a binary is linked against, as a Depends field: dpkg-shlibdeps knows this machine's
# packages only. Reads what those packages themselves say (deb-shlibs(5)), which build-debian13.sh keeps in SYSROOT/shlibs.
#
# usage: sysroot-depends.sh BINARY SYSROOT
set -euo pipefail
binary=$1 sysroot=$2

readelf --dynamic "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r file; do
  # libasound.so.2 is library libasound, version 2; ld-linux-aarch64.so.1 likewise.
  dependency=$(awk -v library="${file%%.so*}" -v version="${file##*.so.}" \
    '$1 == library && $2 == version { $1 = $2 = ""; sub(/^ +/, ""); print; exit }' "$sysroot/shlibs")
  [[ -n $dependency ]] || { echo "no package of the sysroot says that it has $file" >&2; exit 1; }
  echo "$dependency"
done | LC_ALL=C sort -u | paste -sd, | sed 's/,/, /g'
