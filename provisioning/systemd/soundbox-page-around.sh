#!/bin/sh
# What soundbox-page.service has root do when the page has started and when it has ended.
#
# usage: page-around started | ended
set -eu

announced=/etc/avahi/services/soundbox-page.service
socket=/run/soundbox-page/control.sock

case $1 in
started)
  if [ -d /etc/avahi/services ]; then
    # By another name first: Avahi reads a file as soon as it is there.
    install -m 644 /usr/share/soundbox/avahi/soundbox.service "$announced.new"
    mv -f "$announced.new" "$announced"
  fi
  ;;
ended)
  rm -f "$announced" "$announced.new"
  # A box that was killed and does not come back has left its socket, and the page would be started for it again and
  # again. The folder is the box's: a name in it is removed, and nothing is followed. Whether a box listens the kernel
  # says, since systemctl finds no systemd here: the unit's /run has the folder of the socket only, for root, too.
  grep -q " $socket\$" /proc/net/unix || rm -f "$socket"
  ;;
esac
