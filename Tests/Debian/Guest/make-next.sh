#!/usr/bin/env bash
# Makes the packages of the next version, 99.0.0, for tests of upgrades: this tree with next.patch, which changes the
# tables of the inbox. Prints their folder. Takes minutes, once for each state of the sources.
#
# usage: make-next.sh CACHE SPEAK    SPEAK is a released soundbox-speak
set -euo pipefail

mkdir -p "$1"
cache=$(realpath "$1") speak=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/../../..")
parts=(Package.swift Package.resolved Sources Tests board sounds/zh-CN provisioning docs README.md CHANGELOG.md)
sum=$(cd "$project" && {
  find Package.* Sources provisioning sounds/zh-CN -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
  sha256sum "$speak" "$here/next.patch" | cut -d ' ' -f 1
} | sha256sum | cut -c 1-12)
folder=$cache/next-$sum
if [[ ! -e $folder ]]; then
  tree=$cache/next-tree
  rm -rf "$cache"/next-*
  mkdir -p "$tree"
  (cd "$project" && cp -a --parents "${parts[@]}" "$tree")
  patch --quiet --strip 1 --directory "$tree" <"$here/next.patch"
  swift build --package-path "$tree" -c release --static-swift-stdlib --product soundbox >&2
  SOUNDBOX_DEB_VERSION=99.0.0 SOUNDBOX_DEB_COMPRESSION=none SOUNDBOX_DEB_VOICES=zh-CN SOUNDBOX_DEB_SPEAK=$speak \
    "$tree/provisioning/debian/build.sh" "$(dpkg --print-architecture)" "$tree/.build/release/soundbox" "$folder.partial" >&2
  mv "$folder.partial" "$folder"
  rm -rf "$tree"
fi
echo "$folder"
