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
# What is replaced stays in the pool until the next command: an index that lists it may still be in force.
quietly=(command reprepro --silent --silent --basedir "$repository")
reprepro() { "${quietly[@]}" --keepunreferencedfiles "$@"; }
# reprepro's database does not survive a kill. So a command that did not come to its end is undone, at the latest by the
# next one.
before=$repository/db.before
undo() {
  [[ -e $before ]] || return 0
  rm -rf "$repository/db"
  cp -a "$before" "$repository/db"
  reprepro export
  forget
}
forget() {
  mv "$before" "$before.old"
  rm -rf "$before.old"
}
known() {
  [[ " ${rings[*]} " == *" $1 "* ]] || { echo "repository.sh: there is no ring \"$1\"; they are: ${rings[*]}" >&2; exit 64; }
}
[[ $command == init || -d $repository/conf ]] ||
  { echo "repository.sh: $repository is no repository; make one with: $0 init $repository" >&2; exit 1; }
if [[ $command != init ]]; then
  exec 9<"$repository/conf"
  flock --wait 60 9 || { echo "repository.sh: another command works on $repository" >&2; exit 1; }
  rm -rf "$before".{new,old} "$repository/db/lockfile"
  undo
fi
if [[ $command =~ ^(add|promote|renew)$ ]]; then
  cp -a "$repository/db" "$before.new"
  mv "$before.new" "$before"
  trap undo EXIT
  "${quietly[@]}" deleteunreferenced
fi

case $command in
init)
  [[ ! -e $repository/conf ]] || { echo "repository.sh: $repository is there already" >&2; exit 1; }
  mkdir -p -m 700 "$GNUPGHOME"
  gpg --batch --quiet --no-auto-check-trustdb --passphrase '' --quick-generate-key 'Sound box packages' ed25519 sign never
  key=$(gpg --quiet --no-auto-check-trustdb --list-keys --with-colons | awk -F: '$1 == "fpr" { print $10; exit }')
  mkdir -p "$repository/conf"
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
  # Before anything changes, so that a mistake leaves the ring as it is.
  declare -A given=()
  for package in "$@"; do
    name=$(dpkg-deb --field "$package" Package) arch=$(dpkg-deb --field "$package" Architecture)
    dpkg-deb --fsys-tarfile "$package" >/dev/null || { echo "repository.sh: $package is not whole" >&2; exit 1; }
    [[ $arch =~ ^(amd64|arm64|all)$ ]] || { echo "repository.sh: $package is for $arch; boxes are amd64 or arm64" >&2; exit 1; }
    [[ -n $(dpkg-deb --field "$package" Section) ]] || { echo "repository.sh: $package has no section" >&2; exit 1; }
    [[ -z ${given[$name/$arch]:-} ]] || { echo "repository.sh: two packages $name for $arch: name one" >&2; exit 1; }
    given[$name/$arch]=$package
  done
  for key in "${!given[@]}"; do
    package=${given[$key]} only=()
    [[ $key == */all ]] || only=(--architecture "${key##*/}")
    held=$(reprepro "${only[@]}" --list-format '${version}\n' list "$ring" "${key%%/*}" | head -n 1)
    # reprepro takes an older version only when the newer one is gone.
    [[ -z $held ]] || dpkg --compare-versions "$held" le "$(dpkg-deb --field "$package" Version)" ||
      reprepro "${only[@]}" remove "$ring" "${key%%/*}"
    reprepro --component main includedeb "$ring" "$package"
  done
  ;;
promote)
  (($# == 2)) || usage
  known "$1"
  known "$2"
  [[ $1 != "$2" ]] || { echo "repository.sh: $1 to $2: those are one ring" >&2; exit 64; }
  [[ -n $(reprepro list "$1") ]] || { echo "repository.sh: $1 is empty" >&2; exit 1; }
  # One signature over both: a box sees the ring before or after.
  reprepro --export=silent-never removefilter "$2" Package
  reprepro copymatched "$2" "$1" '*'
  ;;
renew) reprepro export ;;
list) for ring in "${rings[@]}"; do reprepro list "$ring"; done ;;
*) usage ;;
esac
[[ ! -e $before ]] || forget
