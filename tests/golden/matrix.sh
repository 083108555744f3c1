#!/bin/sh
# xdpzoom matrix on two kernels, under an emulator that counts what was recorded: the table, what is counted again, and cells
# that fail
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"
. tests/golden/planted_vm_lib.sh
plan 23
cp -r "$kernel" "$tmp/cache/6.1"
echo 6.1.0 >"$tmp/cache/6.1/version"
native=drop/no-touch@native skb=drop/no-touch@skb
matrix() { env -C "$tmp" PATH="$tmp/bin:$PATH" "$X" matrix -o m -k 6.1,6.12 "$@"; }
cells() { jq -c "[.cells[] | $1]" "$tmp/out"; }
# What an emulator that a test starts leaves behind; QEMU is nobody's there.
mkdir -m 777 "$tmp/marks"
ran() { find "$tmp/marks" -type f | wc -l; }

counted tests/golden/exact/run 0
matrix -n veth -V $native -q >"$tmp/out" 2>"$tmp/err"
is "a matrix" "$? $(cat "$tmp/err")" "0 "
is "... as text" "$(cat "$tmp/out")" "drop/no-touch on veth, instructions per packet
           @native     change
  6.1       331.24
  6.12      331.24      +0.00"
is "... each cell is a run" "$("$X" report "$tmp/m/6.1/veth/all" -f json | jq -c '[.variants[].instructions]')" "[331.238712]"
qemu "touch $tmp/marks/\$\$; exit 1"
matrix -n veth -V $native -f json >"$tmp/out" 2>"$tmp/err"
is "once more: nothing is counted again" "$? $(ran) $(wc -l <"$tmp/err") $(cells '.instructions, .change')" "0 0 0 [331.238712,null,331.238712,0]"
is "the members of a cell" "$(jq -c '.schema, .cells[1]' "$tmp/out" | paste -sd' ')" \
	'"xdpzoom.matrix/1" {"kernel":"6.12","release":"6.12.0","compiler":null,"driver":"veth","variant":"drop/no-touch@native","instructions":331.238712,"deviation":6.0804931,"change":0,"other_compiler":false,"measured_ns":null,"measured_half_ns":null,"run":"6.12/veth/all","why":null}'
matrix -n veth -V $native -q -f csv -t table.csv
is "as CSV, in a file" "$? $(cut -d, -f1,2,4-6,8 "$tmp/table.csv" | paste -sd' ')" \
	"0 kernel,release,driver,variant,instructions,change 6.1,6.12.0,veth,drop/no-touch@native,331.238712, 6.12,6.12.0,veth,drop/no-touch@native,331.238712,0"
# Two compilers, and a change.
for run in "$tmp"/m/6.1/veth/all "$tmp"/m/6.12/veth/all; do
	jq --arg gcc "gcc of $run" '.compiler = $gcc' "$run/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$run/run.json"
done
jq --slurpfile other tests/golden/exact/run/run.json '.variants[0] = ($other[0].variants[1] | .id = "drop/no-touch@native")' "$tmp/m/6.12/veth/all/run.json" >"$tmp/run.json"
mv "$tmp/run.json" "$tmp/m/6.12/veth/all/run.json"
cp tests/golden/exact/run/blocks/* "$tmp/m/6.12/veth/all/blocks/"
is "a change, and another compiler" "$(matrix -n veth -V $native -q | tail -n 3)" "  6.12     1388.95   +1057.72*

* another compiler than that of the kernel above"

# A name that leaves no room: what is shown has its whole number.
sed -i "s/bpf_prog_run_generic_xdp/&$(printf '_and_more%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)/g" "$tmp"/m/6.12/veth/all/blocks/*.paths
is "a part of a change is shown whole or not at all" "$(matrix -n veth -V $native -q -f json | jq -r '.changes[0].parts')" \
	"skb free +324.6 (new), stack entry +288.0 (new), skb allocation +174.4 (new)"

# Another kernel, QEMU or program.
counted tests/golden/exact/run 0
touch -d '1 minute' "$tmp/cache/6.12/version"
matrix -n veth -V $native -f json >"$tmp/out" 2>"$tmp/err"
is "a kernel that was fetched anew is counted again, and no other one" "$(cat "$tmp/err") $(cells .change)" "1 of 1: 6.12 veth: counted [null,0]"
sed -i 's/7\.2\.22/9.9.9/' "$tmp/bin/qemu-system-x86_64"
matrix -n veth -V $native --look -f json >"$tmp/out" 2>"$tmp/err"
is "--look prints what is there, of whatever it was made" "$(cells .instructions) $(cat "$tmp/err")" "[331.238712,331.238712] "
matrix -n veth -V $native -q --memory --look -f json >"$tmp/out"
matrix -n veth -V $native -f json 2>&1 >"$tmp/out" | cut -d, -f1 >"$tmp/err"
is "another QEMU: all are" "$(paste -sd' ' "$tmp/err")" "1 of 2: 6.1 veth: counted 2 of 2: 6.12 veth: counted"
sed -i 's/xdpzoom [0-9a-f]*/xdpzoom 0/' "$tmp/m/6.1/veth/all.json"
matrix -n veth -V $native -f json 2>"$tmp/err" >"$tmp/out"
is "other parts of xdpzoom that count: what they counted is" "$(cut -d, -f1 "$tmp/err" | paste -sd' ')" "1 of 1: 6.1 veth: counted"
matrix -n veth -V $skb -q -f json >"$tmp/out"
is "other variants: what was counted before stays" "$? $(cells '.instructions, .run') $(ls -d "$tmp"/m/*/veth/all | wc -l)" \
	'1 [331.238712,"6.1/veth/all",null,null,331.238712,"6.12/veth/all",null,null] 2'

