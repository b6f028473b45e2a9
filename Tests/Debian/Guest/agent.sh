# Runs in the booted Debian as a service of its own and obeys the test: what a person at the console would type.
. /usr/lib/soundbox-test/functions.sh

# What the box has said since it was installed, or since `mark`: its journal without times.
seen=''
mark() { seen=$(journalctl --unit soundbox --lines 1 --quiet --show-cursor --output cat | sed -n 's/^-- cursor: //p'); }
box_log() { journalctl --unit soundbox --quiet --output cat ${seen:+--after-cursor="$seen"}; }
# logged COUNT TEXT: whether so many lines of the box's log begin with the text.
logged() { [ "$(box_log | grep -c -- "^$2")" -ge "$1" ]; }

# pay ID AMOUNT: publishes a payment at the broker of this machine, which has it when this returns.
pay() {
  mosquitto_pub -h 127.0.0.1 -q 1 -t soundbox/v1/M1001/box-01/payments \
    -m "{\"id\":\"$1\",\"amount\":\"$2\",\"channel\":\"alipay\"}"
}

# What the box says of itself: whether it is wrong somewhere, whether nothing is, whether nothing waits.
faulty() { soundbox status --json | grep -q '"faults":\[[^]]'; }
in_order() { soundbox status --json | grep -q '"faults":\[\]'; }
idle() { soundbox status --json | grep '"announcing":false' | grep -q '"queued":0'; }
main_pid() { systemctl show --property MainPID --value soundbox; }

# The sound card: a driver that is loaded, late or not at all, and a plug.
card_in() { modprobe snd-aloop "$@"; }
card_out() { modprobe --remove snd-aloop; }

# Listens at the other end of the card; `heard` ends it and fails when there was nothing but silence.
listen() {
  arecord -q -D plughw:Loopback,1,0 -t raw -f S16_LE -r 48000 -c 1 /run/sound.raw &
  recorder=$!
}
heard() {
  kill -INT $recorder
  wait $recorder
  od -An -v -t d2 /run/sound.raw | awk '{ for (i = 1; i <= NF; i++) if ($i > 500) n++ } END { exit n < 1000 }'
}

obey /dev/virtio-ports/agent
