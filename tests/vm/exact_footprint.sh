#!/bin/sh
# xdpzoom exact --memory: the lines and pages that 2048 frames touch tell the memory of a socket, the batch and the page pool apart,
# where lines per poll cannot, and repeat.
# usage: VM_KERNEL=6.12 exact_footprint.sh
. "$(dirname "$0")/../rig/lib.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 here"
kernel=${VM_KERNEL:-6.12}
[ -f "$(vm/cache)/$kernel/initrd" ] || skip_all "no kernel $kernel in $(vm/cache); make deps-vm fetches it"
few=layer:xsk-copy:256x2048 many=layer:xsk-copy:4096x4096

for run in first second; do
	ok "counted" "$X" exact -q --memory -k "$kernel" -o "$tmp/$run" -V "drop@native,drop@skb,$few,$many"
	"$X" report "$tmp/$run" -f json >"$tmp/$run.json"
done
each() { jq -c "[.variants[] | $1]" "$tmp/${2:-first}.json"; }
is "functions and data structures sum to the footprint of the polls" \
	"$(each '.closure_footprint_lines, .closure_footprint_pages, .closure_places' | jq -c unique)" "[0]"
between "the footprint's lines of two runs differ by 5 % at most (tenths)" \
	"$(jq -n "$(each .footprint_lines) as \$a | $(each .footprint_lines second) as \$b | [range(4) | 1000 * (\$a[.] / \$b[.] - 1) | fabs] | max")" 0 50
is "of batches of 1, 48, 64, 96 and 128" "$(each '[.footprints[].batch] | unique' | jq -c unique)" "[[1,48,64,96,128]]"
foot() { jq --arg v "$1" ".variants[] | select(.id == \$v) | $2" "$tmp/first.json"; } # VARIANT WHAT
place() { foot "$1" "[.places[] | select(.place == \"$2\").footprint_$3] | add // 0"; }
is "256 buffers of 2048 bytes: a line each, on 128 pages" "$(place $few 'vmalloc xdp_umem_create' lines) $(place $few 'vmalloc xdp_umem_create' pages)" "256 128"
is "4096 buffers of a page each: 2048 frames take 2048 lines and pages" "$(place $many 'vmalloc xdp_umem_create' lines) $(place $many 'vmalloc xdp_umem_create' pages)" "2048 2048"
between "lines per poll do not tell them apart (thousandths)" "$(jq -n "($(foot $few .lines_touched) - $(foot $many .lines_touched)) * 1000 | fabs | round")" 0 100
# A page pool gives out the pages of a batch again and again: with larger batches it is colder.
batch() { foot "$1" "[.footprints[] | select(.batch == $2).$3][0]"; }
for v in drop/no-touch@native drop/no-touch@skb; do
	ok "$v: frames one by one touch fewer lines than in batches of 64, and those than of 128" \
		test "$(batch $v 1 lines)" -lt "$(batch $v 64 lines)" -a "$(batch $v 64 lines)" -lt "$(batch $v 128 lines)"
	between "$v: in a pool of 128 pages 64 more than in one of 64" $(($(batch $v 128 pages) - $(batch $v 64 pages))) 60 75
done
is "an skb again and again, or a batch of them: skbs of 16 at once" "$(place drop/no-touch@skb 'slab skbuff_head_cache' lines)" 64
