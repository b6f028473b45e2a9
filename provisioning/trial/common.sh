# What the trials have in common: a folder, an own broker, and a box beside it. Source it; everything ends with the
# script.

project=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/soundbox-trial.XXXXXX")
# Of what was started, the last one first.
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

# says LOG TEXT PID: waits until a log has the text; fails when its process ends, or after 15 s.
says() {
  for _ in {1..150}; do
    grep -qs "$2" "$1" && return
    kill -0 "$3" 2>/dev/null || return
    sleep 0.1
  done
  return 1
}

# start LOG TEXT COMMAND...: in the background, until its log has the text.
start() {
  local log=$1 text=$2
  shift 2
  "$@" 2>"$log" &
  pids=($! "${pids[@]}")
  says "$log" "$text" $! || { echo "expected \"$text\":" >&2; cat "$log" >&2; exit 1; }
}

# On a free port of the loopback interface: $port.
start_broker() {
  local mosquitto
  mosquitto=$(command -v mosquitto || echo /usr/sbin/mosquitto)
  for _ in {1..20}; do
    port=$((20000 + RANDOM % 20000))
    printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$folder/mosquitto.conf"
    "$mosquitto" -c "$folder/mosquitto.conf" >"$folder/mosquitto.log" 2>&1 &
    says "$folder/mosquitto.log" 'mosquitto version .* running' $! && { pids=($! "${pids[@]}"); return; }
    kill $! 2>/dev/null || true
  done
  echo "mosquitto does not start:" >&2
  cat "$folder/mosquitto.log" >&2
  exit 1
}

has_card() { grep -q '\[' /proc/asound/cards 2>/dev/null; }

# write_configuration DEVICE
write_configuration() {
  cat >"$folder/soundbox.yaml" <<YAML
merchant_id: M1001
device_id: trial
broker: {url: "mqtt://127.0.0.1:$port"}
audio: {device: "$1", volume: 100, card_level: keep}
voice: {locale: zh-CN, directory: "$project/sounds"}
board: none
board_directory: "$project/board"
state_directory: "$folder/state"
control_socket: "$folder/control.sock"
YAML
}
