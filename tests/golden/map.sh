#!/bin/sh
# xdpzoom map of a kept map, in each format. UPDATE=1 writes what is expected.
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"
g=tests/golden/map
shown() { # file, status, arguments
	file=$g/$1 status=$2
	shift 2
	"$X" map "$@" >"$tmp/out"
	got=$?
	[ -z "${UPDATE-}" ] || cp "$tmp/out" "$file"
	is "map $*" "$got $(diff "$file" "$tmp/out" >"$tmp/why" 2>&1 || cat "$tmp/why")" "$status "
}
cd "$tmp" && cp "$OLDPWD/$g/map.json" . && g=$OLDPWD/$g
shown map.txt 0 map.json
shown way.txt 0 map.json init/v0
fails "no such device" 1 "the map has no device no" "$X" map map.json no
fails "a device of several namespaces" 1 "several devices are called eth0: name one as NETNS/NAME" "$X" map map.json eth0
is "the way through a device: it and its peer" "$("$X" map map.json web/eth0 -f json | jq -c '[.devices[].namespace] | unique')" '["init","web"]'
shown map.json 0 map.json -f json
