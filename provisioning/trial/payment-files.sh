#!/usr/bin/env bash
# The files that one payment passes: those with a line that ran in a box with a payment, and in none without one. Both
# boxes start, prove their recordings, tell their status and stop; the card is alsa-lib's null device.
#
# usage: payment-files.sh [SOUNDBOX]   a binary with coverage; by default it is built, 10 to 30 minutes the first time
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$(dirname "$(readlink -f "$(command -v swift)")")
build=(swift build --enable-code-coverage --scratch-path .build/coverage --product soundbox)
soundbox=${1:-}
if [[ -z $soundbox ]]; then
  "${build[@]}" >&2
  soundbox=$("${build[@]}" --show-bin-path)/soundbox
fi
# shellcheck source=common.sh
. provisioning/trial/common.sh
start_broker
write_configuration shop
echo 'announce: {prompts: {network: false, ready: false}}' >>"$folder/soundbox.yaml"
export ALSA_CONFIG_PATH=$folder/asound.conf LLVM_PROFILE_FILE=/dev/null
echo 'pcm.shop { type null }' >"$ALSA_CONFIG_PATH"

# lines NAME [OPTION...]: what ran in a box; with options for soundbox publish it had that payment.
lines() {
  local name=$folder/$1
  shift
  rm -rf "$folder/state"
  LLVM_PROFILE_FILE=$name.profraw start "$name.log" ' online' "$soundbox" run --config "$folder/soundbox.yaml"
  while grep -qsx proof "/proc/${pids[0]}"/task/*/comm; do sleep 0.2; done
  (($# == 0)) || "$soundbox" publish --config "$folder/soundbox.yaml" --wait "$@" >&2
  "$soundbox" status --config "$folder/soundbox.yaml" >/dev/null
  kill "${pids[0]}" && wait "${pids[0]}"
  pids=("${pids[@]:1}")
  "$tools/llvm-profdata" merge -o "$name.profdata" "$name.profraw"
  "$tools/llvm-cov" export -format=lcov -instr-profile "$name.profdata" "$soundbox" "$project/Sources" \
    | awk -F '[:,]' '/^SF/ { file = $2 } /^DA/ && $3 > 0 { print file ":" $2 }' | sort >"$name.lines"
}
lines without
lines with --payload "{\"id\":\"A-1\",\"amount\":\"123.45\",\"currency\":\"CNY\",\"channel\":\"alipay\",\"paid_at\":\"$(date -Iseconds)\"}"
comm -13 "$folder"/{without,with}.lines | sed "s|^$project/Sources/||; s|:.*||" | uniq -c
