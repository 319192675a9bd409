#!/bin/sh
# node.sh ROOM NODE: process 1 of a node of a rig (rig.py), in name spaces of its own. ROOM is the rig's folder.
set -eu
room=$1
node=$2
own=$room/nodes/$node

hostname "$node"
HOME=$(getent passwd 0 | cut -d: -f6)
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME PATH

mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mkdir -p /run/munge /run/sshd /run/lock /run/rig /run/node
chown munge: /run/munge
# Slurm counts two GPUs by these files, and names them in CUDA_VISIBLE_DEVICES.
mknod /run/gpu0 c 1 3
mknod /run/gpu1 c 1 3
# The room may lie below /tmp, where the node soon sees its own folder instead.
mount --bind "$room/etc" /run/rig
mount --bind "$own" /run/node
mount --bind "$own/spool" /var/spool
mkdir -p /var/spool/slurmctld /var/spool/slurmd
mount --bind /run/rig/hosts /etc/hosts
mount --bind /run/rig/slurm /etc/slurm
mount --bind /run/rig/ssh_config /etc/ssh/ssh_config

# The network card comes from outside.
until [ -e "$own/plugged" ]; do sleep 0.02; done
rm "$own/plugged"

over_ssh=
[ "$node" = head ] || [ ! -e /run/rig/sshfs ] || over_ssh=1
[ -n "$over_ssh" ] || mount --bind "$room/shared" /srv
while read -r folder; do
  case $folder in
    /tmp/*)
      mkdir -p "$own/tmp/${folder#/tmp/}"
      mount --bind "$folder" "$own/tmp/${folder#/tmp/}"
      ;;
  esac
done <"$room/etc/visible"
mount --rbind "$own/tmp" /tmp
cd /

runuser -u munge -- munged --key-file=/run/rig/munge.key --log-file=/run/munge/log --pid-file=/run/munge/pid \
  --seed-file=/run/munge/seed --num-threads=2 || echo "munged failed"
/usr/sbin/sshd -f /run/rig/sshd_config -E /run/node/log/sshd
if [ -n "$over_ssh" ]; then
  until sshfs head:/srv /srv -o allow_other,reconnect,ServerAliveInterval=5,cache=no; do sleep 0.2; done
fi
touch /run/node/ready
if [ "$node" = head ]; then
  slurmctld -L /run/node/log/slurmctld
else
  until slurmd -N "$node" -L /run/node/log/slurmd; do sleep 0.5; done
fi

# It reaps the processes that lost their parents.
trap 'exit 0' TERM
while :; do
  sleep 1000 &
  wait $! || true
done
