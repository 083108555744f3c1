#!/bin/sh
# xdpzoom exact on two kernels, under an emulator that counts what was recorded: a matrix of runs, what is counted again, and
# cells that fail
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"
. tests/golden/injected_vm_lib.sh
cp -r "$kernel" "$tmp/cache/6.1"
echo 6.1.0 >"$tmp/cache/6.1/version"
native=drop/no-touch@native skb=drop/no-touch@skb
matrix() { env -C "$tmp" PATH="$tmp/bin:$PATH" "$X" exact -o m -k 6.1,6.12 "$@"; }
cells() { jq -c "[.cells[] | $1]" "$tmp/out"; }
# What an emulator that a test starts leaves behind; QEMU is nobody's there.
mkdir -m 777 "$tmp/marks"
ran() { find "$tmp/marks" -type f | wc -l; }

counted build/runs/counted 0
matrix -n veth -V $native -q -f text >"$tmp/out" 2>"$tmp/err"
is "a matrix" "$? $(cat "$tmp/err")" "0 "
is "... as text" "$(cat "$tmp/out")" "  instructions  change  kernel  driver variant
        331.24       -  6.1     veth   drop/no-touch@native
        331.24   +0.00  6.12    veth   drop/no-touch@native

2 kernels, 1 driver, 1 variant

the page: m/index.html
again, with what is missing: the same command with -o m"
is "... each cell is a run" "$("$X" report "$tmp/m/6.1/veth/all" -f json | jq -c '[.variants[].instructions]')" "[331.238712]"
qemu "touch $tmp/marks/\$\$; exit 1"
matrix -n veth -V $native -f json >"$tmp/out" 2>"$tmp/err"
is "once more: nothing is counted again" "$? $(ran) $(wc -l <"$tmp/err") $(cells '.instructions, .change')" "0 0 0 [331.238712,null,331.238712,0]"
is "the members of a cell" "$(jq -c '.schema, .cells[1]' "$tmp/out" | paste -sd' ')" \
	'"xdpzoom.matrix/1" {"kernel":"6.12","release":"6.12.0","compiler":null,"driver":"veth","variant":"drop/no-touch@native","instructions":331.238712,"deviation":6.0804931,"change":0,"other_compiler":false,"run":"6.12/veth/all","why":null}'
matrix -n veth -V $native -q -f csv >"$tmp/table.csv"
is "as CSV" "$? $(cut -d, -f1,2,4-6,8 "$tmp/table.csv" | paste -sd' ')" \
	"0 kernel,release,driver,variant,instructions,change 6.1,6.12.0,veth,drop/no-touch@native,331.238712, 6.12,6.12.0,veth,drop/no-touch@native,331.238712,0"
# Two compilers, and a change.
for run in "$tmp"/m/6.1/veth/all "$tmp"/m/6.12/veth/all; do
	jq --arg gcc "gcc of $run" '.compiler = $gcc' "$run/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$run/run.json"
done
jq --slurpfile other build/runs/counted/run.json '.variants[0] = ($other[0].variants[1] | .id = "drop/no-touch@native")' "$tmp/m/6.12/veth/all/run.json" >"$tmp/run.json"
mv "$tmp/run.json" "$tmp/m/6.12/veth/all/run.json"
cp build/runs/counted/blocks/* "$tmp/m/6.12/veth/all/blocks/"
is "a change, and another compiler" "$(matrix -n veth -V $native -q -f text | grep -A 1 '1388.95 ')" "       1388.95  +1057.72 *    6.12    veth   drop/no-touch@native
  * another compiler than that of the kernel above"

# A name that leaves no room: what is shown has its whole number.
sed -i "s/bpf_prog_run_generic_xdp/&$(printf '_and_more%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)/g" "$tmp"/m/6.12/veth/all/blocks/*.paths
is "a part of a change is shown whole or not at all" "$(matrix -n veth -V $native -q -f json | jq -r '.changes[0].parts')" \
	"skb free +324.6 (new), stack entry +288.0 (new), skb allocation +174.4 (new)"

counted build/runs/counted 0
rm -r "$tmp/m/6.12/veth"
matrix -n veth -V $native -f json >"$tmp/out" 2>"$tmp/err"
is "what is missing is counted, and nothing else" "$(paste -sd' ' "$tmp/err") $(cells .change)" "0 of 1 runs, 0 failed 1 of 1 runs, 0 failed [null,0]"
matrix -n veth -V $native --force -f json 2>&1 >"$tmp/out" | tail -n 1 >"$tmp/err"
is "--force: all are" "$(cat "$tmp/err")" "2 of 2 runs, 0 failed"
matrix -n veth -V $skb -q -f json >"$tmp/out"
is "other variants: what was counted before stays" "$? $(cells '.instructions, .run') $(ls -d "$tmp"/m/*/veth/all | wc -l)" \
	'1 [331.238712,"6.1/veth/all",null,null,331.238712,"6.12/veth/all",null,null] 2'
