#!/usr/bin/env bash
# Tries the gateway without touching anything of this machine: an own broker and the gateway on free ports of the
# loopback interface, a box with a key beside them, and a payment posted with curl. Ends by itself.
#
# usage: gateway.sh SOUNDBOX GATEWAY [WAV]     the binaries; where the sound goes without a card (default: ./soundbox-trial.wav)
set -euo pipefail

soundbox=$(realpath "$1")
gateway=$(realpath "$2")
wav=$(realpath -m "${3:-soundbox-trial.wav}")
project=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/soundbox-gateway.XXXXXX")
pids=()

finish() {
  local code=$?
  for pid in "${pids[@]}"; do
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

# await FILE TEXT PID: until a log has the text.
await() {
  for _ in {1..150}; do
    grep -qs "$2" "$1" && return
    kill -0 "$3" 2>/dev/null || break
    sleep 0.1
  done
  echo "expected \"$2\":" >&2
  cat "$1" >&2
  exit 1
}

port=$((20000 + RANDOM % 20000))
http=$((port + 1))
printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$folder/mosquitto.conf"
"$(command -v mosquitto || echo /usr/sbin/mosquitto)" -c "$folder/mosquitto.conf" >"$folder/mosquitto.log" 2>&1 &
pids+=($!)
await "$folder/mosquitto.log" 'mosquitto version .* running' $!

umask 077
mkdir -p "$folder/keys/M1001"
openssl rand -base64 32 >"$folder/keys/M1001/trial.key"
token=$(openssl rand -hex 24)
echo "trial $token" >"$folder/tokens"
if grep -q '\[' /proc/asound/cards 2>/dev/null; then
  device=default where='sound on the default card'
else
  device="file:$wav" where="no sound card: sound in $wav"
fi
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
authenticity: {key_file: "$folder/keys/M1001/trial.key"}
YAML
cat >"$folder/gateway.yaml" <<YAML
client_id: gateway-trial
broker: {url: "mqtt://127.0.0.1:$port"}
listen: "127.0.0.1:$http"
tokens_file: "$folder/tokens"
keys: "$folder/keys"
database: "$folder/gateway.sqlite"
hooks: "$folder/hooks"
YAML
mkdir "$folder/hooks"
openssl rand -hex 24 >"$folder/hook.secret"
cat >"$folder/hooks/shop.yaml" <<YAML
hook: {scheme: hmac-body, secret_file: "$folder/hook.secret", header: X-Signature}
merchant: {constant: M1001}
device: {field: till, codes: {"7": trial}}
id: order.no
amount: {field: order.total, unit: cents}
channel: {constant: wechat}
conditions:
  - {field: event, values: [paid], otherwise: ignore}
YAML

title "A box ($where)"
"$soundbox" run --config "$folder/soundbox.yaml" 2>"$folder/box.log" &
pids+=($!)
await "$folder/box.log" ' info online' $!
title "The gateway, on http://127.0.0.1:$http"
"$gateway" run --config "$folder/gateway.yaml" 2>"$folder/gateway.log" &
pids+=($!)
await "$folder/gateway.log" ' listening' $!

title 'A payment, posted with curl'
payment='{"id":"A-1","amount":"123.45","channel":"alipay"}'
echo "curl -d '$payment' -H 'Authorization: Bearer …' http://127.0.0.1:$http/payments/M1001/trial"
curl -sS --fail-with-body -d "$payment" -H "Authorization: Bearer $token" "http://127.0.0.1:$http/payments/M1001/trial"

webhook='{"event":"paid","till":7,"order":{"no":"B-2","total":1050}}'
signature=$(printf %s "$webhook" | openssl dgst -sha256 -hmac "$(cat "$folder/hook.secret")" | sed 's/.* //')
title "A provider's webhook, signed with an HMAC"
echo "curl -d '$webhook' -H 'X-Signature: …' http://127.0.0.1:$http/hooks/shop"
curl -sS --fail-with-body -d "$webhook" -H "X-Signature: $signature" "http://127.0.0.1:$http/hooks/shop"

title 'What became of them'
for id in A-1 B-2; do
  for _ in {1..300}; do
    answer=$(curl -sS -H "Authorization: Bearer $token" "http://127.0.0.1:$http/payments/M1001/trial/$id")
    [[ $answer == *'"state":"announced"'* ]] && break
    sleep 0.1
  done
  echo "$answer"
  [[ $answer == *'"state":"announced"'* ]]
done
"$gateway" list --unheard --config "$folder/gateway.yaml"
