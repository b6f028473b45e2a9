#!/usr/bin/env bash
# Makes the packages for Debian 13 and Raspberry Pi OS 13, on an amd64 machine of any Debian.
#
# The first run fetches a Swift compiler and its libraries from Debian sid and the libraries of Debian 13 (about 1.5 GB)
# and makes a Swift SDK of them; it needs root. They stay in $SOUNDBOX_CROSS_CACHE (by default ~/.cache/soundbox-cross),
# since sid moves: delete the folder to start afresh.
#
# usage: build-debian13.sh ARCH OUTPUT     the packages for amd64 or arm64
#        build-debian13.sh ARCH --fill     nothing but the cache, and whether its compiler runs
#        build-debian13.sh ARCH --smoke    only the core and the adapters to alsa-lib, libgpiod and OpenSSL
#        build-debian13.sh ARCH --tests    the unit tests instead, optimized as the program is, for test-arm64.sh
set -euo pipefail

here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/../..")
usage="usage: build-debian13.sh amd64|arm64 OUTPUT, or --fill, --smoke or --tests"
what=${2:?"$usage"}
source "$here/cross.sh" "$1"
# A mirror may be a snapshot, whose lists count as expired by their date; they are signed all the same.
frozen=(--aptopt='Acquire::Check-Valid-Until "false"')

refuse() { echo "No build against Debian 13: $1" >&2; exit 1; }
[[ $(dpkg --print-architecture) == amd64 ]] || refuse "this machine is not amd64."
((EUID == 0)) || refuse "it makes a chroot and needs root."
needed=(mmdebstrap)
[[ $what == --* || $arch == amd64 ]] || needed+=(qemu-aarch64)
for program in "${needed[@]}"; do
  command -v "$program" >/dev/null || refuse "$program is missing: apt-get install mmdebstrap qemu-user"
done
mkdir -p "$cache"
# What is fetched and unpacked takes 6 GB, what is built 3 GB more.
[[ -d $chroot ]] || (($(df --output=avail --block-size=1G "$cache" | tail -1) >= 10)) ||
  refuse "$cache needs 10 GB of disk."

make_chroot() {
  echo "Fetching the compiler (Debian sid, amd64)"
  # What an interrupted run left.
  rm -rf "$chroot.part"
  mmdebstrap --variant=apt "${frozen[@]}" --include=ca-certificates,git,pkg-config,swiftlang,libc6-dev,libstdc++-15-dev,lld \
    sid "$chroot.part" "$mirror" >"$cache/chroot.log" 2>&1 || { tail "$cache/chroot.log" >&2; exit 1; }
  # Only libraries of the very same compiler version can be used.
  chroot "$chroot.part" sh -euc '
    dpkg --add-architecture arm64
    apt-get -qq -o Acquire::Check-Valid-Until=false update
    mkdir /arm64
    cd /arm64
    version=$(dpkg-query --show --showformat="\${source:Upstream-Version}" swiftlang)
    apt-get -qq -o APT::Sandbox::User=root download swiftlang:arm64 libswiftlang:arm64
    for package in *.deb; do
      case $(dpkg-deb --field "$package" Version) in
      "$version"-*) ;;
      *) echo "sid has swiftlang $version for amd64 and $package for arm64: try again in a day"; exit 1 ;;
      esac
    done' >>"$cache/chroot.log" 2>&1 || { tail "$cache/chroot.log" >&2; exit 1; }
  mv "$chroot.part" "$chroot"
}

