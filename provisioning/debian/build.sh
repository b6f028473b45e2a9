#!/usr/bin/env bash
# Makes the Debian packages from release binaries: soundbox, soundbox-speak, soundbox-voicetools and soundbox-gateway for
# one architecture, and soundbox-voice-LOCALE for each voice in sounds/, which fit every architecture. A further speaker of a language is
# a voice, too, and its package works alone: soundbox-voice-zh-cn-yunxi.
#
# No source package and no debhelper: before Debian 13 there is no Swift compiler that a clean build could depend on.
#
# usage: build.sh ARCH BINARY OUTPUT [RUNNER…]
#
#   ARCH     amd64, arm64
#   BINARY   the executable, with or without symbols
#   OUTPUT   the folder for the .deb files
#   RUNNER   what runs the binary where this machine cannot (qemu-aarch64 -L SYSROOT), for manual pages and completions
#
# In the environment:
#   SYSROOT                    the folder with the packages of another Debian that the binary was linked against
#   SOUNDBOX_DEB_SPEAK         the executable of soundbox-speak; without it there is no such package
#   SOUNDBOX_DEB_VOICETOOLS    the executable of soundbox-voicetools; without it there is no such package
#   SOUNDBOX_DEB_GATEWAY       the executable of soundbox-gateway; without it there is no such package
#   SOUNDBOX_DEB_VERSION       another version, for trials of an upgrade
#   SOUNDBOX_DEB_SUFFIX        what follows the version: ~deb12 for Debian 12, nothing for 13
#   SOUNDBOX_DEB_COMPRESSION   as dpkg-deb's -Z; none is quick, for trials
#   SOUNDBOX_DEB_SOUNDS        the folder with the voices, instead of sounds/
#   SOUNDBOX_DEB_VOICES        their folders' names with blanks between, instead of all
#   SOUNDBOX_DEB_SYMBOLS       yes: soundbox-dbgsym as well, what the program was stripped of
set -euo pipefail

