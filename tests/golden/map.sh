#!/bin/sh
# xdpzoom map of a kept map, in each format that draws no picture, and two maps beside each other. UPDATE=1 writes what is expected.
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"
plan 5
g=tests/golden/map
jq 'del(.attachments[0], .devices[4], .edges[3]) | .devices[0].mtu = 9000 | .namespaces |= .[:1] | (.programs[].program, .edges[].from, .edges[].to) |=
	sub("prog:1"; "prog:2")' $g/map.json >"$tmp/after.json"
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
shown map.dot 0 map.json -f dot
shown map.json 0 map.json -f json
shown diff.txt 3 --diff map.json after.json
shown diff.json 3 --diff map.json after.json -f json
