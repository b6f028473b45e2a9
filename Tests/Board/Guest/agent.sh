# Runs on the virtual board as its process 1 and obeys the test: one shell command per line of the virtual serial port.
# Answers with the command's output, each line after a space, and then with `=` and its exit code.
export PATH=/usr/bin:/bin HOME=/
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /state
# Present from the second boot of a board that has a disk.
if [ -b /dev/vda ]; then mount -t ext4 /dev/vda /state; fi
ifconfig lo up 127.0.0.1
ifconfig eth0 up 10.0.2.15

# The GPIO chip of a Raspberry Pi 3, with the lines that board/ and the tests use.
mount -t debugfs debugfs /sys/kernel/debug
mount -t configfs configfs /sys/kernel/config
chip=/sys/kernel/config/gpio-sim/board
mkdir -p $chip/bank0
echo 54 >$chip/bank0/num_lines
echo pinctrl-bcm2835 >$chip/bank0/label
for line in 5 6 13 16 17 22 23 24 27; do
  mkdir $chip/bank0/line$line
  echo GPIO$line >$chip/bank0/line$line/name
done
echo 1 >$chip/live
gpio=/sys/devices/platform/$(cat $chip/dev_name)/$(cat $chip/bank0/chip_name)
for line in 17 22 23; do echo pull-up >$gpio/sim_gpio$line/pull; done

# press LINE..., release LINE...: buttons connect their line to ground.
press() { for line; do echo pull-down >$gpio/sim_gpio$line/pull; done; }
release() { for line; do echo pull-up >$gpio/sim_gpio$line/pull; done; }
# click LINE [SECONDS]: a press, its release, and the rest that a finger takes before the next one
click() { press "$1"; sleep "${2:-0.1}"; release "$1"; sleep 0.1; }
# bounce LINE: a press whose contacts chatter, and its release.
bounce() {
  for _ in 1 2 3 4 5; do press "$1"; release "$1"; done
  click "$1" 0.2
}
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
level() { cat $gpio/sim_gpio$1/value; }
# Seconds since boot, by the clock of /proc/uptime.
now() { local up rest; read -r up rest </proc/uptime; echo "$up"; }
# await SECONDS COMMAND...: repeats the command until it succeeds.
await() {
  local began=$(cut -d. -f1 /proc/uptime) limit=$1
  local end=$((began + limit))
  shift
  until "$@"; do
    [ "$(cut -d. -f1 /proc/uptime)" -lt $end ] || { echo "waited from $began to $(cut -d. -f1 /proc/uptime)"; return 1; }
    pause 0.05
  done
  # A loop ends with the code of its last command, and that of a pause is not 0.
  return 0
}
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

# Pulls the sound card out, in the background since the kernel waits until nobody holds it; plug puts it back.
aloop=/sys/bus/platform/drivers/snd_aloop
unplug() { echo snd_aloop.0 >$aloop/unbind & unplugging=$!; }
plug() {
  wait $unplugging
  echo snd_aloop.0 >$aloop/bind
  await 10 test -c /dev/snd/pcmC0D1c
}

# load_begin COUNT: keeps the processor busy with so many ordinary programs; load_end ends them.
load_begin() {
  local _
  for _ in $(seq "$1"); do while :; do :; done & hogs="$hogs $!"; done
}
load_end() { kill $hogs; hogs=''; }

# sound_thread: the id of the box's sound thread.
sound_thread() { grep -lx sound /proc/$(pidof soundbox)/task/*/comm | cut -d/ -f5; }
# underruns: of the box since its start.
underruns() { soundbox status --json --socket /run/soundbox.sock | sed -n 's/.*"xruns" *: *\([0-9]*\).*/\1/p'; }

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
# Waits without starting a process, which would take longer than the wait: nobody writes into this pipe.
mkfifo /run/pause
pause() { read -r -t "$1" nothing <>/run/pause; }

port=/dev/$(basename /sys/class/virtio-ports/vport*)
exec 3<>"$port"
echo "=ready" >&3
while read -r command <&3; do
  eval "$command" >/run/output 2>&1 </dev/null 3<&-
  code=$?
  sed 's/^/ /' /run/output >&3
  echo "=$code" >&3
done
