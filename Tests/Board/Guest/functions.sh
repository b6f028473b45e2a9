# What the shell on the virtual board and the one in the booted Debian have in common: the busybox and the bash of both
# read this. /run and /sys are there.

# The GPIO chip of a Raspberry Pi 3, with the lines that board/ and the tests use. One of them has no name, as on a Pi 5
# with Debian's kernel. gpio-sim must be loaded.
wire_gpio() {
  local chip=/sys/kernel/config/gpio-sim/board line
  [ -e /sys/kernel/debug/gpio ] || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
  [ -d /sys/kernel/config/gpio-sim ] || mount -t configfs configfs /sys/kernel/config
  mkdir -p $chip/bank0
  echo 54 >$chip/bank0/num_lines
  echo pinctrl-bcm2835 >$chip/bank0/label
  for line in 5 6 13 16 17 22 23 24 27; do
    mkdir $chip/bank0/line$line
    [ $line = 24 ] || echo GPIO$line >$chip/bank0/line$line/name
  done
  echo 1 >$chip/live
  gpio=/sys/devices/platform/$(cat $chip/dev_name)/$(cat $chip/bank0/chip_name)
  release 17 22 23
}

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
# Pulls the sound card out, in the background since the kernel waits until nobody holds it; plug puts it back.
aloop=/sys/bus/platform/drivers/snd_aloop
unplug() { echo snd_aloop.0 >$aloop/unbind & unplugging=$!; }
plug() {
  wait $unplugging
  echo snd_aloop.0 >$aloop/bind
  await 10 test -c /dev/snd/pcmC0D1c
}

# Waits without starting a process, which would take longer than the wait: nobody writes into this pipe.
[ -p /run/pause ] || mkfifo /run/pause
pause() { read -r -t "$1" nothing <>/run/pause; }

# obey PORT: runs one shell command per line of a virtual serial port, for ever. Answers with the command's output, each
# line after a space, and then with `=` and its exit code.
obey() {
  local command code
  exec 3<>"$1"
  echo "=ready" >&3
  while read -r command <&3; do
    eval "$command" >/run/output 2>&1 </dev/null 3<&-
    code=$?
    # A last line without its end gets one.
    awk '{ print " " $0 }' /run/output >&3
    echo "=$code" >&3
  done
}