arch=$1 binary=$(realpath "$2") output=$(realpath -m "$3")
speak=${SOUNDBOX_DEB_SPEAK:+$(realpath "$SOUNDBOX_DEB_SPEAK")}
voicetools=${SOUNDBOX_DEB_VOICETOOLS:+$(realpath "$SOUNDBOX_DEB_VOICETOOLS")}
gateway=${SOUNDBOX_DEB_GATEWAY:+$(realpath "$SOUNDBOX_DEB_GATEWAY")}
shift 3
run=("$@")
here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/../..")
version=${SOUNDBOX_DEB_VERSION:-$(sed -n 's/.*current = "\(.*\)"/\1/p' "$project/Sources/box/Core/Version.swift")}
# Packages for Debian 12 sort before those of the same version for 13, so that an upgrade of Debian replaces them.
version+=${SOUNDBOX_DEB_SUFFIX:-}
# Whoever ships the packages puts their own here.
maintainer='Sound box maintainers <maintainers@soundbox.invalid>'
homepage=https://soundbox.invalid
work=$(mktemp -d "${TMPDIR:-/tmp}/soundbox-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
umask 022

# The same sources give the same packages, bit by bit.
SOURCE_DATE_EPOCH=$(git -C "$project" log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
mkdir -p "$output"

install_file() { install -D -m "$1" "$2" "$3"; }
compressed() { gzip -9 -n >"$1"; }

# What every package has: licence, changes, checksums, control file.
finish() { # ROOT NAME ARCHITECTURE <control fields
  local root=$1 name=$2 architecture=$3 doc=$1/usr/share/doc/$2
  mkdir -p "$doc" "$root/DEBIAN"
  install_file 644 "$here/copyright" "$doc/copyright"
  {
    echo "$name ($version) unstable; urgency=medium"
    echo
    echo "  * See /usr/share/doc/soundbox/CHANGELOG.md for the changes of this version."
    echo
    echo " -- $maintainer  $(date --utc --date="@$SOURCE_DATE_EPOCH" --rfc-email)"
  } | compressed "$doc/changelog.gz"
  (cd "$root" && find . -type f -not -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$name" "$version" "$architecture"
    printf 'Maintainer: %s\nHomepage: %s\nInstalled-Size: %s\nSection: %s\nPriority: optional\n' \
      "$maintainer" "$homepage" "$(du -k -s --apparent-size "$root" | cut -f1)" "${section:-net}"
    cat
  } >"$root/DEBIAN/control"
  find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0r touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
  dpkg-deb --root-owner-group "-Z${SOUNDBOX_DEB_COMPRESSION:-xz}" --build "$root" "$output/${name}_${version}_${architecture}.deb" >/dev/null
  echo "$output/${name}_${version}_${architecture}.deb"
}

# What a debugger needs to give the addresses of a core file names and lines; it finds it by the build id.
symbols_package() {
  local root=$work/soundbox-dbgsym id
  id=$(readelf --notes "$binary" | sed -n 's/^ *Build ID: //p')
  [[ -n $id ]] || { echo "build.sh: $binary has no build id; was it linked otherwise than Package.swift says?" >&2; exit 1; }
  local file=$root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
  mkdir -p "$(dirname "$file")"
  "$(dpkg-architecture --host-arch "$arch" --query DEB_HOST_GNU_TYPE 2>/dev/null)-objcopy" \
    --only-keep-debug --compress-debug-sections "$binary" "$file"
  chmod 644 "$file"
  section=debug finish "$root" soundbox-dbgsym "$arch" <<CONTROL
Depends: soundbox (= $version)
Build-Ids: $id
Description: debug symbols for soundbox
 What the program was stripped of. With it, gdb and coredumpctl show names and
 lines of a core file; the program itself does not need it.
CONTROL
}

# The packages of the libraries that the binary is linked with, in the least version that has what it uses.
library_packages() { # BINARY
  mkdir -p "$work/source/debian"
  printf 'Source: soundbox\n\nPackage: soundbox\nArchitecture: any\n' >"$work/source/debian/control"
  local places=()
  [[ -z ${SYSROOT:-} ]] ||
    places=("--admindir=$SYSROOT/var/lib/dpkg" "-l$SYSROOT/usr/lib/$(dpkg-architecture --host-arch "$arch" --query DEB_HOST_MULTIARCH 2>/dev/null)")
  (cd "$work/source" && DEB_HOST_ARCH=$arch dpkg-shlibdeps "${places[@]}" -O "$1" 2>"$work/shlibdeps.log" |
    sed -n 's/^shlibs:Depends=//p' | grep .) || { cat "$work/shlibdeps.log" >&2; exit 1; }
}

# The program, stripped, with its manual pages, completions and what lintian is to overlook.
install_program() { # EXECUTABLE ROOT NAME
  local executable=$1 root=$2 name=$3 share=$2/usr/share
  install_file 755 "$executable" "$root/usr/bin/$name"
  "$(dpkg-architecture --host-arch "$arch" --query DEB_HOST_GNU_TYPE 2>/dev/null)-strip" \
    --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/$name"
  if grep -qa 'icudt[0-9]*l/brkitr' "$root/usr/bin/$name"; then
    echo "build.sh: $name carries ICU's data, 34 MB that nothing asks for; has Sources/c/CWithoutICUData its name?" >&2
  fi
  mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
  "${run[@]}" "$executable" --experimental-dump-help |
    python3 "$here/man-pages.py" --version "$version" --date "$(date --utc --date="@$SOURCE_DATE_EPOCH" +%F)" "$share/man/man1"
  gzip -9 -n "$share"/man/man1/*.1
  # Sourced, never run: without its first line, which names a shell.
  "${run[@]}" "$executable" --generate-completion-script bash | sed '1{/^#!/d}' >"$share/bash-completion/completions/$name"
  "${run[@]}" "$executable" --generate-completion-script zsh >"$share/zsh/vendor-completions/_$name"
  "${run[@]}" "$executable" --generate-completion-script fish >"$share/fish/vendor_completions.d/$name.fish"
  # Swift's standard library and packages are linked statically: Debian does not package them.
  mkdir -p "$share/lintian/overrides"
  echo "$name: embedded-library *" >"$share/lintian/overrides/$name"
}

main_package() {
  local root=$work/soundbox
  install_program "$binary" "$root" soundbox
  for board in "$project"/board/*.yaml; do
    install_file 644 "$board" "$root/usr/share/soundbox/board/$(basename "$board")"
  done
  for mapping in "$project"/provisioning/mappings/*.yaml; do
    install_file 644 "$mapping" "$root/usr/share/soundbox/mappings/$(basename "$mapping")"
  done
  while IFS= read -r asset; do
    install_file 644 "$project/Sources/page/browser/$asset" "$root/usr/share/soundbox/page/$asset"
  done < <(cd "$project/Sources/page/browser" && find . -type f -not -name '.*' -printf '%P\n')
  local units=$root/usr/lib/systemd/system
  install_file 644 "$project/provisioning/systemd/soundbox.service" "$units/soundbox.service"
  install_file 644 "$project/provisioning/systemd/soundbox-first-boot.service" "$units/soundbox-first-boot.service"
  install_file 644 "$project/provisioning/systemd/soundbox-enrol.service" "$units/soundbox-enrol.service"
  install_file 644 "$project/provisioning/systemd/soundbox-wifi.service" "$units/soundbox-wifi.service"
  install_file 644 "$project/provisioning/systemd/soundbox-page.path" "$units/soundbox-page.path"
  install_file 644 "$project/provisioning/systemd/soundbox-page.service" "$units/soundbox-page.service"
  install_file 755 "$project/provisioning/systemd/soundbox-page-around.sh" "$root/usr/lib/soundbox/page-around"
  install_file 644 "$project/provisioning/avahi/soundbox.service" "$root/usr/share/soundbox/avahi/soundbox.service"
  install_file 644 "$project/provisioning/systemd/soundbox.sysusers" "$root/usr/lib/sysusers.d/soundbox.conf"
  install_file 644 "$project/provisioning/systemd/soundbox.tmpfiles" "$root/usr/lib/tmpfiles.d/soundbox.conf"
  install_file 644 "$project/provisioning/systemd/60-soundbox-gpio.rules" \
    "$root/usr/lib/udev/rules.d/60-soundbox-gpio.rules"

  local doc=$root/usr/share/doc/soundbox
  for page in README.md CHANGELOG.md docs/{features,install,operations,messages,configuration,integration,security}.md; do
    [[ -e $project/$page ]] && install_file 644 "$project/$page" "$doc/$(basename "$page")"
  done
  install_file 644 "$project/board/README.md" "$doc/boards.md"
  # Not what Python leaves beside a script that was tried.
  while IFS= read -r example; do
    install_file "$([[ -x $project/provisioning/$example ]] && echo 755 || echo 644)" \
      "$project/provisioning/$example" "$doc/examples/$example"
  done < <(cd "$project/provisioning" && find broker enrolment -type f -not -path '*/__pycache__/*')

  for example in "$project"/docs/examples/*; do
    install_file "$([[ -x $example ]] && echo 755 || echo 644)" "$example" "$doc/examples/$(basename "$example")"
  done

  for script in preinst postinst prerm postrm; do install_file 755 "$here/$script" "$root/DEBIAN/$script"; done
  install_file 644 "$here/triggers" "$root/DEBIAN/triggers"
  local libraries
  libraries=$(library_packages "$root/usr/bin/soundbox")
  finish "$root" soundbox "$arch" <<CONTROL
Depends: $libraries, ca-certificates, init-system-helpers (>= 1.54~), soundbox-voice-zh-cn | soundbox-voice, systemd
Recommends: soundbox-speak, systemd-timesyncd | time-daemon
Suggests: alsa-utils, avahi-daemon, gpiod, mosquitto-clients
Description: payment sound box
 Says aloud what a customer has paid, the moment the money arrives. Takes
 payment notices from an MQTT broker, keeps them in a database that survives
 power cuts, and speaks them one after the other from recorded phrases, on any
 sound card that ALSA knows.
 .
 Set it up with "sudo soundbox setup", and look after it with
 "sudo soundbox doctor".
CONTROL
}

# Program and helper are of one version: what they say to each other is promised to nobody.
speak_package() {
  local root=$work/soundbox-speak
  install_program "$speak" "$root" soundbox-speak
  local libraries
  libraries=$(library_packages "$root/usr/bin/soundbox-speak")
  section=sound finish "$root" soundbox-speak "$arch" <<CONTROL
Depends: $libraries, ca-certificates, espeak-ng, soundbox (= $version)
Description: payment sound box, speech of any text, and clips
 With it a payment sound box speaks texts for which its voice has no
 recordings, by espeak-ng, and plays sounds that a command links to. Each
 sound is made by a process of its own, and foreign files are decoded without
 network and files. Payments need nothing of it.
CONTROL
}

voicetools_package() {
  local root=$work/soundbox-voicetools
  install_program "$voicetools" "$root" soundbox-voicetools
  install_file 644 "$project/docs/voice-authoring.md" "$root/usr/share/doc/soundbox-voicetools/voice-authoring.md"
  local libraries
  libraries=$(library_packages "$root/usr/bin/soundbox-voicetools")
  section=sound finish "$root" soundbox-voicetools "$arch" <<CONTROL
Depends: $libraries
Suggests: espeak-ng
Enhances: soundbox
Description: payment sound box, tools for voice authors
 Begins a voice, prints what to read aloud, cuts a speaker's take into
 recordings, proves that the voice can say every amount and that no two of
 them sound alike, and writes pages to compare voices. A box does not need it.
CONTROL
}

# For a payment system's server. It has nothing of a box.
gateway_package() {
  local root=$work/soundbox-gateway doc=$work/soundbox-gateway/usr/share/doc/soundbox-gateway script
  install_program "$gateway" "$root" soundbox-gateway
  install_file 644 "$project/provisioning/systemd/soundbox-gateway.service" \
    "$root/usr/lib/systemd/system/soundbox-gateway.service"
  install_file 644 "$project/provisioning/systemd/soundbox-gateway.sysusers" \
    "$root/usr/lib/sysusers.d/soundbox-gateway.conf"
  for page in gateway integration; do install_file 644 "$project/docs/$page.md" "$doc/$page.md"; done
  install_file 644 "$project/docs/gateway-api.yaml" "$doc/gateway-api.yaml"
  for hook in "$project"/provisioning/hooks/*.yaml; do
    install_file 644 "$hook" "$doc/examples/hooks/$(basename "$hook")"
  done
  install_file 755 "$project/provisioning/callbacks/receiver.py" "$doc/examples/callbacks/receiver.py"
  for script in postinst prerm postrm; do install_file 755 "$here/gateway/$script" "$root/DEBIAN/$script"; done
  local libraries
  libraries=$(library_packages "$root/usr/bin/soundbox-gateway")
  finish "$root" soundbox-gateway "$arch" <<CONTROL
Depends: $libraries, ca-certificates, init-system-helpers (>= 1.54~), systemd
Suggests: mosquitto, nginx
Description: gateway between payment systems and sound boxes
 Takes payments by HTTP or from a provider's webhook, keeps them in a database
 that survives power cuts, publishes them signed to payment sound boxes over
 MQTT, and publishes them again until the boxes have them.
 .
 Write /etc/soundbox-gateway/gateway.yaml first; see
 /usr/share/doc/soundbox-gateway/gateway.md.
CONTROL
}

# An older program may not know every key of this voice, and would refuse it. A newer one reads it: what the voice lacks
# has a fallback (docs/voice-authoring.md). Breaks and not Depends, since the program depends on a voice itself.
voice_package() { # FOLDER
  local voice name root files speaker
  voice=$(basename "$1")
  name=soundbox-voice-${voice,,}
  root=$work/$name
  files=$root/usr/share/soundbox/sounds/$voice
  mkdir -p "$files"
  speaker=$(sed -n 's/^speaker: *{.*name: *"\{0,1\}\([^,"}]*\).*/, spoken by \1/p' "$1/voice.yaml")
  find -H "$1" -maxdepth 1 \( -name voice.yaml -o -name '*.opus' -o -name '*.flac' -o -name '*.wav' \) \
    -exec install -m 644 -t "$files" {} +
  finish "$root" "$name" all <<CONTROL
Provides: soundbox-voice
Enhances: soundbox
Breaks: soundbox (<< $version)
Description: payment sound box, voice $voice
 The number rules and the recorded phrases with which a payment sound box
 speaks $(sed -n 's/^name: *//p' "$1/voice.yaml" | tr -d '"') ($voice)$speaker.
CONTROL
}

# Shell completions and manual pages need the program to start, so this comes first and fails first.
"${run[@]}" "$binary" --version >/dev/null
main_package
[[ -z $speak ]] || speak_package
[[ -z $voicetools ]] || voicetools_package
[[ -z $gateway ]] || gateway_package
[[ ${SOUNDBOX_DEB_SYMBOLS:-} != yes ]] || symbols_package
for voice in "${SOUNDBOX_DEB_SOUNDS:-$project/sounds}"/*/voice.yaml; do
  folder=$(dirname "$voice")
  [[ " ${SOUNDBOX_DEB_VOICES:-$(basename "$folder")} " == *" $(basename "$folder") "* ]] || continue
  voice_package "$folder"
done
