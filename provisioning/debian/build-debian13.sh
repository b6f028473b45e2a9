#!/usr/bin/env bash
# Makes the packages for Raspberry Pi OS and Debian 13 on arm64, on an amd64 machine.
#
# The first run fetches a Swift compiler and its arm64 libraries from Debian sid and the libraries of Debian trixie
# (about 1.5 GB) and makes a Swift SDK of them; it needs root. They stay in $SOUNDBOX_CROSS_CACHE (by default
# ~/.cache/soundbox-cross), since sid moves: delete the folder to start afresh.
#
# usage: build-debian13.sh OUTPUT          the packages
#        build-debian13.sh --fill          nothing but the cache, and whether its compiler runs
#        build-debian13.sh --smoke         only the core and the adapters to alsa-lib, libgpiod and OpenSSL
#        build-debian13.sh --tests         the unit tests instead, optimized as the program is, for test-arm64.sh
set -euo pipefail

here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/../..")
source "$here/cross.sh"
# A mirror may be a snapshot, whose lists count as expired by their date; they are signed all the same.
frozen=(--aptopt='Acquire::Check-Valid-Until "false"')

what=${1:?"usage: build-debian13.sh OUTPUT, or --fill, --smoke or --tests"}
refuse() { echo "No cross build: $1" >&2; exit 1; }
[[ $(dpkg --print-architecture) == amd64 ]] || refuse "this machine is not amd64."
((EUID == 0)) || refuse "it makes a chroot and needs root."
needed=(mmdebstrap)
[[ $what == --* ]] || needed+=(qemu-aarch64)
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

make_sysroot() {
  echo "Fetching the libraries (Debian trixie, arm64)"
  rm -rf "$sysroot.part"
  # Packages are unpacked and not installed, so dpkg knows nothing of them: what each says about who links with it
  # (deb-shlibs(5)) is kept in one file for sysroot-depends.sh.
  # shellcheck disable=SC2016
  mmdebstrap --variant=extract "${frozen[@]}" --architectures=arm64 --include="$(IFS=,; echo "${libraries[*]}")" \
    --extract-hook='for package in "$1"/var/cache/apt/archives/*.deb; do
        dpkg-deb --ctrl-tarfile "$package" | tar -xO ./shlibs 2>/dev/null || true
      done >"$1/shlibs"' \
    trixie "$sysroot.part" "$mirror" >"$cache/sysroot.log" 2>&1 || { tail "$cache/sysroot.log" >&2; exit 1; }
  local unpacked package part
  for package in "$chroot"/arm64/*.deb; do
    unpacked=$(mktemp -d "$cache/unpack.XXXXXX")
    dpkg-deb -x "$package" "$unpacked"
    for part in swift swift_static clang; do
      [[ -d $unpacked/usr/libexec/swift/lib/$part ]] || continue
      cp -a "$unpacked/usr/libexec/swift/lib/$part" "$sysroot.part/usr/lib/"
    done
    rm -rf "$unpacked"
  done
  # Under emulation what is here hides what the machine has at the same path: only libraries and what belongs to them.
  # An empty folder hides the machine's own configuration of alsa-lib, which wants plugins of another architecture.
  (cd "$sysroot.part" && rm -rf boot dev etc home media mnt opt proc root run srv sys tmp var && mkdir -p etc/alsa/conf.d)
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
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {
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

# swift_build PLACE BUILD OPTION...: builds the project for arm64.
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
--fill) inside /project "$cache/build-smoke" swift --version >/dev/null ;;
--smoke)
  for target in SoundboxALSA SoundboxGPIO SoundboxMQTT; do
    swift_build /project "$cache/build-smoke" --target "$target"
  done
  ;;
--tests)
  # At its own place: tests find the sources by the path that they were compiled at.
  swift_build "$project" "$cache/build-tests" -c release --build-tests -Xswiftc -enable-testing
  ;;
*)
  for product in soundbox soundbox-speak soundbox-voicetools; do
    swift_build /project "$cache/build" -c release --static-swift-stdlib --product "$product"
  done
  # What the build machine cannot run runs emulated: manual pages, completions, and whatever proves that it starts.
  built=$cache/build/aarch64-unknown-linux-gnu/release
  SYSROOT=$sysroot SOUNDBOX_DEB_SPEAK=$built/soundbox-speak SOUNDBOX_DEB_VOICETOOLS=$built/soundbox-voicetools \
    "$here/build.sh" arm64 "$built/soundbox" "$(realpath -m "$what")" qemu-aarch64 -L "$sysroot"
  ;;
esac
