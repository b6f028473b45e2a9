#!/usr/bin/env bash
# Makes what the virtual board boots into: an initial RAM disk that loads the modules, and a root folder with the
# program under test, the shared libraries it is linked with, and the few tools that the tests use in there.
#
# usage: make-root.sh KERNEL ROOT SOUNDBOX
#   KERNEL     the folder that make-kernel.sh printed
#   ROOT       is made, or brought up to date; the guest mounts it read-only
#   SOUNDBOX   the program under test
set -euo pipefail

kernel=$(realpath "$1")
mkdir -p "$2"
root=$(realpath "$2")
soundbox=$(realpath "$3")
here=$(realpath "$(dirname "$0")")
busybox=$(command -v busybox)

# A program, without symbols as the packages have it, and every library the dynamic linker would load for it, under the
# same paths as here.
install_program() {
  local program=$1 name=$2 library
  mkdir -p "$root/usr/bin"
  # The copy has the time of what it was made from, which may be an older one than last time.
  if [[ $root/usr/bin/$name -nt $program || $root/usr/bin/$name -ot $program ]]; then
    strip --strip-unneeded --preserve-dates -o "$root/usr/bin/$name" "$program"
  fi
  ldd "$program" | sed -n 's/.*[ \t]\(\/[^ ]*\) (0x.*/\1/p' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp --update --dereference --reflink=auto "$library" "$root$library"
  done
}

mkdir -p "$root"/{bin,dev,etc,host,proc,run,sys,tmp,state}
ln -sfn bin "$root/sbin"
cp --update "$busybox" "$root/bin/busybox"
for tool in $("$busybox" --list); do
  [[ $tool == busybox ]] || ln -sf busybox "$root/bin/$tool"
done
install_program "$soundbox" soundbox
for tool in amixer arecord mosquitto mosquitto_pub; do
  install_program "$(PATH=$PATH:/usr/sbin command -v $tool)" "$tool"
done
gcc -Wall -Werror -static -s -o "$root/usr/bin/supervise" "$here/supervise.c"
# alsa-lib finds its description of the devices, and its plugins, where Debian has them.
mkdir -p "$root/usr/share" "$root/usr/lib"
cp --recursive --update /usr/share/alsa "$root/usr/share/"
echo 'root:x:0:0:root:/:/bin/sh' >"$root/etc/passwd"
cp --update "$here/agent.sh" "$here/functions.sh" "$root/"

# The RAM disk. Small, since every boot unpacks it.
disk=$(mktemp -d)
trap 'rm -rf "$disk"' EXIT
mkdir -p "$disk"/{bin,dev,modules,proc,root,sys}
cp "$busybox" "$disk/bin/busybox"
cp "$here/init.sh" "$disk/init"
cp "$kernel"/modules/* "$disk/modules/"
(cd "$disk" && find . | "$busybox" cpio -o -H newc 2>/dev/null) >"$root.initrd.partial"
mv "$root.initrd.partial" "$root.initrd"
