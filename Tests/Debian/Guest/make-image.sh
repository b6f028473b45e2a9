#!/usr/bin/env bash
# Makes the disk that a booted Debian starts from: the packages of this source tree, installed by apt, and a box
# set up as M1001/box-01 with the broker of its own machine.
#
# usage: make-image.sh [--find] CACHE SOUNDBOX
#   CACHE      where it is kept, with what it is made from
#   SOUNDBOX   a release binary; beside it are soundbox-speak and, to have that too, soundbox-gateway
#   --find     only look for it, and fail when it would have to be made
# Prints the folder under CACHE that holds `vmlinux`, `initrd` and `disk.img`. A second run with the same program and
# the same packaging finds it. Needs root. In the guest, /root/next has the packages of the next version, 99.0.0: those
# of the folder DEBIAN_NEXT, or without it this program by that name.
set -euo pipefail

only_find=''
if [[ $1 == --find ]]; then
  only_find=yes
  shift
fi
[[ $(dpkg --print-architecture) == amd64 ]] || { echo "a Debian to boot needs an amd64 Debian around it" >&2; exit 1; }
for tool in qemu-system-x86_64 busybox mmdebstrap mke2fs mkfs.vfat; do
  PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null ||
    { echo "$tool is not installed; run: provisioning/install-dependencies.sh" >&2; exit 1; }
done
for program in "$2" "$2-speak"; do
  [[ -x $program ]] || { echo "there is no released program at $program; run: make debian-image" >&2; exit 1; }
done

mkdir -p "$1"
cache=$(realpath "$1")
soundbox=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/../../..")

voice=zh-CN
# By relative paths: a copy of the tree finds the copy of the cache.
parts=$(cd "$project" && {
  cat "$soundbox" "$soundbox-speak" $(ls "$soundbox-gateway" 2>/dev/null) | sha256sum
  basename "${DEBIAN_NEXT:-}"
  find Tests/{Debian,Board}/Guest provisioning board "sounds/$voice" Sources/box/Core/Version.swift \
    Sources/page/browser README.md CHANGELOG.md docs/{operations,configuration,integration}.md -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
} | sha256sum | cut -c 1-12)
if [[ -n $only_find ]]; then
  found=$(ls -td "$cache/image-$parts"-*/complete 2>/dev/null | head -1 || true)
  [[ -n $found ]] || { echo "no Debian has this build installed; run, as root: make debian-image" >&2; exit 1; }
  dirname "$found"
  exit 0
fi

# In a mount name space of its own: nothing stays mounted, whatever happens.
[[ -n ${SOUNDBOX_IN_NAMESPACE:-} ]] || {
  ((EUID == 0)) || { echo "making a Debian to boot needs root: sudo $0 $*" >&2; exit 1; }
  exec env SOUNDBOX_IN_NAMESPACE=1 unshare --mount --propagation private "$0" "$@"
}

# Two runs at a time would make the same twice.
exec 9>"$cache/lock"
flock 9

kernel=$("$here/../../Board/Guest/make-kernel.sh" "$cache/../board-cache")
base=$("$here/make-base.sh" "$cache" "$kernel")

folder=$cache/image-$parts-$(basename "$base" | sed 's/.*-//')
if [[ -e $folder/complete ]]; then
  echo "$folder"
  exit 0
fi

work=$(mktemp -d "$cache/work.XXXXXX")
root=$work/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
partial=$work/partial
mkdir -p "$root" "$partial"
export SOUNDBOX_DEB_COMPRESSION=none SOUNDBOX_DEB_VOICES=$voice SOUNDBOX_DEB_SPEAK=$soundbox-speak
arch=$(dpkg --print-architecture)
SOUNDBOX_DEB_GATEWAY=$(ls "$soundbox-gateway" 2>/dev/null || true) \
  "$project/provisioning/debian/build.sh" "$arch" "$soundbox" "$work/this" >/dev/null
[[ -n ${DEBIAN_NEXT:-} ]] ||
  SOUNDBOX_DEB_VERSION=99.0.0 "$project/provisioning/debian/build.sh" "$arch" "$soundbox" "$work/next" >/dev/null

tar --extract --file "$base/root.tar" --directory "$root" --numeric-owner --xattrs
# The agent through which a test drives it.
mkdir -p "$root/usr/lib/soundbox-test"
cp "$here/agent.sh" "$here/../../Board/Guest/functions.sh" "$root/usr/lib/soundbox-test/"
cp "$here/agent.service" "$root/etc/systemd/system/soundbox-test-agent.service"
ln -s ../soundbox-test-agent.service "$root/etc/systemd/system/multi-user.target.wants/"
mkdir -p "$root/root/this" "$root/root/next"
cp "$work"/this/*.deb "$root/root/this/"
cp "${DEBIAN_NEXT:-$work/next}"/*.deb "$root/root/next/"
cp "$project"/provisioning/repository/{repository,follow}.sh "$root/usr/local/bin/"
# Nothing is started in a chroot.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
mount -t proc proc "$root/proc"
# No network is needed, as long as make-base.sh names all that the packages depend on.
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  sh -c 'exec apt-get -qq install --yes --no-install-recommends /root/this/*.deb' >"$work/install.log" 2>&1 || {
  tail -20 "$work/install.log" >&2
  echo "the packages cannot be installed in a clean Debian; make-base.sh names what they depend on" >&2
  exit 1
}
chroot "$root" env -i PATH=/usr/bin LC_ALL=C.UTF-8 soundbox setup --yes --skip-checks --skip-sound --no-restart \
  --merchant-id M1001 --device-id box-01 --broker mqtt://127.0.0.1 >"$work/setup.log" 2>&1 || {
  cat "$work/setup.log" >&2
  exit 1
}
umount "$root/proc"
rm "$root/usr/sbin/policy-rc.d"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

truncate --size 2G "$partial/disk.img"
mke2fs -q -F -t ext4 -E root_owner=0:0 -d "$root" "$partial/disk.img"
# Small enough for a copy, and whole when the kernel's cache is emptied.
cp "$kernel/vmlinux" "$base/initrd" "$partial/"
touch "$partial/complete"
# Those of earlier builds are of no use any more, nor are disks that a killed test has left.
rm -rf "$cache"/image-*
find "$cache" -maxdepth 1 -name 'disk-*' -mmin +300 -delete
mv -T "$partial" "$folder"
echo "$folder"
