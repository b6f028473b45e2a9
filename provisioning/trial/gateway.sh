#!/usr/bin/env bash
# Tries the gateway without touching anything of this machine: an own broker and the gateway on free ports of the
# loopback interface, a box with a key beside them, and a payment posted with curl. Ends by itself.
#
# usage: gateway.sh SOUNDBOX GATEWAY [WAV]     the binaries; where the sound goes (default: to the default card, and
#                                              without a card to ./soundbox-trial.wav)
set -euo pipefail

soundbox=$(realpath "$1")
gateway=$(realpath "$2")
wav=$(realpath -m "${3:-soundbox-trial.wav}")
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

start_broker
http=$((port + 1))
umask 077
mkdir -p "$folder/keys/M1001"
openssl rand -base64 32 >"$folder/keys/M1001/trial.key"
token=$(openssl rand -hex 24)
echo "trial $token" >"$folder/tokens"
if [[ -z ${3:-} ]] && has_card; then
  device=default where='sound on the default card'
else
  device="file:$wav" where="sound in $wav"
fi
write_configuration "$device"
echo "authenticity: {key_file: \"$folder/keys/M1001/trial.key\"}" >>"$folder/soundbox.yaml"
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
signature: {secret_file: "$folder/hook.secret", signed: "{body}", code: {header: X-Signature}}
merchant: {constant: M1001}
device: {field: till, codes: {"7": trial}}
id: order.no
amount: {field: order.total, unit: cents}
channel: {constant: wechat}
conditions:
  - {field: event, values: [paid], otherwise: ignore}
YAML

title "A box ($where)"
start "$folder/box.log" ' info online' "$soundbox" run --config "$folder/soundbox.yaml"
title "The gateway, on http://127.0.0.1:$http"
start "$folder/gateway.log" ' listening' "$gateway" run --config "$folder/gateway.yaml"

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