# Packages are unpacked and not installed, so dpkg knows nothing of them: var/lib/dpkg of the sysroot is made here of
# what dpkg-shlibdeps reads, with the files' places on this machine.
make_sysroot() {
  echo "Fetching the libraries (Debian 13, $arch)"
  rm -rf "$sysroot.part"
  # shellcheck disable=SC2016
  SYSROOT=$sysroot mmdebstrap --variant=extract "${frozen[@]}" --architectures="$arch" \
    --include="$(IFS=,; echo "${libraries[*]}")" \
    --extract-hook='mkdir -p "$1/dpkg/info" && echo 1 >"$1/dpkg/info/format"
      for package in "$1"/var/cache/apt/archives/*.deb; do
        name=$1/dpkg/info/$(dpkg-deb --field "$package" Package)
        [ "$(dpkg-deb --field "$package" Multi-Arch)" != same ] || name=$name:$(dpkg-deb --field "$package" Architecture)
        { dpkg-deb --field "$package"; printf "Status: install ok installed\n\n"; } >>"$1/dpkg/status"
        dpkg-deb --fsys-tarfile "$package" | tar -t | sed "s,^\.,$SYSROOT,; s,/$,," >"$name.list"
        for file in symbols shlibs; do
          dpkg-deb --ctrl-tarfile "$package" | tar -xO "./$file" >"$name.$file" 2>/dev/null || rm "$name.$file"
        done
      done' \
    trixie "$sysroot.part" "$mirror" >"$cache/sysroot.log" 2>&1 || { tail "$cache/sysroot.log" >&2; exit 1; }
  local swift=$chroot package part
  if [[ $arch == arm64 ]]; then
    swift=$sysroot.part/unpacked
    for package in "$chroot"/arm64/*.deb; do dpkg-deb -x "$package" "$swift"; done
  fi
  for part in swift swift_static clang; do cp -a "$swift/usr/libexec/swift/lib/$part" "$sysroot.part/usr/lib/"; done
  rm -rf "$sysroot.part/unpacked"
  # Under emulation what is here hides what the machine has at the same path: only libraries and what belongs to them.
  # An empty folder hides the machine's own configuration of alsa-lib, which wants plugins of another architecture.
  (
    cd "$sysroot.part"
    rm -rf boot dev etc home media mnt opt proc root run srv sys tmp var
    mkdir -p etc/alsa/conf.d var/lib
    mv dpkg var/lib/dpkg
  )
  # This overlay of Testing and Foundation is refused by the compiler when it comes from another folder than its own.
  find "$sysroot.part/usr/lib" -name Testing.swiftcrossimport -prune -exec rm -r {} +
  mv "$sysroot.part" "$sysroot"
}

# A Swift SDK bundle (SE-0387) inside the chroot, over the sysroot.
make_sdk() {
  local bundle=$chroot/root/.swiftpm/swift-sdks/$sdk.artifactbundle
  mkdir -p "$bundle/$sdk" "$chroot/sysroot"
  cat >"$bundle/info.json" <<JSON
{"schemaVersion": "1.0", "artifacts": {"$sdk": {"type": "swiftSDK", "version": "1", "variants": [
  {"path": "$sdk", "supportedTriples": ["x86_64-unknown-linux-gnu", "x86_64-pc-linux-gnu"]}]}}}
JSON
  cat >"$bundle/$sdk/swift-sdk.json" <<JSON
{"schemaVersion": "4.0", "targetTriples": {"$triple": {
  "sdkRootPath": "/sysroot", "swiftResourcesPath": "/sysroot/usr/lib/swift",
  "swiftStaticResourcesPath": "/sysroot/usr/lib/swift_static", "toolsetPaths": ["toolset.json"]}}}
JSON
  cat >"$bundle/$sdk/toolset.json" <<JSON
{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}}
JSON
}

# inside PLACE BUILD COMMAND...: runs a command with the compiler's root folder, the project at PLACE and a folder for
# what is built. In a mount name space of its own: nothing stays mounted, whatever happens.
inside() {
  local place=$1 build=$2 packages=$HOME/.cache/org.swift.swiftpm
  shift 2
  mkdir -p "$chroot$place" "$chroot/build" "$build" "$chroot/root/.cache" "$packages"
  unshare --mount --propagation private bash -euo pipefail -c '
    chroot=$1 project=$2 place=$3 sysroot=$4 build=$5 packages=$6
    mount --bind "$project" "$chroot$place"
    mount --bind "$sysroot" "$chroot/sysroot"
    mount --bind "$build" "$chroot/build"
    mkdir -p "$chroot/root/.cache/org.swift.swiftpm"
    mount --bind "$packages" "$chroot/root/.cache/org.swift.swiftpm"
    mount -t proc proc "$chroot/proc"
    mount --bind /dev "$chroot/dev"
    exec chroot "$chroot" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/libexec/swift/bin:/usr/bin:/bin "${@:7}"
  ' build-debian13 "$chroot" "$project" "$place" "$sysroot" "$build" "$packages" "$@"
}

# swift_build PLACE BUILD OPTION...: builds the project.
swift_build() {
  local place=$1 build=$2
  shift 2
  # The very versions that this machine has built with, if it has.
  [[ ! -e $project/Package.resolved ]] || set -- --disable-automatic-resolution "$@"
  inside "$place" "$build" swift build --package-path "$place" --scratch-path /build --swift-sdk "$sdk" \
    --explicit-target-dependency-import-check error "$@"
}

[[ -d $chroot ]] || make_chroot
[[ -d $sysroot ]] || make_sysroot
make_sdk

case $what in
--fill) inside /project "$cache/build-smoke-$arch" swift --version >/dev/null ;;
--smoke)
  for target in SoundboxALSA SoundboxGPIO SoundboxMQTT; do
    swift_build /project "$cache/build-smoke-$arch" --target "$target"
  done
  ;;
--tests)
  # At its own place: tests find the sources by the path that they were compiled at.
  swift_build "$project" "$cache/build-tests-$arch" -c release --build-tests -Xswiftc -enable-testing
  ;;
*)
  for product in soundbox soundbox-speak soundbox-voicetools soundbox-gateway; do
    swift_build /project "$cache/build-$arch" -c release --static-swift-stdlib --product "$product"
  done
  # The program itself writes manual pages and completions: emulated where it is for another machine, and else by the
  # libraries that it was linked with.
  built=$cache/build-$arch/$triple/release
  run=(qemu-aarch64 -L "$sysroot")
  [[ $arch == arm64 ]] || run=("$sysroot/usr/lib/$gnu/ld-linux-x86-64.so.2" --library-path "$sysroot/usr/lib/$gnu")
  SYSROOT=$sysroot SOUNDBOX_DEB_SPEAK=$built/soundbox-speak SOUNDBOX_DEB_VOICETOOLS=$built/soundbox-voicetools \
    SOUNDBOX_DEB_GATEWAY=$built/soundbox-gateway \
    "$here/build.sh" "$arch" "$built/soundbox" "$(realpath -m "$what")" "${run[@]}"
  ;;
esac
