#!/usr/bin/env bash
# Proves the packages in a clean Debian: installed, used, upgraded, rolled back, removed, purged; and checks them with
# lintian. Needs root, mmdebstrap, lintian and the Debian mirror that apt is configured with.
#
# usage: test.sh SUITE COMMAND...    bookworm or trixie, and what makes its packages in a folder given as last argument
set -euo pipefail

# In a mount name space of its own: nothing stays mounted, whatever happens.
[[ -n ${SOUNDBOX_IN_NAMESPACE:-} ]] ||
  exec env SOUNDBOX_IN_NAMESPACE=1 unshare --mount --propagation private "$0" "$@"

suite=$1
shift
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d "${TMPDIR:-/var/tmp}/soundbox-deb-test.XXXXXX")
root=$work/root
box=''
finish() {
  if [[ -n $box ]]; then kill -KILL "$box" 2>/dev/null || true; fi
  umount "$root/proc" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

step() { printf '\n\033[1m%s\033[0m\n' "$1"; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
fail() { echo "FAILED: $1" >&2; exit 1; }
is_mode() { # EXPECTED PATH
  [[ $(inside stat -c '%U:%G %a' "$2") == "$1" ]] || fail "$2 is $(inside stat -c '%U:%G %a' "$2"), expected $1"
}
is_enabled() { [[ -L $root/etc/systemd/system/multi-user.target.wants/$1 ]] || fail "$1 is not enabled"; }
is_gone() { [[ ! -e $root$1 ]] || fail "$1 is still there"; }

step "Packages of this version and of the next one"
"$@" "$work/this"
SOUNDBOX_DEB_VERSION=99.0.0 SOUNDBOX_DEB_COMPRESSION=none "$@" "$work/next" >/dev/null

step "lintian"
lintian --fail-on error --tag-display-limit 0 "$work"/this/*.deb

step "A clean Debian $suite"
mmdebstrap --variant=minbase --include=ca-certificates "$suite" "$root" >"$work/mmdebstrap.log" 2>&1 ||
  { tail -20 "$work/mmdebstrap.log" >&2; exit 1; }
# A Swift program reads its own arguments from there.
mount -t proc proc "$root/proc"
cp -r "$work/this" "$work/next" "$root/tmp/"
inside apt-get -qq update

step "Install"
inside sh -c 'apt-get -qq install --yes --no-install-recommends /tmp/this/*.deb' >"$work/install.log" 2>&1 ||
  { cat "$work/install.log" >&2; exit 1; }
inside soundbox --version
[[ $(inside soundbox say 1005) == 一千零五元 ]] || fail "say"
[[ $(inside soundbox voice check 2>&1) == *"soundbox-voicetools check"* ]] || fail "voice check does not say where it went"
[[ $(inside sh -c 'echo 三号桌客人请取餐 | soundbox-speak text --locale zh-CN | soundbox-speak decode | head -c 4') == RIFF ]] ||
  fail "the helper speaks and decodes"
inside soundbox-voicetools check
[[ $(inside soundbox-voicetools check en-US --oracle 2>&1) == *"beside ICU"* ]] || fail "the comparison with ICU"
[[ $(inside id -nG soundbox | tr ' ' '\n' | sort | tr '\n' ' ') == "audio gpio soundbox soundbox-page " ]] || fail "groups of soundbox"
is_mode "root:soundbox 750" /etc/soundbox
is_mode "soundbox:soundbox 750" /var/lib/soundbox
[[ $(inside getent passwd soundbox-page | cut -d: -f6,7) == /nonexistent:/usr/sbin/nologin ]] ||
  fail "home or shell of soundbox-page"
[[ $(inside id -nG soundbox-page) == soundbox-page ]] || fail "groups of soundbox-page"
is_mode "root:soundbox-page 750" /etc/soundbox-page
is_mode "soundbox:soundbox-page 750" /run/soundbox-page
while IFS= read -r asset; do
  is_mode "root:root 644" "/usr/share/soundbox/page/$asset"
done < <(cd "$here/../../Sources/page/browser" && find . -type f -not -name '.*' -printf '%P\n')
is_mode "root:root 755" /usr/share/soundbox/page/words
is_enabled soundbox.service
is_enabled soundbox-page.path
is_mode "root:soundbox-gateway 750" /etc/soundbox-gateway
is_enabled soundbox-gateway.service
inside sh -c 'systemd-analyze verify --man=no /usr/lib/systemd/system/soundbox*' || fail "the units"

step "Set up, and run as the service's user"
inside sh -c 'umask 077; echo s3cret >/root/password'
inside soundbox setup --yes --force --skip-sound --no-restart --merchant-id M1001 --device-id box-01 \
  --broker mqtt://127.0.0.1:1 --username box --password-file /root/password --board raspberry-pi --audio-device null
is_mode "root:soundbox 640" /etc/soundbox/soundbox.yaml
is_mode "soundbox:soundbox 600" /etc/soundbox/broker.password
inside install -d -o soundbox -g soundbox -m 750 /run/soundbox
# No function: each of these programs becomes the next one, so that the job is the box itself.
chroot "$root" env -i PATH=/usr/bin setpriv --reuid=soundbox --regid=soundbox --init-groups soundbox run \
  >"$work/run.log" 2>&1 &
box=$!
for _ in {1..100}; do
  inside soundbox status --json 2>/dev/null | grep -q '"state":"offline"' && break
  sleep 0.1
done
inside soundbox status --json | grep -q '"state":"offline"' || { cat "$work/run.log" >&2; fail "the box does not run"; }
is_mode "soundbox:soundbox 660" /run/soundbox/control.sock
inside soundbox doctor || true
kill -TERM "$box"
wait "$box" || fail "the box did not end in good order"
box=''
is_mode "soundbox:soundbox 640" /var/lib/soundbox/inbox.sqlite
before=$(cd "$root" && sha256sum etc/soundbox/* var/lib/soundbox/inbox.sqlite)

step "The gateway takes a payment as its user, and lists it"
inside install -d -o soundbox-gateway -g soundbox-gateway -m 700 /var/lib/soundbox-gateway
token=$(openssl rand -hex 24)
echo "shop $token" >"$root/etc/soundbox-gateway/tokens"
echo '{client_id: gateway-1, broker: {url: "mqtt://127.0.0.1:1"}, listen: "127.0.0.1:18090"}' >"$root/etc/soundbox-gateway/gateway.yaml"
chmod 640 "$root"/etc/soundbox-gateway/{tokens,gateway.yaml}
inside chgrp soundbox-gateway /etc/soundbox-gateway/{tokens,gateway.yaml}
chroot "$root" env -i PATH=/usr/bin setpriv --reuid=soundbox-gateway --regid=soundbox-gateway --init-groups \
  soundbox-gateway run >"$work/gateway.log" 2>&1 &
box=$!
curl --silent --fail --retry 10 --retry-connrefused --header "Authorization: Bearer $token" \
  --data '{"id":"A-1","amount":"123.45"}' http://127.0.0.1:18090/payments/M1001/box-01 >/dev/null ||
  { cat "$work/gateway.log" >&2; fail "the gateway takes no payment"; }
kill -TERM "$box"
wait "$box" || fail "the gateway did not end in good order"
box=''
[[ $(inside setpriv --reuid=soundbox-gateway --regid=soundbox-gateway --clear-groups soundbox-gateway list --unheard) == *A-1* ]] ||
  fail "the list of what nobody has heard"

step "Upgrade: the light tells of it, and the box is restarted once"
# No systemd runs here. The packages are to believe it, and what they ask of it is written down.
inside mkdir -p /run/systemd/system
cat >"$root/usr/bin/deb-systemd-invoke" <<'STUB'
#!/bin/sh
echo "$*, mark: $(ls /run | grep -x soundbox-updating)" >>/tmp/invoked
STUB
invoked() { grep -cE "$1" "$root/tmp/invoked" || true; }
inside sh -c 'apt-get -qq install --yes --no-install-recommends /tmp/next/*.deb' >"$work/upgrade.log" 2>&1 ||
  { cat "$work/upgrade.log" >&2; exit 1; }
[[ $(inside dpkg-query -W -f '${Version}' soundbox) == 99.0.0* ]] || fail "the version after the upgrade"
[[ $(invoked 'restart soundbox.service') == 1 && $(invoked '^restart soundbox.service, mark: soundbox-updating$') == 1 ]] ||
  { cat "$root/tmp/invoked" >&2; fail "an upgrade of program and voices must restart the box once, under the light's sign"; }
# A page that is up becomes the new version, behind the box.
[[ $(tail -n 2 "$root/tmp/invoked") == $'restart soundbox-page.path, mark: \ntry-restart soundbox-page.service, mark: ' ]] ||
  { cat "$root/tmp/invoked" >&2; fail "an upgrade must restart a page that is up, after the box"; }
is_gone /run/soundbox-updating
[[ $(cd "$root" && sha256sum etc/soundbox/* var/lib/soundbox/inbox.sqlite) == "$before" ]] || fail "an upgrade changed settings or payments"

step "A voice alone: the box is restarted once, and not started when it does not run"
rm "$root/tmp/invoked"
inside sh -c 'dpkg --install /tmp/next/soundbox-voice-zh-cn_*.deb /tmp/next/soundbox-voice-en-us_*.deb' >/dev/null
[[ $(cat "$root/tmp/invoked") == "try-restart soundbox.service, mark: " ]] ||
  { cat "$root/tmp/invoked" >&2; fail "the upgrade of voices must restart a box that runs, once"; }
rm -r "$root/run/systemd"

step "A newer version that refuses to go stays"
cp "$root/var/lib/dpkg/info/soundbox.prerm" "$work/prerm"
printf '#!/bin/sh\n[ "$1" != upgrade ]\n' >"$root/var/lib/dpkg/info/soundbox.prerm"
# By itself: apt would begin with the packages that depend on it.
! inside sh -c 'dpkg --force-breaks --install /tmp/this/soundbox_*.deb' >"$work/refused.log" 2>&1 ||
  fail "an older version has replaced one that refuses"
[[ $(inside dpkg-query -W -f '${db:Status-Abbrev}${Version}' soundbox) == "ii 99.0.0"* ]] || { cat "$work/refused.log" >&2; fail "the version after a refusal"; }
cp "$work/prerm" "$root/var/lib/dpkg/info/soundbox.prerm"

step "Roll back"
inside sh -c 'apt-get -qq install --yes --allow-downgrades --no-install-recommends /tmp/this/*.deb' >"$work/downgrade.log" 2>&1 ||
  { cat "$work/downgrade.log" >&2; exit 1; }
[[ $(cd "$root" && sha256sum etc/soundbox/* var/lib/soundbox/inbox.sqlite) == "$before" ]] || fail "rolling back changed settings or payments"

step "Remove: settings and payments stay"
inside apt-get -qq remove --yes soundbox >/dev/null 2>&1
is_gone /usr/bin/soundbox
[[ $(cd "$root" && sha256sum etc/soundbox/* var/lib/soundbox/inbox.sqlite) == "$before" ]] || fail "removing changed settings or payments"

step "Install again, and purge: nothing stays"
inside sh -c 'apt-get -qq install --yes --no-install-recommends /tmp/this/*.deb' >/dev/null 2>&1
is_enabled soundbox.service
is_enabled soundbox-page.path
# What the page keeps, and a certificate; and an announcement that a power cut has left.
inside install -d -o soundbox-page -g soundbox-page -m 700 /var/lib/soundbox-page
inside install -d /etc/avahi/services
touch "$root"/{var/lib/soundbox-page/sessions,etc/soundbox-page/page.key,etc/avahi/services/soundbox-page.service}
inside apt-get -qq purge --yes soundbox soundbox-speak soundbox-voicetools soundbox-gateway 'soundbox-voice-*' >/dev/null 2>&1
for path in /etc/soundbox /var/lib/soundbox /usr/share/soundbox /usr/lib/soundbox /usr/bin/soundbox{,-speak,-voicetools,-gateway} \
  /etc/soundbox-gateway /var/lib/soundbox-gateway \
  /etc/soundbox-page /var/lib/soundbox-page /run/soundbox-page /etc/avahi/services/soundbox-page.service \
  /etc/systemd/system/multi-user.target.wants/soundbox{,-gateway}.service /etc/systemd/system/multi-user.target.wants/soundbox-page.path; do is_gone "$path"; done

step "Everything as it should be"
