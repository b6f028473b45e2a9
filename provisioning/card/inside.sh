#!/usr/bin/env bash
# Runs a command in the Debian 13 with the tools, where arm64 programs run, too. /project is the project and /cache the
# folder that the tools are in. Nothing stays mounted.
#
# usage: inside.sh TOOLS COMMAND...      as root
set -euo pipefail
(($# >= 2)) || { echo "usage: $0 TOOLS COMMAND..." >&2; exit 64; }
here=$(realpath "$(dirname "$0")")
tools=$(realpath "$1")
shift

# In a mount name space of its own.
# shellcheck disable=SC2016
enter=(bash -euo pipefail -c '
  tools=$1 project=$2 cache=$3
  shift 3
  mkdir -p "$tools/project" "$tools/cache"
  mount --bind "$project" "$tools/project"
  mount --bind "$cache" "$tools/cache"
  mount --rbind /proc "$tools/proc"
  mount --rbind /dev "$tools/dev"
  mount --rbind /sys "$tools/sys"
  cp /etc/resolv.conf "$tools/etc/resolv.conf"
  exec chroot "$tools" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
' inside "$tools" "$(realpath "$here/../..")" "$(dirname "$tools")")
code=0
"$here/arm64-namespace.py" "$tools/usr/bin/qemu-aarch64" "${enter[@]}" "$@" || code=$?
((code == 75)) || exit "$code"
# Before Linux 6.7 binfmt_misc is the whole machine's.
grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64 || {
  echo "This kernel ($(uname -r)) has no binfmt_misc for a user name space, and the machine's has no qemu-aarch64: apt-get install qemu-user-static" >&2
  exit 1
}
echo "arm64 programs run by the machine's own binfmt_misc." >&2
exec unshare --mount --propagation private "${enter[@]}" "$@"
