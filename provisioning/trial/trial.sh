#!/usr/bin/env bash
# Tries the whole box without touching anything of this machine: an own broker on a free port of the loopback
# interface, the box beside it in a temporary folder, and real payments. Ends by itself.
#
# usage: trial.sh SOUNDBOX [WAV]     the binary; where the payments go as sound (default: ./soundbox-trial.wav)
set -euo pipefail

soundbox=$(realpath "$1")
wav=$(realpath -m "${2:-soundbox-trial.wav}")
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# Without a card the box is silent, in real time.
if has_card; then device=default where='sound on the default card'; else device=null where='no sound card: silent'; fi

publish() { "$soundbox" publish --config "$folder/soundbox.yaml" --wait --timeout 120 "$@"; }

start_broker
write_configuration "$device"
title "A broker on 127.0.0.1:$port and the box, $where"
"$soundbox" run --config "$folder/soundbox.yaml" 2> >(tee "$folder/box.log" >&2) &
box=$!
pids=("$box" "${pids[@]}")
says "$folder/box.log" ' online' "$box" || { echo "the box does not come online" >&2; exit 1; }

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
kill -TERM "$box"
wait "$box"

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
