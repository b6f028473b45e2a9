#!/usr/bin/env bash
# The shortest thing that works: mosquitto_sub, a shell, sox and aplay. Nothing is kept on the disk.
#
# usage: shell-sox.sh PORT DEVICE CLIPS
port=$1 device=$2 clips=$3
mosquitto_sub -h 127.0.0.1 -p "$port" -i peer -c -q 1 -t peer/payments | while read -r notice; do
  [[ $notice =~ \"amount\":\ ?\"([0-9]+)\.([0-9]+)\" ]] || continue
  whole=${BASH_REMATCH[1]} cents=${BASH_REMATCH[2]}
  sounds=("$clips/chime.wav" "$clips/arrived.wav")
  ((whole >= 100)) && sounds+=("$clips/h$((whole / 100)).wav")
  ((whole % 100)) && sounds+=("$clips/n$((whole % 100)).wav")
  sox "${sounds[@]}" "$clips/c$cents.wav" -t wav - pad 0 0.5 | aplay -q -D "$device"
done
