#!/usr/bin/env bash
# Proves the arm64 packages on an amd64 machine: lintian, every dependency to be had in Debian 13, and the program
# itself under emulation: the sound it renders is that of amd64, and as a box it takes a payment and speaks it.
#
# usage: test-arm64.sh PACKAGES BINARY
#
#   PACKAGES   the folder with what build-debian13.sh has made
#   BINARY     a release binary for this machine, of the same sources
#
# Its unit tests are built and run, too, which takes half an hour the first time: UNIT=0 in the environment leaves them
# out.
set -euo pipefail

packages=$(realpath "$1") binary=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
source "$here/cross.sh" arm64
[[ -d $sysroot ]] || { echo "There is no $sysroot: run \"make deb ARCH=arm64\" first." >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/var/tmp}/soundbox-arm64-test.XXXXXX")
children=()
finish() {
  if ((${#children[@]} > 0)); then kill "${children[@]}" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

step() { printf '\n\033[1m%s\033[0m\n' "$1"; }
fail() { echo "FAILED: $1" >&2; exit 1; }
mapfile -t debs < <(ls -t "$packages"/soundbox_*_arm64.deb)
((${#debs[@]} > 0)) || fail "there is no soundbox_*_arm64.deb in $packages"
package=${debs[0]}
version=$(dpkg-deb --field "$package" Version)
helpers=("$packages"/soundbox-{speak,voicetools}_"${version}"_arm64.deb)
voices=("$packages"/soundbox-voice-*_"${version}"_all.deb)

step "lintian"
lintian --fail-on error --tag-display-limit 0 "$package" "${helpers[@]}"

step "Installable in Debian 13 on arm64"
apt=$work/apt
mkdir -p "$apt"/{lists/partial,archives/partial}
touch "$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$apt/sources.list"
options=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$apt/lists"
  -o "Dir::Cache=$apt" -o "Dir::State::status=$apt/status" -o APT::Architecture=arm64 -o APT::Architectures::=arm64
  -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none)
apt-get -qq "${options[@]}" update
apt-get "${options[@]}" --simulate --no-install-recommends install "$package" "${helpers[@]}" "${voices[@]}" >"$work/apt.log" 2>&1 ||
  { tail -20 "$work/apt.log" >&2; fail "its dependencies cannot be had"; }
grep '^Inst soundbox' "$work/apt.log"

step "The program"
for deb in "$package" "${helpers[@]}" "${voices[@]}"; do dpkg-deb --extract "$deb" "$work/root"; done
program=$work/root/usr/bin/soundbox sounds=$work/root/usr/share/soundbox/sounds
readelf --file-header "$program" | grep -q AArch64 || fail "it is not for arm64"
# The kernel of a Raspberry Pi 5 has pages of 16 KiB.
while read -r alignment; do
  ((alignment >= 0x4000)) || fail "it cannot be loaded where pages have 16 KiB"
done < <(readelf --wide --segments "$program" | awk '$1 == "LOAD" { print $NF }')
emulated=(qemu-aarch64 -L "$sysroot" "$program")
"${emulated[@]}" --version
qemu-aarch64 -L "$sysroot" "$program-speak" --version

step "It renders what amd64 renders"
# Bit by bit, or one step of 16 bits apart: the resampler calculates in floating point.
cat >"$work/compare.py" <<'PYTHON'
import array, sys, wave
one, other = (wave.open(path) for path in sys.argv[1:3])
assert one.getparams() == other.getparams(), f"{one.getparams()} is not {other.getparams()}"
pairs = zip(*(array.array("h", file.readframes(file.getnframes())) for file in (one, other)))
worst = max((abs(a - b) for a, b in pairs), default=0)
assert worst <= 1, f"samples differ by {worst}"
print("identical" if worst == 0 else "within one step")
PYTHON
renderings=0
for locale in zh-CN zh-HK en-US hi-IN th-TH; do
  for amount in 1005 123.45 0.06 20000 100010000; do
    arguments=("$amount" --channel alipay --voice "$locale" --sounds "$sounds")
    "${emulated[@]}" say "${arguments[@]}" -o "$work/arm64.wav" >"$work/arm64.txt"
    "$binary" say "${arguments[@]}" -o "$work/amd64.wav" >"$work/amd64.txt"
    cmp "$work/arm64.txt" "$work/amd64.txt" || fail "$locale $amount is read differently"
    if cmp --silent "$work/arm64.wav" "$work/amd64.wav"; then echo identical
    else python3 "$work/compare.py" "$work/arm64.wav" "$work/amd64.wav"; fi >>"$work/verdicts" ||
      fail "$locale $amount sounds different"
    renderings=$((renderings + 1))
  done
done
sort "$work/verdicts" | uniq -c
echo "$renderings announcements compared"
qemu-aarch64 -L "$sysroot" "$program-voicetools" check zh-CN --sounds "$sounds"

step "As a box, it takes a payment, speaks it and says so"
port=$((20000 + RANDOM % 20000))
printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$work/mosquitto.conf"
mosquitto -c "$work/mosquitto.conf" 2>"$work/mosquitto.log" &
children+=($!)
cat >"$work/soundbox.yaml" <<YAML
merchant_id: M1001
device_id: box-01
broker: {url: "mqtt://127.0.0.1:$port"}
audio: {device: "file:$work/box.wav"}
voice: {directory: "$sounds"}
board_directory: "$work/root/usr/share/soundbox/board"
state_directory: "$work/state"
control_socket: "$work/control.sock"
YAML
"${emulated[@]}" run --config "$work/soundbox.yaml" 2>"$work/box.log" &
box=$!
children+=("$box")
# Before its first subscription the broker keeps nothing for it.
for _ in {1..300}; do
  "$binary" status --json --config "$work/soundbox.yaml" 2>/dev/null | grep -q '"state":"online"' && break
  sleep 0.2
done
"$binary" publish 123.45 --channel alipay --wait --timeout 120 --config "$work/soundbox.yaml" ||
  { cat "$work/box.log" >&2; fail "the payment was not announced"; }
"$binary" status --json --config "$work/soundbox.yaml" | grep -q '"announced":1' || fail "the status does not count it"
kill -TERM "$box"
wait "$box" || { cat "$work/box.log" >&2; fail "the box did not end in good order"; }
(($(stat -c %s "$work/box.wav") > 100000)) || fail "nothing was spoken"

if [[ ${UNIT:-1} != 0 ]]; then
  step "The unit tests"
  "$here/build-debian13.sh" arm64 --tests
  # The emulator takes a program that is not there for one that was started, so a search along PATH must find what the
  # tests start in the first folder. Without a limit, a thousand tests at once wait for each other.
  unit_tests() {
    PATH=/usr/bin:$PATH SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=2 \
      qemu-aarch64 -L "$sysroot" -E LD_LIBRARY_PATH=/usr/lib/swift/linux \
      "$cache/build-tests-arm64/aarch64-unknown-linux-gnu/release/soundboxPackageTests.xctest" \
      --testing-library swift-testing "$@" >"$work/unit.log" 2>&1 ||
      { grep -a -A 5 '^✘' "$work/unit.log" >&2; tail -5 "$work/unit.log" >&2; fail "unit tests"; }
    tail -1 "$work/unit.log"
  }
  # Not IntegrationTests and BoardTests, which start the program: the one of this machine. By themselves those that
  # compute for minutes under emulation, and would starve those that play a broker in real time.
  unit_tests --skip '^(IntegrationTests|BoardTests|SoundboxAudioTests|OracleTests)'
  unit_tests --filter '^(SoundboxAudioTests|OracleTests)'
fi

step "Everything as it should be"
