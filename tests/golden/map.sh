#!/bin/sh
# xdpzoom map of a kept map, in each format, and two maps beside each other. UPDATE=1 writes what is expected.
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"
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
shown way.txt 0 map.json init/v0
fails "no such device" 1 "the map has no device no" "$X" map map.json no
fails "a device of several namespaces" 1 "several devices are called eth0: name one as NETNS/NAME" "$X" map map.json eth0
is "the way through a device: it and its peer" "$("$X" map map.json web/eth0 -f json | jq -c '[.devices[].namespace] | unique')" '["init","web"]'
shown map.dot 0 map.json -f dot
shown map.json 0 map.json -f json
shown diff.txt 3 --diff map.json after.json
shown diff.json 3 --diff map.json after.json -f json

# What packets cost: the last lines of a watch, by the namespace of its devices; a run.
cat >lines.jsonl <<'END'
{"schema":"xdpzoom.watch/1","time_s":1,"device":"eth0","pps":100,"ns_per_packet":1000,"ns_per_packet_half":1,"busy_pct":1}
{"schema":"xdpzoom.watch/1","time_s":2,"device":"eth0","pps":326965,"ns_per_packet":458.04,"ns_per_packet_half":3.5,"busy_pct":15.03}
{"schema":"xdpzoom.watch/1","time_s":2,"device":"v0","pps":0,"ns_per_packet":null,"ns_per_packet_half":null,"busy_pct":0}
{"schema":"xdpzoom.watch/1","time_s":2,"device":"gone0","pps":0,"ns_per_packet":null,"ns_per_packet_half":null,"busy_pct":0}
{"schema":"xdpzoom.watch/1","time_s":2,"device":null,"pps":12,"ns_per_packet":null,"ns_per_packet_half":null,"busy_pct":0}
{"schema":"xdpzoom.watch-functions/1","time_s":2,"device":"eth0","components":[]}
{"schema":"xdpzoom.watch-queues/1","time_s":2,"seconds":1,"queues":[{"kind":"ring","device":"v0","number":0,"unit":"packets","samples":100,"size":256,"p50":0,"p99":252,"most":256,"mean":3,"full_pct":0.96,"near_pct":2,"wait_us":132,"wait_half_us":102,"not_known":null},{"kind":"backlog","device":null,"number":0,"size":1000,"p50":0},{"kind":"bql","device":"eth0","number":1,"p50":null,"not_known":"this kernel has no BQL"}]}
END
shown costs.txt 0 map.json --cost lines.jsonl
shown costs.dot 0 map.json --cost init=lines.jsonl -f dot
costs() { "$X" map map.json --cost "$1" -f json | jq -c '[.devices[] | select(.costs or .queues) | [.device, (.costs // [] | length), (.queues // [] | length)]], (.unknown | length)' | paste -sd' '; }
is "of each device the last line, and its queues; what is no device there is said" "$(costs lines.jsonl)" '[["init/eth0",1,1],["init/v0",1,1]] 2'
is "of another namespace" "$(costs web=lines.jsonl)" '[["web/eth0",1,1]] 4'
cp -r "$g/../../../build/runs/run1" . && jq '.device.name = "v0"' run1/run.json >run.json && cp run.json run1/ && rm -f run1/seal*
is "of a run: each variant" "$(costs run1)" "[[\"init/v0\",$(jq '.variants | length' run1/run.json),0]] 1"
fails "no such namespace" 1 "the map has no namespace no" "$X" map map.json --cost no=lines.jsonl
fails "neither lines nor a run" 1 "line 1 is no line of watch -f jsonl" "$X" map map.json --cost map.json
grep functions lines.jsonl >none.jsonl
fails "no cost in it" 1 "there is no cost of a device in it" "$X" map map.json --cost none.jsonl
fails "two maps" 2 "leave --diff out" "$X" map map.json --cost lines.jsonl --diff
