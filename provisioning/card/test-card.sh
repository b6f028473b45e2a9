#!/usr/bin/env bash
# Boots the newest card of a folder under emulation; see test_card.py. Ten minutes.
#
# usage: test-card.sh CARDS      as root; the folder that make-card.sh has written with CARD_BOOT=yes
set -euo pipefail
(($# >= 1)) || { echo "usage: $0 CARDS" >&2; exit 64; }
here=$(realpath "$(dirname "$0")")
cache=$(realpath -m "${SOUNDBOX_CROSS_CACHE:-$HOME/.cache/soundbox-cross}")
# shellcheck disable=SC2012
image=$(ls -t "$1"/soundbox-*-arm64.img.zst | head -n 1)
{ read -r tools; read -r _; } < <("$here/make-root.sh" "$cache")
(cd "$1" && sha256sum --quiet --check "$(basename "$image").sha256")
exec "$here/test_card.py" "$tools" "$image" "$1/boot"
