#!/bin/busybox sh
# The first program of the booted Debian: loads what it takes to find its disk, and hands over to its systemd.
b=/bin/busybox
$b mount -t devtmpfs devtmpfs /dev
while read -r module; do $b insmod "/modules/$module"; done </modules/order
until $b mount -t ext4 /dev/vda /root; do $b sleep 0.1; done
$b mount -o move /dev /root/dev
exec $b switch_root /root /sbin/init
