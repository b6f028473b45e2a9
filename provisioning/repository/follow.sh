#!/usr/bin/env bash
# Has a box follow a ring of a repository: it upgrades at night while no payment waits, and goes back when its ring does.
# Needs unattended-upgrades on the box.
#
# usage: follow.sh URL RING KEYRING [ROOT]      as root; KEYRING is the repository's soundbox-archive-keyring.gpg
#
# ROOT is the root file system of a card that is being made.
set -euo pipefail
url=${1:?"usage: follow.sh URL RING KEYRING [ROOT]"} ring=${2:?"a ring: canary, early or stable"}
keyring=${3:?"the file soundbox-archive-keyring.gpg"} root=${4:-}
[[ " canary early stable " == *" $ring "* ]] || { echo "follow.sh: there is no ring \"$ring\": canary, early, stable" >&2; exit 64; }
[[ $url =~ ^(https?|file):[^[:space:]]+$ ]] || { echo "follow.sh: \"$url\" is no address such as https://apt.example.com" >&2; exit 64; }
install -D -m 644 "$keyring" "$root/usr/share/keyrings/soundbox-archive-keyring.gpg"
put() { install -D -m 644 /dev/stdin "$root/etc/$1"; }

put apt/sources.list.d/soundbox.sources <<SOURCE
Types: deb
URIs: $url
Suites: $ring
Components: main
Signed-By: /usr/share/keyrings/soundbox-archive-keyring.gpg
SOURCE
# What the ring has is what the box runs, also when it is older.
put apt/preferences.d/soundbox <<'PIN'
Package: *
Pin: release o=Soundbox
Pin-Priority: 1001
PIN
put apt/apt.conf.d/60soundbox <<'APT'
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";
Unattended-Upgrade::Origins-Pattern { "origin=Soundbox"; };
// Only what has a pin above 1000 is older than what is installed.
Unattended-Upgrade::Allow-downgrade "true";
APT
put systemd/system/apt-daily-upgrade.timer.d/soundbox.conf <<'TIMER'
[Timer]
OnCalendar=
OnCalendar=*-*-* 03:00
RandomizedDelaySec=2h
TIMER
put systemd/system/apt-daily-upgrade.service.d/soundbox.conf <<'SERVICE'
[Service]
ExecCondition=/bin/sh -c '! soundbox status --json | grep -q "queued.:[1-9]"'
# What a power cut has left half replaced: apt's own script does nothing then.
ExecStartPre=-/usr/bin/dpkg --configure -a
ExecStartPre=-/usr/bin/apt-get -q update
ExecStartPre=-/usr/bin/env DEBIAN_FRONTEND=noninteractive apt-get -q --yes --allow-downgrades --fix-broken install
SERVICE
if [[ -z $root && -d /run/systemd/system ]]; then
  systemctl daemon-reload
  systemctl restart apt-daily-upgrade.timer
fi
