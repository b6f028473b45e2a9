#!/usr/bin/env bash
# Makes what a card is made from, once for each list of packages: a Debian 13 for amd64 with the tools (QEMU, mtools,
# zstd), and the root file system of a card, without the box. About ten minutes.
#
# usage: make-root.sh CACHE      as root; prints the folder of the tools and the archive of the root file system
set -euo pipefail
(($# >= 1)) || { echo "usage: $0 CACHE" >&2; exit 64; }
cache=$(realpath -m "$1")
here=$(realpath "$(dirname "$0")")
mirror=${SOUNDBOX_DEBIAN_MIRROR:-http://deb.debian.org/debian}
frozen=(--aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"')
mkdir -p "$cache"
# Two at a time would make the same.
exec 8>"$cache/card-root.lock"
flock 8

tool_packages=qemu-user,qemu-system-arm,mmdebstrap,mount,mtools,zstd,dosfstools,e2fsprogs,fdisk,device-tree-compiler,python3,ca-certificates
tools=$cache/card-tools-$(md5sum <<<"$tool_packages" | cut -c1-8)
if [[ ! -d $tools ]]; then
  echo "Fetching the tools (Debian 13, amd64)" >&2
  rm -rf "$tools.part"
  mmdebstrap --variant=apt "${frozen[@]}" --include="$tool_packages" trixie "$tools.part" "$mirror" \
    >"$cache/card-tools.log" 2>&1 || { tail "$cache/card-tools.log" >&2; exit 1; }
  mv "$tools.part" "$tools"
fi

drivers=(infiniband/'*' media/{usb,pci,platform,i2c,dvb-frontends,tuners}/'*')
packages=$(grep -v '^#' "$here/packages.list" | paste -sd,)
root=$cache/card-root-$(cat "$here/packages.list" "$0" | md5sum | cut -c1-8).tar
if [[ ! -e $root ]]; then
  echo "Making the root file system of a card (Debian 13, arm64)" >&2
  # Its initial RAM disk is made once the box is in it, and not three times before. What a box does not need stays out,
  # also when packages are upgraded: manual pages, translations, other makers' device trees, drivers of cameras and
  # tuners. The parts of drivers/media that USB sound (mc) and HDMI (cec) need stay.
  "$here/inside.sh" "$tools" mmdebstrap --mode=root --skip=check/qemu --architectures=arm64 --variant=minbase \
    --components=main,non-free-firmware "${frozen[@]}" --include="$packages" \
    --dpkgopt=force-confdef --dpkgopt=force-confold --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/lib/linux-image-*/*/*' --dpkgopt='path-include=/usr/lib/linux-image-*/broadcom/*' \
    "${drivers[@]/#/--dpkgopt=path-exclude=/usr/lib/modules/*/kernel/drivers/}" \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-include=/usr/share/doc/soundbox*' \
    --setup-hook='mkdir -p "$1/etc/default" "$1/etc/initramfs-tools" "$1/boot/firmware"
      printf "ROOTPART=LABEL=RASPIROOT\nCONSOLES=\"auto\"\n" >"$1/etc/default/raspi-firmware"
      printf "update_initramfs=no\n" >"$1/etc/initramfs-tools/update-initramfs.conf"' \
    trixie "/cache/$(basename "$root" .tar).part.tar" "$mirror" >"$cache/card-root.log" 2>&1 ||
    { tail "$cache/card-root.log" >&2; exit 1; }
  mv "${root%.tar}.part.tar" "$root"
fi
printf '%s\n' "$tools" "$root"
