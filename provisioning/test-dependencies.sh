#!/usr/bin/env bash
# What install-dependencies.sh does on a Debian 13 with nothing but its base: apt of this machine solves it with Debian
# 13's lists and a dpkg database of its own, installs nothing here, and takes what it would install for installed.
#
# usage: test-dependencies.sh       exit code 75: there is no mirror
set -euo pipefail
here=$(realpath "$(dirname "$0")")
mirror=${SOUNDBOX_DEBIAN_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d "${TMPDIR:-/tmp}/soundbox-dependencies.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; cat "$work/said" >&2; exit 1; }

mkdir -p "$work"/{bin,dpkg/info,dpkg/updates,lists/partial,archives/partial}
touch "$work/dpkg/status" "$work/calls"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$work/sources.list"
cat >"$work/apt.conf" <<CONF
Dir { Etc { SourceList "$work/sources.list"; SourceParts "-"; }; State { "$work"; lists "$work/lists";
  status "$work/dpkg/status"; }; Cache "$work"; };
APT { Architecture "amd64"; Architectures { "amd64"; }; Sandbox::User "root"; Get::Simulate "true"; };
Acquire { Check-Valid-Until "false"; Languages "none"; };
CONF
stub() { printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
stub dpkg-query "exec $(command -v dpkg-query) --admindir='$work/dpkg' \"\$@\""
stub systemctl ''
stub sudo 'exec "$@"'
# Notes what it would do, and makes it so.
stub apt-get "echo \"\$*\" >>'$work/calls'
[[ \" \$* \" != *' update '* ]] || exit 0
export APT_CONFIG='$work/apt.conf'
$(command -v apt-get) \"\$@\" | tee '$work/plan'
apt-cache show \$(sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p' '$work/plan') |
  sed '/^\(Filename\|Size\|MD5sum\|SHA256\|Description-md5\):/d; s/^Package: .*/&\nStatus: install ok installed/' >>'$work/dpkg/status'"

APT_CONFIG=$work/apt.conf apt-get -qq -o APT::Get::Simulate=false update >"$work/said" 2>&1 ||
  { echo "Debian 13's lists cannot be had from $mirror; what is missing there is not tried."; exit 75; }

# run SWIFT [WHAT]: with a compiler that says it is of this version.
run() {
  stub swift "echo 'Swift version $1 (swift-$1-RELEASE)'"
  PATH=$work/bin:$PATH "$here/install-dependencies.sh" "${@:2}" >"$work/said" 2>&1
}
for what in '' packaging peers brokers browser; do
  : >"$work/calls"
  # shellcheck disable=SC2086
  run 6.2 $what || fail "Debian 13 lacks something${what:+ of \"$what\"}"
  [[ -n $what ]] || grep -q '^Installing with apt: .*libasound2-dev' "$work/said" || fail "it installs nothing"
done
: >"$work/calls"
run 6.2.3 packaging || fail "the second run"
[[ ! -s $work/said && ! -s $work/calls ]] || fail "the second run has something to do"
! run 6.0.3 && grep -q '6.0.3; install it from https://swift.org' "$work/said" || fail "an old Swift is taken"
