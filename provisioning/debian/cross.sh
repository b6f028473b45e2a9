# Where the cross build keeps what it fetched; sourced by build-debian13.sh and test-arm64.sh, never run.
# shellcheck shell=bash disable=SC2034

cache=$(realpath -m "${SOUNDBOX_CROSS_CACHE:-$HOME/.cache/soundbox-cross}")
mirror=${SOUNDBOX_DEBIAN_MIRROR:-http://deb.debian.org/debian}
sdk=soundbox-arm64

# The compiler, and what runs it.
chroot=$cache/sid-amd64

# What the box and its tests are linked with on arm64. A changed list makes a new sysroot.
libraries=(
  base-files libc6-dev libgcc-14-dev libstdc++-14-dev
  libasound2-dev libgpiod-dev libsndfile1-dev libebur128-dev libsoxr-dev libsonic-dev
  libsqlite3-dev libssl-dev libcurl4-openssl-dev libmicrohttpd-dev libmosquitto-dev libqrencode-dev zlib1g-dev libicu-dev
)
sysroot=$cache/sysroot-$(printf '%s\n' "${libraries[@]}" | md5sum | cut -c1-8)
