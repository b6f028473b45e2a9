#!/usr/bin/env bash
# Installs what building, testing and trying the sound box needs and this Debian lacks. Says what it does; does and says
# nothing when nothing is missing.
#
# usage: install-dependencies.sh [packaging | peers | brokers | browser]
#
# With "packaging" also what making and trying Debian packages needs, with "peers" what stands beside the box in
# `make bench`, with "brokers" what `make cluster-test`, `fleet-test`, `gateway-cluster-test` and `interop-test` start,
# with "browser" what `make page-test` drives.
set -euo pipefail

packages=(
  pkg-config
  # linked
  libasound2-dev libgpiod-dev libsndfile1-dev libebur128-dev libopus-dev libsoxr-dev libsonic-dev libsqlite3-dev
  libssl-dev libcurl4-openssl-dev libmicrohttpd-dev libmosquitto-dev libqrencode-dev libpq-dev
  # linked by the voice author's program: the oracle of number readings
  libicu-dev
  # processes of their own: the broker of trials and tests, the synthesiser, certificates for tests, payments by HTTP
  mosquitto mosquitto-clients espeak-ng openssl curl
  # a FAT partition, for tests of the first boot
  dosfstools fusefat
  # counts instructions
  valgrind
  # the code that the page gives to the box, for tests that sign in
  strace
  # the packages' own parts and their repository, for tests of them
  dpkg-dev python3 reprepro gnupg
  # docs/examples/sender.py
  python3-paho-mqtt
  # the environments of the voices' workshop: a synthesiser and a recogniser
  python3-venv
  # the database that several gateways share, for tests of it
  postgresql
  # a sound server in real time, for tests without a sound card
  pulseaudio pulseaudio-utils libasound2-plugins
)
# The virtual board of the tests: an emulator, and what makes a kernel and a root folder for it.
if [[ $(dpkg --print-architecture) == amd64 ]]; then
  packages+=(qemu-system-x86 busybox-static kmod e2fsprogs alsa-utils gcc make xz-utils libelf1)
  # A chroot for the compiler that builds for arm64.
  packages+=(mmdebstrap)
fi
[[ ${1:-} == packaging ]] && packages+=(binutils-aarch64-linux-gnu lintian qemu-user)
[[ ${1:-} == peers ]] && packages+=(opus-tools sox alsa-utils gcc libc6-dev python3-alsaaudio)
[[ ${1:-} == brokers ]] && packages+=(rabbitmq-server haproxy nginx wrk iproute2 python3 python3-venv)
[[ ${1:-} == browser ]] && packages+=(chromium chromium-driver python3-selenium fonts-noto-cjk fonts-noto-core)

# Names that others provide count as well: Debian 13 has libelf1 as libelf1t64.
declare -A installed=()
while IFS=$'\t' read -r status package provided; do
  [[ $status == ii* ]] || continue
  for name in "$package" ${provided//[(,]/ }; do installed[$name]=yes; done
done < <(dpkg-query --show --showformat='${db:Status-Abbrev}\t${Package}\t${Provides}\n')
missing=()
for package in "${packages[@]}"; do
  [[ -n ${installed[$package]:-} ]] || missing+=("$package")
done
# What Swift's own toolchain links with; the compiler of C++ brings the release that this Debian has.
[[ -n ${installed[libstdc++-dev]:-} ]] || missing+=(g++)

if ((${#missing[@]} > 0)); then
  echo "Installing with apt: ${missing[*]}"
  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "This needs root: run it as root, or install sudo." >&2; exit 1; }
    as_root=(sudo)
  fi
  # Brokers are started by those who need them, never by Debian: not now, and not at the next boot.
  services=()
  for service in mosquitto postgresql rabbitmq-server haproxy nginx; do
    [[ " ${missing[*]} " == *" $service "* && -d /run/systemd/system ]] && services+=("$service")
  done
  ((${#services[@]} == 0)) || "${as_root[@]}" systemctl mask --quiet --runtime "${services[@]/%/.service}"
  "${as_root[@]}" apt-get -qq update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --yes --no-install-recommends "${missing[@]}" >/dev/null
  # Without systemd Debian starts the database that it makes.
  if [[ " ${missing[*]} " == *" postgresql "* && ! -d /run/systemd/system ]] && command -v pg_lsclusters >/dev/null; then
    pg_lsclusters --no-header | while read -r version name _ status _; do
      [[ $status != online* ]] || "${as_root[@]}" pg_ctlcluster "$version" "$name" stop
    done
  fi
  if ((${#services[@]} > 0)); then
    "${as_root[@]}" systemctl unmask --quiet --runtime "${services[@]/%/.service}"
    "${as_root[@]}" systemctl disable --quiet "${services[@]}"
    # Its name server of nodes has a socket that systemd listens on.
    [[ " ${services[*]} " != *" rabbitmq-server "* ]] || "${as_root[@]}" systemctl disable --quiet --now epmd.socket
  fi
fi

where="install it from https://swift.org/install/linux"
command -v swift >/dev/null || { echo "Swift 6.2 or later is missing; $where" >&2; exit 1; }
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
# Debian 13 packages 6.0.
printf '%s\n' 6.2 "$version" | sort --version-sort --check=quiet || {
  echo "Swift 6.2 or later is needed, and $(command -v swift) is ${version:-of an unknown version}; $where" >&2
  exit 1
}
