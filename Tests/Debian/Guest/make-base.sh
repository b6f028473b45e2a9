#!/usr/bin/env bash
# Makes the Debian that packages of the sound box are tried in, still without them: what they depend on, and a broker.
#
# usage: make-base.sh CACHE KERNEL
#   CACHE    where it is kept
#   KERNEL   the folder that make-kernel.sh of the virtual board printed
# Prints the folder under CACHE that holds `root.tar` and `initrd`. It is named after the kernel and after what it is
# made from, so a second run finds it and needs no network. Needs root, and, the first time, the mirror that apt is
# configured with.
set -euo pipefail

mkdir -p "$1"
cache=$(realpath "$1")
kernel=$(realpath "$2")
here=$(realpath "$(dirname "$0")")

packages=(
  # a computer
  systemd systemd-sysv udev dbus kmod procps iproute2 systemd-timesyncd
  # what the sound box is linked with and depends on, so that installing it needs no network
  ca-certificates libasound2 libgpiod2 libsndfile1 libsoxr0 libsonic0 libsqlite3-0 libssl3 libcurl4
  libmicrohttpd12 libmosquitto1 libqrencode4 libpq5
  # what its helper starts
  espeak-ng
  # for scenarios: a card's mixer and recorder, a broker and its clients, signatures, a FAT partition, the inbox
  alsa-utils mosquitto mosquitto-clients curl openssl dosfstools sqlite3
  # the code for the page, which no log has
  strace
  # a repository that the box follows
  unattended-upgrades reprepro gnupg
)
folder=$cache/base-$(basename "$kernel")-$(cat "$0" "$here/init.sh" | sha256sum | cut -c 1-8)
if [[ -e $folder/complete ]]; then
  echo "$folder"
  exit 0
fi

((EUID == 0)) || { echo "making a Debian to boot needs root: sudo $0 $1 $2" >&2; exit 1; }
echo "Making a Debian to boot; this takes a minute or two, once" >&2
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
partial=$work/partial
root=$work/root
mkdir "$partial"

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# Nobody reads manuals in there. apt's lists stay: a package that is missing above is still found, with a network.
mmdebstrap --variant=minbase --include="$(IFS=,; echo "${packages[*]}")" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"' \
  "$suite" "$root" >"$work/log" 2>&1 || {
  tail -5 "$work/log" >&2
  echo "mmdebstrap made no Debian $suite: is its mirror within reach?" >&2
  exit 1
}

mkdir -p "$root/lib/modules" "$root/boot/firmware"
cp --recursive "$kernel"/tree/* "$root/lib/modules/"
echo 'counter' >"$root/etc/hostname"
# minbase has none.
printf '127.0.0.1 localhost counter\n::1 localhost\n' >"$root/etc/hosts"
printf '/dev/vda / ext4 errors=remount-ro 0 1\n' >"$root/etc/fstab"
: >"$root/etc/machine-id"
# The journal outlives a power cut as far as the disk does, and tells of the boots before.
mkdir -p "$root/var/log/journal"
# Nothing here belongs to the sound box and takes time at every boot.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
  fstrim.timer getty@tty1.service unattended-upgrades.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
tar --create --file "$partial/root.tar" --directory "$root" --numeric-owner --xattrs .

# The RAM disk: what it takes to find the disk. An eighth of what Debian's own holds.
disk=$work/disk
mkdir -p "$disk"/{bin,dev,modules,proc,root,sys}
cp "$(command -v busybox)" "$disk/bin/busybox"
install -m 755 "$here/init.sh" "$disk/init"
release=$(basename "$kernel"/tree/*)
for module in virtio_pci virtio_blk ext4; do
  modprobe --dirname "$root" --set-version "$release" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' | while read -r file; do
  cp "$file" "$disk/modules/"
  basename "$file"
done >"$disk/modules/order"
(cd "$disk" && find . | busybox cpio -o -H newc 2>/dev/null) >"$partial/initrd"
touch "$partial/complete"
# Another run may have been faster.
mv -T "$partial" "$folder" 2>/dev/null || [[ -e $folder/complete ]]
echo "$folder"
