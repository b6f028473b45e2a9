#!/usr/bin/env bash
# A signed apt repository of the box's packages. Boxes follow a ring: canary, early or stable. Needs reprepro and gpg.
#
# usage: repository.sh init REPO              makes it, and its key in REPO.key: keep that secret, and a copy of it
#        repository.sh add REPO RING DEB...   puts packages into a ring, in place of those that it has
#        repository.sh promote REPO FROM TO   TO gets what FROM has, newer or older: boxes go back as they go on
#        repository.sh renew REPO             signs the indexes anew: a box takes none that is older than 60 days
#        repository.sh list REPO
#
# Serve REPO/dists, REPO/pool and REPO/soundbox-archive-keyring.gpg by HTTP; conf and db stay at home.
set -euo pipefail
rings=(canary early stable)

usage() { sed -n '/^# usage/,/^#$/s/^# \{0,1\}//p' "$0" >&2; exit 64; }
(($# >= 2)) || usage
command=$1 repository=$(realpath -m "$2")
shift 2
export GNUPGHOME=$repository.key
reprepro() { command reprepro --silent --silent --basedir "$repository" "$@"; }
known() {
  [[ " ${rings[*]} " == *" $1 "* ]] || { echo "repository.sh: there is no ring \"$1\"; they are: ${rings[*]}" >&2; exit 64; }
}
[[ $command == init || -d $repository/conf ]] ||
  { echo "repository.sh: $repository is no repository; make one with: $0 init $repository" >&2; exit 1; }

case $command in
init)
  [[ ! -e $repository/conf ]] || { echo "repository.sh: $repository is there already" >&2; exit 1; }
  mkdir -p -m 700 "$GNUPGHOME"
  mkdir -p "$repository/conf"
  gpg --batch --quiet --no-auto-check-trustdb --passphrase '' --quick-generate-key 'Sound box packages' ed25519 sign never
  key=$(gpg --quiet --no-auto-check-trustdb --list-keys --with-colons | awk -F: '$1 == "fpr" { print $10; exit }')
  for ring in "${rings[@]}"; do
    printf '%s\n' "Origin: Soundbox" "Label: Soundbox" "Suite: $ring" "Codename: $ring" "Architectures: amd64 arm64" \
      "Components: main" "SignWith: $key" "ValidFor: 60d" ''
  done >"$repository/conf/distributions"
  gpg --export "$key" >"$repository/soundbox-archive-keyring.gpg"
  reprepro export
  ;;
add)
  (($# >= 2)) || usage
  ring=$1
  known "$ring"
  shift
  # An older version replaces a newer one only when that is gone.
  for package in "$@"; do
    reprepro remove "$ring" "$(dpkg-deb --field "$package" Package)"
    reprepro --component main includedeb "$ring" "$package"
  done
  ;;
promote)
  (($# == 2)) || usage
  known "$1"
  known "$2"
  [[ -n $(reprepro list "$1") ]] || { echo "repository.sh: $1 is empty" >&2; exit 1; }
  # One signature over both: a box sees the ring before or after.
  reprepro --export=silent-never removefilter "$2" Package
  reprepro copymatched "$2" "$1" '*'
  ;;
renew) reprepro export ;;
list) for ring in "${rings[@]}"; do reprepro list "$ring"; done ;;
*) usage ;;
esac
