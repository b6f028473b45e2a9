# Runs on the virtual board as its process 1 and obeys the test.
export PATH=/usr/bin:/bin HOME=/
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
# Present from the second boot of a board that has a disk.
if [ -b /dev/vda ]; then mount -t ext4 /dev/vda /state; fi
# Without one, a box keeps its state where everybody expects it to be gone.
mkdir /run/state
ifconfig lo up 127.0.0.1
ifconfig eth0 up 10.0.2.15

. /functions.sh
wire_gpio

# lit_for SECONDS: whether the LED stays lit so long.
lit_for() {
  local _
  for _ in $(seq $(($1 * 20))); do
    [ "$(level 27)" = 1 ] || return 1
    pause 0.05
  done
  return 0
}
# How many lines of the board the box holds.
lines_held() { grep -c '|soundbox ' /sys/kernel/debug/gpio || true; }
# logged COUNT TEXT: whether the box's log has so many lines with the text.
log=/run/box.log
logged() { [ "$(grep -c "$2" "$log")" -ge "$1" ]; }

# The host answers when it finds the time, and the clock in here does not wait for it. So the box must not need the host
# while it runs: program and voice come into memory before, what is seen and heard goes to the host afterwards.
cat /usr/bin/soundbox >/dev/null
# launch OPTION...: starts the box, watched by $supervisor if there is one.
supervisor=
launch() {
  [ -d /run/sounds ] || cp -r /host/sounds /run/sounds
  $supervisor sh -c 'echo $$ >/run/box.pid && exec soundbox "$@"' sh run "$@" \
    >/dev/null 2>"$log" &
  box=$!
  [ -z "$supervisor" ] || { await 5 test -s /run/box.pid; box=$(cat /run/box.pid); }
}

# A broker on the board itself.
broker_start() {
  printf 'user root\nlistener 1883 127.0.0.1\nallow_anonymous true\n' >/run/mosquitto.conf
  mosquitto -c /run/mosquitto.conf 2>/run/mosquitto.log &
  broker=$!
  await 20 grep -q ' running' /run/mosquitto.log
}
broker_stop() { kill $broker; wait $broker; true; }

# Listens to the loopback card, from before the box opens it: the box then finds a card that insists on this format.
record_begin() {
  now >/run/sound.start
  arecord -q -D hw:Loopback,1,0 -t raw -f S16_LE -r 48000 -c 1 /run/sound.raw 2>/run/sound.errors &
  recorder=$!
}
record_end() {
  kill -INT $recorder
  wait $recorder
  cp /run/sound.* /host/
}

# Writes the time and the levels of the lines into `outputs` whenever one changes, and once more at the end: whoever has
# seen a level and ends the watch finds it written.
watch_begin() {
  : >/run/watching
  watch_lines "$@" >/run/outputs &
  watcher=$!
}
watch_end() {
  rm /run/watching
  wait $watcher
  cp /run/outputs /host/
}
watch_lines() {
  local shown='' ends='' levels line value up rest
  while [ -z "$ends" ]; do
    [ -e /run/watching ] || ends=yes
    levels=''
    for line; do
      read -r value <$gpio/sim_gpio$line/value
      levels="$levels $value"
    done
    if [ "$levels" != "$shown" ]; then
      read -r up rest </proc/uptime
      echo "$up$levels"
      shown=$levels
    fi
    [ -n "$ends" ] || pause 0.01
  done
}
obey "/dev/$(basename /sys/class/virtio-ports/vport*)"
