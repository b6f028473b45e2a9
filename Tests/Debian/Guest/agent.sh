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
# Also what was loaded with it, or because alsa-lib has looked: then the kernel knows no sound devices at all.
card_out() {
  modprobe --remove snd-aloop
  modprobe --quiet --remove snd-seq snd-pcm snd-timer snd
  ! grep alsa /proc/devices
}

# Listens at the other end of the card; `heard` ends it and fails when there was nothing but silence.
# A card that was loaded just now may refuse one end while the box opens the other: it is tried again.
listen() {
  rm -f /run/sound.raw
  recorder=
  until [ -s /run/sound.raw ]; do
    [ -n "$recorder" ] && kill -0 "$recorder" 2>/dev/null || {
      arecord -q -D plughw:Loopback,1,0 -t raw -f S16_LE -r 48000 -c 1 /run/sound.raw &
      recorder=$!
    }
    sleep 0.1
  done
}
heard() {
  kill -INT $recorder
  wait $recorder
  od -An -v -t d2 /run/sound.raw | awk '{ for (i = 1; i <= NF; i++) if ($i > 500) n++ } END { exit n < 1000 }'
}

# follow RING: a repository of this machine, whose ring stable has the installed packages and whose ring canary has
# those of version 99.0.0; the box follows RING.
follow() {
  repository.sh init /srv/soundbox
  repository.sh add /srv/soundbox stable /root/this/*.deb
  repository.sh add /srv/soundbox canary /root/next/*.deb
  systemctl unmask apt-daily-upgrade.timer
  follow.sh file:/srv/soundbox "$1" /srv/soundbox/soundbox-archive-keyring.gpg
}
# night: what systemd's two timers start there, as if no night had been yet.
night() {
  rm -f /var/lib/apt/periodic/*
  systemctl start apt-daily.service && systemctl start apt-daily-upgrade.service
}
# runs VERSION: whether program, helper and voice are of that version.
runs() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}${Version} ' soundbox soundbox-speak soundbox-voice-zh-cn)" = "ii $1 ii $1 ii $1 " ]; }

# signed TOPIC JSON: the message with its signature in place of %s, by the key of this box.
signed() {
  digest=$(printf "%s\n$2" "soundbox/v1/M1001/box-01/$1" '' |
    openssl dgst -sha256 -hmac "$(head -1 /etc/soundbox/signing.key)" | sed 's/.* //')
  printf "$2" "$digest"
}
# publish_signed TOPIC JSON: hands it to the broker of this machine.
publish_signed() { mosquitto_pub -h 127.0.0.1 -q 1 -t "soundbox/v1/M1001/box-01/$1" -m "$(signed "$1" "$2")"; }
# require_signatures: gives the box a key.
require_signatures() {
  install -o soundbox -g soundbox -m 600 /dev/null /etc/soundbox/signing.key
  echo 0123456789abcdef0123456789abcdef >/etc/soundbox/signing.key
  soundbox setup --yes --skip-checks --skip-sound --set authenticity.key_file=/etc/soundbox/signing.key
}

# browse METHOD PATH [BODY]: asks the shop's page as a phone with a cookie does; the status is in $code, the body in
# /run/answer. Fails when nobody serves it.
cookie=''
browse() {
  code=''
  { exec 4<>/dev/tcp/127.0.0.1/80; } 2>/dev/null || return
  printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Type: application/json\r\n' \
    "$1" "$2" >&4
  printf 'Cookie: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' "$cookie" ${#3} "$3" >&4
  tr -d '\r' <&4 >/run/whole
  exec 4>&-
  code=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' /run/whole)
  sed '1,/^$/d' /run/whole >/run/answer
  [ -n "$code" ]
}
# keep_cookie: the one that the last answer has brought.
keep_cookie() { cookie=$(sed -n 's/^Set-Cookie: \(soundbox-[0-9a-f]*=[0-9a-f]*\);.*/\1/ip' /run/whole); [ -n "$cookie" ]; }
page_pid() { systemctl show --property MainPID --value soundbox-page; }

# overhear: from now on what the page sends is written down. overheard: the code in it, and an end to it.
overhear() {
  strace -f -qq -s 500 -e trace=write,writev,sendto,sendmsg -e signal=none -o /run/overheard -p "$(page_pid)" &
  tracer=$!
  until grep -q '^TracerPid:.*[1-9]' "/proc/$(page_pid)/status"; do sleep 0.05; done
}
overheard() {
  kill $tracer
  wait $tracer || true
  sed -n 's/.*code\\":\\"\([0-9]\{6\}\).*/\1/p' /run/overheard | tail -n 1
}

# time_server SECONDS: has timesyncd follow a server of this machine, by which it is so many seconds since 1970 now.
time_server() {
  perl -e '
    use strict; use Socket;
    socket(my $socket, PF_INET, SOCK_DGRAM, 0) or die $!;
    bind($socket, sockaddr_in(123, INADDR_LOOPBACK)) or die $!;
    sub uptime { open my $file, "<", "/proc/uptime"; (split " ", <$file>)[0] }
    # From 1900 on, as RFC 5905 counts.
    my $lead = $ARGV[0] - uptime() + 2208988800;
    while (defined(my $client = recv($socket, my $query, 68, 0))) {
      my $time = uptime() + $lead;
      my @stamp = (int $time, int(($time - int $time) * 4294967296));
      my $origin = substr($query, 40, 8);
      send($socket, pack("CCccNNa4NNa8NNNN", 0x24, 1, 6, -20, 0, 0, "TEST", @stamp, $origin, @stamp, @stamp), 0, $client);
    }' "$1" &
  time_server=$!
  mkdir -p /run/systemd/timesyncd.conf.d
  printf '[Time]\nNTP=127.0.0.1\n' >/run/systemd/timesyncd.conf.d/test.conf
  systemctl restart systemd-timesyncd
}
no_time_server() { systemctl stop systemd-timesyncd; kill "$time_server"; }

obey /dev/virtio-ports/agent