is "... and a cell that fails has the reason" "$(cells '.why' | grep -c '^\[null,"[^"]*is no window of what was asked for[^"]*",null,"[^"]*is no window of what was asked for[^"]*"\]$')" 1

nightly

# Two of them run at a time: each goes on when both are there. One variant is counted, and one left out by the driver.
windows build/runs/counted 0
echo "{\"variant\": \"$skb\", \"left_out\": \"no such mode\"}" >>"$tmp/windows/windows.jsonl"
qemu "$kept
touch $tmp/marks/\$\$
until [ \$(find $tmp/marks -type f | wc -l) -ge 2 ]; do sleep 0.1; done
$guest
echo status 0 >words; exit 0"
matrix -n vmxnet3 -V $native,$skb -f json -j 2 >"$tmp/out" 2>"$tmp/err"
is "a variant that the driver lacks is left out, with the reason" "$? $(cells 'select(.driver == "vmxnet3") | .instructions, .why')" \
	'0 [331.238712,null,null,"no such mode",331.238712,null,null,"no such mode"]'
is "... in a run alone, too, which ends with 77" \
	"$(env PATH="$tmp/bin:$PATH" "$X" exact -q -k 6.1 -n vmxnet3 -V $native,$skb -o "$tmp/alone" 2>&1; echo $?) $("$X" report "$tmp/alone" -f json | jq -r '.variants[].id')" \
	"xdpzoom: no such mode; everything else is counted
77 $native"
rm -f "$tmp"/marks/*
matrix -n vmxnet3 -V $native,$skb -q
is "... and is not tried again" "$? $(ran)" "0 0"
qemu "$kept
echo \"-device igb: 'igb' is not a valid device model name\" >&2; exit 1"
matrix -n igb -V $native -q -f json >"$tmp/out"
is "a NIC that QEMU lacks" "$? $(cells .why | grep -c 'QEMU 7.2.22 has no NIC igb.*QEMU 7.2.22 has no NIC igb')" "0 1"
is "a kernel that cannot be had: its reason, and the other one" \
	"$(env -C "$tmp" PATH="$tmp/bin:$PATH" "$X" exact -q -o m -k ./nothing,6.1 -n igb -V $native -f json | jq -c '[.cells[] | select(.driver == "igb" and (.kernel == "6.1" or .kernel == "./nothing") and .variant == "'$native'").why] | sort')" \
	'["./nothing: no such file","QEMU 7.2.22 has no NIC igb"]'
fails "a kernel that is named twice" 2 "kernel 6.1 is named twice" "$X" exact -o "$tmp/m" -k 6.1,6.1
fails "a difference of a matrix" 2 "against is for one kernel and one NIC" "$X" exact -o "$tmp/m" -n veth,igb --against 6.1

qemu "$kept
touch $tmp/marks/reached; exec sleep 1000"
rm -f "$tmp"/marks/*
env -C "$tmp" PATH="$tmp/bin:$PATH" "$X" exact -q -o m -k 6.1 -n e1000,e1000e -V $native 2>"$tmp/err" &
pid=$!
await test -e "$tmp/marks/reached"
kill -INT $pid
wait $pid
status=$?
await prints_nothing pgrep -f "[q]emu.*$tmp"
is "stopped by a signal: nothing goes on, and no half run" "$status $(cat "$tmp/err") $(find "$tmp"/m/6.1/e1000* -name run.json)" "1 xdpzoom: stopped by a signal "
