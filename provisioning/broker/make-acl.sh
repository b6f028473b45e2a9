#!/usr/bin/env bash
# Writes mosquitto's access list for boxes and their payment provider.
#
# usage: make-acl.sh PROVIDER <boxes >soundbox.acl
#
# Standard input: one box a line, MERCHANT DEVICE. A box signs in as MERCHANT.DEVICE, the provider as PROVIDER: the
# common names of their certificates, or their names in the password file. After a change: systemctl reload mosquitto.
set -euo pipefail

provider=${1:?usage: make-acl.sh PROVIDER <boxes}
prefix=soundbox/v1

# What could widen an entry: wildcards, further levels, and the dot that separates merchant and device.
valid='^[^][:space:]+#/.]+$'
[[ $provider =~ ^[^[:space:]+#/]+$ ]] || { echo "the provider's name \"$provider\" cannot be used" >&2; exit 1; }

list() {
cat <<ACL
# Made by make-acl.sh. What is not allowed here is forbidden.

user $provider
topic write $prefix/+/+/payments
topic write $prefix/+/+/commands
topic read $prefix/+/+/receipts
topic read $prefix/+/+/replies
topic read $prefix/+/+/status
ACL

number=0
# The last line counts also without a newline at its end.
while read -r merchant device rest || [[ -n $merchant ]]; do
  number=$((number + 1))
  # What Windows puts in front of a text, and at the end of its lines.
  merchant=${merchant#$'\xef\xbb\xbf'} device=${device%$'\r'}
  [[ -z $merchant || $merchant == '#'* ]] && continue
  if [[ ! $merchant =~ $valid || ! $device =~ $valid || -n $rest ]]; then
    echo "line $number: expected MERCHANT DEVICE, without blanks, dots, slashes, + or # in them" >&2
    exit 1
  fi
  if [[ $merchant.$device == "$provider" ]]; then
    echo "line $number: a box cannot have the provider's name, $provider: it would have its rights" >&2
    exit 1
  fi
  box=$prefix/$merchant/$device
  cat <<ACL

user $merchant.$device
topic read $box/payments
topic read $box/commands
topic write $box/receipts
topic write $box/replies
topic write $box/status
topic readwrite $box/probe
ACL
done
}

# Whole or not at all: half a list would shut out the boxes of the other half.
acl=$(list)
printf '%s\n' "$acl"