# Cells that fail. The planted guest counts one variant, whatever it is asked for.
# It goes on when two of it run at a time.
qemu "$kept
touch $tmp/marks/\$\$
until [ \$(find $tmp/marks -type f | wc -l) -ge 2 ]; do sleep 0.1; done
$guest
echo status 0 >words; exit 0"
matrix -n veth -V $native,$skb -f json -j 2 >"$tmp/out" 2>"$tmp/err"
status=$?
rm -f "$tmp"/marks/*
is "where a run of all variants fails, each is counted by itself" "$status $(cells .instructions)" "1 [331.238712,null,331.238712,null]"
is "... and a cell that fails tells why" "$(cells '.why' | grep -c '^\[null,"[^"]*is no window of what was asked for[^"]*",null,"[^"]*is no window of what was asked for[^"]*"\]$')" 1
is "each cell is told" "$(grep -c '^[1-6] of [46]: 6' "$tmp/err") $(wc -l <"$tmp/err")" "6 6"
is "tables of one operation have its modes side by side" "$(matrix -n veth -V $native,$skb --look | grep -m 1 @skb)" "           @native     change         @skb     change"
qemu "$kept
touch $tmp/marks/\$\$
echo \"-device igb: 'igb' is not a valid device model name\" >&2; exit 1"
matrix -n igb -V $native -q -f json >"$tmp/out"
is "a NIC that QEMU lacks is no failure" "$? $(ran) $(cells .why | grep -c 'QEMU 7.2.22 has no NIC igb.*QEMU 7.2.22 has no NIC igb')" "0 2 1"
matrix -n igb -V $native -q -f json >"$tmp/out"
is "... and is not tried again" "$? $(ran) $(cells .why | grep -c 'QEMU 7.2.22 has no NIC igb')" "0 2 1"
is "a kernel that cannot be had: its reason, and the other one" \
	"$(env -C "$tmp" PATH="$tmp/bin:$PATH" "$X" matrix -q -o m -k ./nothing,6.1 -n igb -V $native -f json | jq -c '[.cells[] | select(.driver == "igb" and (.kernel == "6.1" or .kernel == "./nothing") and .variant == "'$native'").why] | sort')" \
	'["./nothing: no such file","QEMU 7.2.22 has no NIC igb"]'
fails "a kernel that is named twice" 2 "kernel 6.1 is named twice" "$X" matrix -o "$tmp/m" -k 6.1,6.1
fails "a variant that is none" 2 "unknown operation" "$X" matrix -o "$tmp/m" -V drop/nope@skb

qemu "$kept
touch $tmp/marks/reached; exec sleep 1000"
env -C "$tmp" PATH="$tmp/bin:$PATH" "$X" matrix -q -o m -k 6.1 -n vmxnet3 -V $native 2>"$tmp/err" &
pid=$!
await test -e "$tmp/marks/reached"
kill -INT $pid
wait $pid
status=$?
await prints_nothing pgrep -f "[q]emu.*$tmp"
is "stopped by a signal: nothing goes on, and no half run" "$status $(cat "$tmp/err") $(find "$tmp/m/6.1/vmxnet3" -name run.json)" "1 xdpzoom: stopped by a signal "
