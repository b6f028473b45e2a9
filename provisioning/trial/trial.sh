#!/usr/bin/env bash
# Tries the whole box without touching anything of this machine: an own broker on a free port of the loopback
# interface, the box beside it in a temporary folder, and real payments. Ends by itself.
#
# usage: trial.sh SOUNDBOX [WAV]     the binary; where the payments go as sound (default: ./soundbox-trial.wav)
set -euo pipefail

soundbox=$(realpath "$1")
wav=$(realpath -m "${2:-soundbox-trial.wav}")
project=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/soundbox-trial.XXXXXX")
broker_pid='' box_pid=''

finish() {
  local code=$?
  for pid in $box_pid $broker_pid; do
    kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
  done
  if ((code != 0)); then
    echo "The trial failed; the logs are in $folder" >&2
  else
    rm -rf "$folder"
  fi
}
trap finish EXIT
trap 'exit 130' INT TERM

title() { printf '\n\033[1m%s\033[0m\n' "$1"; }

# Waits until the broker has bound its port; it says so in its log.
start_broker() {
  local mosquitto
  mosquitto=$(command -v mosquitto || echo /usr/sbin/mosquitto)
  for _ in {1..20}; do
    port=$((20000 + RANDOM % 20000))
    printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$folder/mosquitto.conf"
    "$mosquitto" -c "$folder/mosquitto.conf" >"$folder/mosquitto.log" 2>&1 &
    broker_pid=$!
    for _ in {1..50}; do
      grep -qs 'mosquitto version .* running' "$folder/mosquitto.log" && return
      kill -0 "$broker_pid" 2>/dev/null || break
      sleep 0.1
    done
    kill "$broker_pid" 2>/dev/null || true
  done
  echo "mosquitto does not start:" >&2
  cat "$folder/mosquitto.log" >&2
  exit 1
}

# Without a card the box is silent, in real time.
has_card() { grep -q '\[' /proc/asound/cards 2>/dev/null; }
if has_card; then device=default where='sound on the default card'; else device=null where='no sound card: silent'; fi

write_configuration() {
  cat >"$folder/soundbox.yaml" <<YAML
merchant_id: M1001
device_id: trial
broker: {url: "mqtt://127.0.0.1:$port"}
audio: {device: "$device", volume: 100, card_level: keep}
voice: {locale: zh-CN, directory: "$project/sounds"}
board: none
board_directory: "$project/board"
state_directory: "$folder/state"
control_socket: "$folder/control.sock"
YAML
}

start_box() {
  "$soundbox" run --config "$folder/soundbox.yaml" 2> >(tee "$folder/box.log" >&2) &
  box_pid=$!
  for _ in {1..100}; do
    grep -q ' online' "$folder/box.log" 2>/dev/null && return
    kill -0 "$box_pid" 2>/dev/null || { echo "the box ended" >&2; exit 1; }
    sleep 0.1
  done
  echo "the box does not come online" >&2
  exit 1
}

publish() { "$soundbox" publish --config "$folder/soundbox.yaml" --wait --timeout 120 "$@"; }

start_broker
write_configuration
title "A broker on 127.0.0.1:$port and the box, $where"
start_box

title "Payments: the smallest, an everyday one, and two that are easily misread"
publish 0.01 --channel alipay
publish 123.45 --channel alipay --id trial-duplicate
publish 10500 --channel alipay
publish 1005.00 --channel alipay

title "The same payment again: not spoken twice"
publish 123.45 --channel alipay --id trial-duplicate

title "A malformed message: refused, and the box goes on"
publish --payload '{"id":"trial-malformed","amount":"twelve"}'

title "Ten at once: one after the other"
publish 1 2 3 4 5 6 7 8 9 10 --channel alipay

title "The box now"
"$soundbox" status --config "$folder/soundbox.yaml"
kill -TERM "$box_pid"
wait "$box_pid"
box_pid=''

title "Summary"
printf '%s stored, %s announced, %s duplicate, %s rejected\n' \
  "$(grep -c ' stored ' "$folder/box.log")" "$(grep -c ' announced ' "$folder/box.log")" \
  "$(grep -c ' duplicate' "$folder/box.log")" "$(grep -c ' rejected ' "$folder/box.log")"
"$soundbox" say 0.01 123.45 10500 1005.00 1 2 3 4 5 6 7 8 9 10 --channel alipay \
  --sounds "$project/sounds" --output "$wav" >/dev/null
echo "The same payments as a WAV: $wav"
if has_card; then
  echo 'If nothing was heard, the card may be muted: alsamixer. This trial leaves it as it is.'
else
  echo 'Nothing was heard: this machine has no sound card. Play the WAV on one that has, or plug in a loudspeaker (USB) and run this again.'
fi
