#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the image of Containerfile where no registry is at hand: its base is made from Debian's packages.
# ISOLATION=chroot builds inside a container or on a machine whose cgroups podman does not know.
# usage: sudo [MIRROR=URL] [ISOLATION=chroot] integrations/ci/image.sh [NAME [SUITE]]      (xdpzoom trixie)
set -eu
cd "$(dirname "$0")/../.."
name=${1:-xdpzoom} suite=${2:-trixie}
for tool in mmdebstrap podman; do
	command -v "$tool" >/dev/null || { echo "image.sh: $tool is not installed" >&2; exit 77; }
done
mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" - ${MIRROR:+"$MIRROR"} | podman import -q - "localhost/debian:$suite" >/dev/null
# The committed files alone: what was built here was built for another system.
make -s dist
mkdir -p build/image
trap 'rm -rf build/image' EXIT
tar -xzf build/xdpzoom-*.tar.gz -C build/image --strip-components=1
podman build -q --network host ${ISOLATION:+--isolation "$ISOLATION"} --build-arg "BASE=localhost/debian:$suite" -f build/image/integrations/ci/Containerfile -t "$name" build/image
