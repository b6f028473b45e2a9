#!/usr/bin/env bash
# Makes the image of a card for Raspberry Pi 3, Zero 2 W, 4 and 400, of the box's packages for arm64: Debian 13 with
# Debian's kernel. The first run makes its root file system, ten minutes; the next ones take two.
#
# usage: make-card.sh PACKAGES OUTPUT [VOICE]      as root; the voice is zh-cn
#
# Writes OUTPUT/soundbox-VERSION-arm64.img.zst and its SHA-256. In the environment:
#   CARD_FOLLOWS   the ring that it gets updates from: URL RING KEYRING (provisioning/repository/follow.sh)
#   CARD_BOOT      yes: also OUTPUT/boot, kernel and device trees for test-card.sh
set -euo pipefail
(($# >= 2)) || { echo "usage: $0 PACKAGES OUTPUT [VOICE]" >&2; exit 64; }
here=$(realpath "$(dirname "$0")")

# The second half, inside: with what the card is made from at /cache.
if [[ $1 == --inside ]]; then
  root_archive=/cache/$2 packages=/cache/card-packages image=/cache/card.img
  root=$(mktemp -d /cache/card.XXXXXX)
  trap 'umount --lazy "$root/dev" "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root" "$root.boot"' EXIT
  tar --numeric-owner --xattrs --xattrs-include='*' -xf "$root_archive" -C "$root" --exclude='./dev/*'
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  on_card() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

  echo "Installing the box"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  cp -r /project/provisioning/card/files/. "$root/"
  mkdir -p "$root/tmp/packages"
  cp "$packages"/*.deb "$root/tmp/packages/"
  on_card apt-get -qq -o Acquire::Check-Valid-Until=false update
  on_card sh -c 'apt-get -qq install --yes --no-install-recommends -o Dpkg::Options::=--force-confold /tmp/packages/*.deb' \
    >"/cache/card.log" 2>&1 || { tail -n 20 /cache/card.log >&2; exit 1; }
  # shellcheck disable=SC2046
  [[ ! -e $packages/follows ]] ||
    /project/provisioning/repository/follow.sh $(<"$packages/follows") "$packages/keyring.gpg" "$root"
  touch "$root/usr/share/soundbox/card-image"
  on_card systemctl --quiet enable soundbox-card-{grow,keys,zone}.service
  on_card systemctl --quiet mask systemd-firstboot.service
  on_card passwd --quiet --lock root
  # Each card's own: the first start writes them.
  : >"$root/etc/machine-id"
  rm -f "$root"/etc/ssh/ssh_host_* "$root/var/lib/dbus/machine-id"
  ln -s /etc/machine-id "$root/var/lib/dbus/machine-id"
  rm -f "$root/etc/initramfs-tools/update-initramfs.conf"
  printf 'update_initramfs=yes\n' >"$root/etc/initramfs-tools/update-initramfs.conf"
  on_card update-initramfs -u >>/cache/card.log 2>&1 || { tail -n 20 /cache/card.log >&2; exit 1; }
  rm -rf "$root"/{usr/sbin/policy-rc.d,tmp/packages,etc/resolv.conf} "$root"/var/lib/apt/lists/* \
    "$root"/var/cache/apt/{*.bin,archives/*.deb} "$root"/var/log/*.log
  umount --lazy "$root/dev"
  umount "$root/proc"

  echo "Writing the file systems"
  mv "$root/boot/firmware" "$root.boot"
  mkdir -p "$root/boot/firmware" "$root.boot/soundbox" "$root.boot/overlays"
  dtc -@ -q -I dts -O dtb -o "$root.boot/overlays/soundbox-i2s.dtbo" /project/provisioning/card/soundbox-i2s.dts
  cp /project/provisioning/card/README.txt "$root.boot/soundbox/"
  boot_size=256 root_size=$(($(du -sm "$root" | cut -f1) * 115 / 100 + 150))
  rm -f "$image" /cache/card-{boot,root}.img
  truncate -s "${boot_size}M" /cache/card-boot.img
  mkfs.vfat -F 32 -n RASPIFIRM /cache/card-boot.img >/dev/null
  mcopy -s -i /cache/card-boot.img "$root.boot"/* ::
  truncate -s "${root_size}M" /cache/card-root.img
  mkfs.ext4 -q -L RASPIROOT -d "$root" /cache/card-root.img
  truncate -s "$((4 + boot_size + root_size + 1))M" "$image"
  printf 'label: dos\nstart=8192, size=%s, type=c, bootable\nstart=%s, size=%s, type=83\n' \
    $((boot_size * 2048)) $((8192 + boot_size * 2048)) $((root_size * 2048)) | sfdisk -q "$image"
  dd if=/cache/card-boot.img of="$image" bs=1M seek=4 conv=notrunc,sparse status=none
  dd if=/cache/card-root.img of="$image" bs=1M seek=$((4 + boot_size)) conv=notrunc,sparse status=none
  rm -f /cache/card-{boot,root}.img
  rm -rf /cache/card-boot
  [[ ${3:-} != yes ]] || cp -r "$root.boot" /cache/card-boot

  echo "Compressing"
  zstd -q -T0 -12 --force "$image" -o "$image.zst"
  exit
fi

((EUID == 0)) || { echo "Making a card needs root: sudo $0 $*" >&2; exit 1; }
packages=$(realpath "$1") output=$(realpath -m "$2") voice=${3:-zh-cn}
cache=$(realpath -m "${SOUNDBOX_CROSS_CACHE:-$HOME/.cache/soundbox-cross}")
newest() { # PATTERN: the newest file of that name
  local files
  # shellcheck disable=SC2012,SC2086
  files=$(ls -t "$packages"/$1 2>/dev/null | head -n 1)
  [[ -n $files ]] || { echo "make-card.sh: there is no $1 in $packages; run: make deb ARCH=arm64" >&2; exit 1; }
  echo "$files"
}
box=$(newest 'soundbox_*_arm64.deb')
version=$(dpkg-deb --field "$box" Version)
speak=$(newest "soundbox-speak_${version}_arm64.deb") spoken=$(newest "soundbox-voice-${voice}_${version}_all.deb")
{ read -r tools; read -r root; } < <("$here/make-root.sh" "$cache")
[[ -e ${root:-} ]] || exit 1
# Two at a time would write one image.
exec 9>"$cache/card.lock"
flock 9
rm -rf "$cache/card-packages"
mkdir -p "$cache/card-packages" "$output"
cp "$box" "$speak" "$spoken" "$cache/card-packages/"
if [[ -n ${CARD_FOLLOWS:-} ]]; then
  read -r url ring keyring <<<"$CARD_FOLLOWS"
  echo "$url $ring" >"$cache/card-packages/follows"
  cp "${keyring:?"CARD_FOLLOWS is URL RING KEYRING"}" "$cache/card-packages/keyring.gpg"
fi
"$here/inside.sh" "$tools" /project/provisioning/card/make-card.sh --inside "${root##*/}" "${CARD_BOOT:-}"
image=soundbox-$version-arm64.img
mv "$cache/card.img.zst" "$output/$image.zst"
rm -f "$cache/card.img"
if [[ ${CARD_BOOT:-} == yes ]]; then
  rm -rf "$output/boot"
  mv "$cache/card-boot" "$output/boot"
fi
(cd "$output" && sha256sum "$image.zst" >"$image.zst.sha256")
echo "$output/$image.zst ($(du -m "$output/$image.zst" | cut -f1) MB)"
