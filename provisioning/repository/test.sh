#!/usr/bin/env bash
# What a box that follows a ring would do, by apt with folders of its own and packages of a hundred bytes. Installs
# nothing.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d "${TMPDIR:-/tmp}/soundbox-repository.XXXXXX")
trap 'GNUPGHOME=$work/repository.key gpgconf --kill all; rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }
repository() { "$here/repository.sh" "$1" "$work/repository" "${@:2}"; }

for version in 1 2; do
  mkdir -p "$work/package/DEBIAN"
  printf 'Package: soundbox\nVersion: %s\nArchitecture: all\nSection: net\nPriority: optional\nMaintainer: t <t@example.invalid>\nDescription: t\n' "$version" \
    >"$work/package/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$work/package" "$work/soundbox_$version.deb" >/dev/null
done
repository init
repository add stable "$work/soundbox_1.deb"
repository add canary "$work/soundbox_2.deb"

root=$work/box
mkdir -p "$root"/var/lib/{apt/lists/partial,dpkg} "$root"/var/cache/apt/archives/partial
"$here/follow.sh" "file:$work/repository" stable "$work/repository/soundbox-archive-keyring.gpg" "$root"
sed -i "s,^Signed-By: ,&$root," "$root/etc/apt/sources.list.d/soundbox.sources"
cat >"$work/apt.conf" <<CONF
Dir "$root";
Dir::State::status "$root/var/lib/dpkg/status";
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$work/apt.conf
# runs VERSION: what the box has installed now.
runs() {
  printf 'Package: soundbox\nStatus: install ok installed\nVersion: %s\nArchitecture: all\nMaintainer: t <t@example.invalid>\nDescription: t\n' \
    "$1" >"$root/var/lib/dpkg/status"
}
# does WHAT: the upgrade that apt plans, such as "[1] (2".
does() {
  apt-get -qq update || fail "the index is refused"
  apt-get -qq --simulate --allow-downgrades dist-upgrade | sed -n 's/^Inst soundbox \(\[[^]]*\] ([^ ]*\).*/\1/p'
}

runs 1
[[ $(does) == "" ]] || fail "a stable box takes what canary has"
repository promote canary stable
[[ $(does) == "[1] (2" ]] || fail "a promoted version is not taken"
runs 2
[[ $(does) == "" ]] || fail "it upgrades twice"
repository add stable "$work/soundbox_1.deb"
[[ $(does) == "[2] (1" ]] || fail "the box does not go back with its ring"

# Both architectures of a version, and a mistake that changes nothing.
for arch in amd64 arm64 armhf; do
  sed -i "s/^Architecture: .*/Architecture: $arch/; s/^Package: .*/Package: soundbox-speak/" "$work/package/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$work/package" "$work/speak_$arch.deb" >/dev/null
done
repository add early "$work"/speak_{amd64,arm64}.deb
! repository add early "$work"/speak_{arm64,armhf}.deb 2>"$work/said" || fail "a package that no box can run is taken"
head -c -20 "$work/speak_arm64.deb" >"$work/cut.deb"
! repository add early "$work/cut.deb" 2>"$work/said" || fail "a package that is cut is taken"
# A command that was killed, and has left a lock and half a database.
cp -a "$work/repository/db" "$work/repository/db.before"
touch "$work/repository/db/lockfile"
head -c 1000 /dev/urandom >"$work/repository/db/packages.db"
! repository promote early early 2>"$work/said" || fail "a ring is promoted to itself"
[[ $(repository list | grep -c 'early|main|.* soundbox-speak 2') == 2 ]] || fail "$(repository list)"

# What somebody has changed on the way is refused, and what the box knows stays.
sed -i 's/^Suite: stable/Suite: Stable/' "$work/repository/dists/stable/InRelease"
! apt-get -qq -o APT::Update::Error-Mode=any update 2>"$work/said" || fail "a changed index is taken"
grep -q "signature" "$work/said" || { cat "$work/said" >&2; fail "a changed index is refused for another reason"; }
# An index that nobody renews is refused after 60 days.
repository renew
does >/dev/null
sleep 2
! apt-get -qq -o APT::Update::Error-Mode=any -o Acquire::Max-ValidTime=1 update 2>"$work/said" ||
  fail "an index that has expired is taken"
grep -q "expired" "$work/said" || { cat "$work/said" >&2; fail "an old index is refused for another reason"; }
