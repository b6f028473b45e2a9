#!/bin/busybox sh
# The first program of the virtual board: loads the modules, wires the GPIO chip, and hands over to agent.sh in the root
# folder that the host shares.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev
while read -r module; do $b insmod "/modules/$module"; done </modules/order
$b mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose root /root
# Not cached: the host reads what is written here, at once.
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=none host /root/host
for folder in proc sys dev; do $b mount -o move "/$folder" "/root/$folder"; done
exec $b chroot /root /bin/sh /agent.sh
