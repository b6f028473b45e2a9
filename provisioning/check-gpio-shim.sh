#!/usr/bin/env bash
# Compiles the shim over libgpiod against both versions that Debian ships: this machine's, and those of Debian 12 (1.6)
# and Debian 13 (2.2), whose APIs share nothing but the name.
#
# usage: check-gpio-shim.sh CACHE
# The headers come from the mirror that apt is configured with, in an apt folder of their own that leaves the machine's
# sources alone, and stay in CACHE.
set -euo pipefail

mkdir -p "$1"
cache=$(realpath "$1")
project=$(realpath "$(dirname "$0")/..")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m1 '/debian/\?$' || echo http://deb.debian.org/debian)

fetch_headers() {
  local suite=$1 apt="$cache/apt-$1"
  mkdir -p "$apt"/{lists/partial,archives/partial}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/sources.list"
  local options=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$apt/lists"
    -o "Dir::Cache=$apt" -o APT::Sandbox::User="$(id -un)")
  apt-get -qq "${options[@]}" update
  (cd "$apt" && apt-get -qq "${options[@]}" download libgpiod-dev)
  dpkg-deb --extract "$apt"/libgpiod-dev_*.deb "$cache/$suite.partial"
  mv "$cache/$suite.partial" "$cache/$suite"
  rm -rf "$apt"
}

compile() {
  local name=$1
  shift
  echo "#include \"$project/Sources/c/CGPIOD/shim.h\"" |
    gcc -x c - -fsyntax-only -std=c11 -Wall -Wextra -Werror -Wno-unused-function "$@"
  echo "libgpiod of $name: compiled"
}

compile "this machine"
for suite in bookworm trixie; do
  [[ -d $cache/$suite ]] || fetch_headers "$suite"
  compile "$suite" -isystem "$cache/$suite/usr/include"
done
