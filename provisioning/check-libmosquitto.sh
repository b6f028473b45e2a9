#!/usr/bin/env bash
# Runs the tests of the connection over Debian 13's libmosquitto, which also loads on Debian 12. They must have been built.
#
# usage: check-libmosquitto.sh CACHE [FLAG ...]
# The package comes from the mirror that apt is configured with, and stays in CACHE. The flags are for `swift test`.
# Exits with 75 and the reason where the package cannot be had.
set -euo pipefail

version=2.0.21-1
sum=d249f578c6e65483e92e9ff2fdee24b9526ebebdac6bdab111b1633da488b30f
mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m1 '/debian/\?$' || echo http://deb.debian.org/debian)

skip() {
  echo "The tests over libmosquitto $version are skipped: $1" >&2
  exit 75
}

[[ $(dpkg --print-architecture) == amd64 ]] || skip "its checksum is known for amd64 only."
mkdir -p "$1"
folder=$(realpath "$1")/$version
shift
if [[ ! -d $folder ]]; then
  package=$folder.deb
  /usr/lib/apt/apt-helper -qq -o APT::Sandbox::User="$(id -un)" download-file \
    "${mirror%/}/pool/main/m/mosquitto/libmosquitto1_${version}_amd64.deb" "$package" "SHA256:$sum" ||
    skip "$mirror does not have it any more."
  dpkg-deb --extract "$package" "$folder.partial"
  mv "$folder.partial" "$folder"
fi
echo "libmosquitto $version:"
LD_LIBRARY_PATH=$folder/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
  "$(dirname "$0")/run-tests.sh" "$@" --skip-build --filter SoundboxMQTTTests
