#!/bin/sh
# Little memory: everything that counts still does.
cd "$(dirname "$0")/../.." || exit 1
exec tests/vm/run -k "$VM_KERNEL" -n virtio -m 160 -t 600 -- sh tests/vm/counts.sh virtio_net native
