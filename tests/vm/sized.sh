#!/bin/sh
# A test on virtio_net in a VM of another size: with little memory everything that counts still does, and with many CPUs the
# kernel's masks are longer.
# usage: sized.sh CPUS MB TEST [ARG...]
cd "$(dirname "$0")/../.." || exit 1
cpus=$1 memory=$2
shift 2
exec vm/run -k "$VM_KERNEL" -n virtio -c "$cpus" -m "$memory" -t 600 -- sh "$@"
