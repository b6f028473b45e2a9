#!/usr/bin/env bash
# Makes the kernel of the virtual board and of the booted Debian: Debian's own, uncompressed, with gpio-sim beside its
# modules.
#
# usage: make-kernel.sh CACHE
# Prints the folder under CACHE that holds `vmlinux`; `modules/`, what the virtual board loads, in order; and `tree/`,
# what a whole Debian finds under /lib/modules. It is named after the kernel's exact version and
# this script, so a second run finds it and needs no network; Debian's mirrors drop old kernels, so the version is asked
# for, not written down. When the mirror is out of reach, the newest kernel in the cache is taken.
#
# Debian builds its kernels without gpio-sim. The two files it consists of come from Debian's own source of the same
# version and are compiled against Debian's headers; nothing is installed, and nothing of it is shipped.
set -euo pipefail

mkdir -p "$1"
cache=$(realpath "$1")

# What the board needs, beside what is compiled into Debian's kernel. depmod knows what these need in turn.
modules=(
  virtio_pci virtio_blk virtio_net virtio_console 9p 9pnet_virtio ext4
  configfs irq_sim gpio-sim snd-aloop snd-dummy softdog
)

# Of the drivers, which are most of Debian's kernel, those that a computer of virtio devices and a test may want.
drivers=(block char gpio leds md virtio watchdog)

depends() { apt-cache depends "$1" 2>/dev/null | sed -n "s/^ *Depends: \($2\)\$/\1/p" | head -1; }
package_version() { apt-cache show --no-all-versions "$1" | sed -n 's/^Version: //p'; }

give_up() {
  local newest
  newest=$(ls -td "$cache"/linux-*/complete 2>/dev/null | head -1 || true)
  [[ -n $newest ]] || { echo "$1" >&2; exit 1; }
  echo "$1; taking the kernel in the cache" >&2
  dirname "$newest"
  exit 0
}

[[ $(dpkg --print-architecture) == amd64 ]] || give_up "the virtual board needs an amd64 Debian"
headers=$(depends linux-headers-amd64 'linux-headers-.*')
[[ -n $headers ]] || give_up "apt knows no linux-headers-amd64; run: apt-get update"
release=${headers#linux-headers-}
version=$(package_version "linux-image-$release")
folder="$cache/linux-$release-$version-$(sha256sum "$0" | cut -c 1-8)"
if [[ -e $folder/complete ]]; then
  echo "$folder"
  exit 0
fi

echo "Making the virtual board's kernel $version; this takes some minutes, once" >&2
work=$(mktemp -d "$cache/work.XXXXXX")
partial="$work/partial"
trap 'rm -rf "$work"' EXIT

series=$(cut -d. -f1-2 <<<"$version")
packages=("linux-image-$release" "$headers" "$(depends "$headers" 'linux-headers-.*-common')"
  "$(depends "$headers" 'linux-kbuild-.*')" "$(depends "$headers" 'linux-compiler-.*')")
mkdir "$work/debs"
(cd "$work/debs" && apt-get -qq download "${packages[@]}" "linux-source-$series=$version" >&2) ||
  give_up "the kernel cannot be downloaded; run: apt-get update"

mkdir -p "$work/root" "$work/gpio-sim" "$partial/modules"
for package in "$work"/debs/*.deb; do
  [[ $package == */linux-source-* ]] || dpkg-deb --extract "$package" "$work/root"
done
dpkg-deb --fsys-tarfile "$work"/debs/linux-source-*.deb |
  tar --extract --to-stdout "./usr/src/linux-source-$series.tar.xz" |
  tar --extract --xz --directory "$work/gpio-sim" --strip-components=1 "linux-source-$series/drivers/gpio/gpio-sim.c" \
    "linux-source-$series/drivers/gpio/gpiolib.h" "linux-source-$series/kernel/irq/irq_sim.c" \
    "linux-source-$series/scripts/extract-vmlinux"

cd "$work/gpio-sim"
mv drivers/gpio/*.[ch] kernel/irq/irq_sim.c .
# irq_to_desc() is not for modules; the same descriptor is reached through the interrupt's data.
sed -i -e 's/irq_to_desc(\([^)]*\))/irq_data_to_desc(irq_get_irq_data(\1))/' \
  -e '/#include <linux\/irq_sim.h>/i #include <linux/irqdesc.h>\n#include <linux/module.h>' irq_sim.c
echo 'MODULE_LICENSE("GPL");' >>irq_sim.c
echo 'obj-m := irq_sim.o gpio-sim.o' >Makefile
headers_folder="$work/root/usr/src/$headers"
sed -i "s| /usr/src| $work/root/usr/src|" "$headers_folder/Makefile"
make --silent -C "$headers_folder" M="$PWD" modules >"$work/build.log" 2>&1 || {
  cat "$work/build.log" >&2
  exit 1
}

tree="$work/root/lib/modules/$release"
mkdir "$tree/extra"
cp irq_sim.ko gpio-sim.ko "$tree/extra"
depmod --basedir "$work/root" "$release"
for module in "${modules[@]}"; do
  # In the order in which they are to be loaded; what is built in is named as such and left out.
  modprobe --dirname "$work/root" --set-version "$release" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' | while read -r file; do
  cp "$file" "$partial/modules/"
  basename "$file"
done >"$partial/modules/order"
# The same for modprobe, by name: without drivers of devices that QEMU does not show, and without what each boot would
# load because of the processor's abilities.
mkdir -p "$partial/tree"
cp --recursive "$tree" "$partial/tree/"
rm -rf "$partial/tree/$release"/{build,source,kernel/drivers,kernel/arch}
for driver in "${drivers[@]}"; do
  # Or it is compiled in.
  [[ -d $tree/kernel/drivers/$driver ]] || continue
  mkdir -p "$partial/tree/$release/kernel/drivers/$(dirname "$driver")"
  cp --recursive "$tree/kernel/drivers/$driver" "$partial/tree/$release/kernel/drivers/$driver"
done
mkdir -p "$work/pruned/lib"
ln -s "$partial/tree" "$work/pruned/lib/modules"
depmod --basedir "$work/pruned" "$release"
# An uncompressed kernel boots in half the time under emulation.
bash scripts/extract-vmlinux "$work/root/boot/vmlinuz-$release" >"$partial/vmlinux"
touch "$partial/complete"
# Another run may have been faster.
mv -T "$partial" "$folder" 2>/dev/null || [[ -e $folder/complete ]]
echo "$folder"
