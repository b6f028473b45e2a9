# Where the build against Debian 13 keeps what it fetched; sourced, never run, with an architecture: amd64 or arm64.
# shellcheck shell=bash disable=SC2034

cache=$(realpath -m "${SOUNDBOX_CROSS_CACHE:-$HOME/.cache/soundbox-cross}")
mirror=${SOUNDBOX_DEBIAN_MIRROR:-http://deb.debian.org/debian}
arch=$1
case $arch in
# Debian's Swift has its modules under this name.
amd64) gnu=x86_64-linux-gnu triple=x86_64-pc-linux-gnu ;;
arm64) gnu=aarch64-linux-gnu triple=aarch64-unknown-linux-gnu ;;
*) echo "cross.sh: the architecture is amd64 or arm64, not \"$arch\"" >&2; exit 64 ;;
esac
sdk=soundbox-$arch

# The compiler, and what runs it.
chroot=$cache/sid-amd64

# What the box and its tests are linked with. A changed list makes a new sysroot.
libraries=(
  base-files libc6-dev libgcc-14-dev libstdc++-14-dev
  libasound2-dev libgpiod-dev libsndfile1-dev libebur128-dev libopus-dev libsoxr-dev libsonic-dev
  libsqlite3-dev libssl-dev libcurl4-openssl-dev libmicrohttpd-dev libmosquitto-dev libqrencode-dev libpq-dev zlib1g-dev
  libicu-dev
)
sysroot=$cache/sysroot-$arch-$(printf '%s\n' "${libraries[@]}" | md5sum | cut -c1-8)
