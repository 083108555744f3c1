#!/bin/sh
# xdpzoom exact on a tree in which a kernel of the matrix stands as if it had been built there: its counts are those of the kernel
# itself, and a bisection by it goes both ways. usage: VM_KERNEL=6.12 exact_tree.sh
. "$(dirname "$0")/../rig/lib.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 here"
kernel=${VM_KERNEL:-6.12}
from=$(vm/cache)/$kernel
[ -f "$from/initrd" ] || skip_all "no kernel $kernel in $(vm/cache); make deps-vm fetches it"
release=$(cat "$from/version")

tree=$tmp/tree skb=drop/no-touch@skb
mkdir -p "$tree/net" "$tree/include/config"
cd "$from/guest/lib/modules/$release" || exit 1 # those that a virtual machine can load
find kernel -name '*.ko*' | while read -r file; do
	to=${file#kernel/}
	to=${to%.ko*}.ko
	mkdir -p "$tree/${to%/*}"
	case $file in
	*.xz) xz -dc "$file" ;;
	*.zst) zstd -qdc "$file" ;;
	*) cat "$file" ;;
	esac >"$tree/$to"
	echo "${to%.ko}.o"
done >"$tree/modules.order"
cp modules.builtin modules.builtin.modinfo "$tree/"
cd "$OLDPWD" || exit 1
grep '^CONFIG' vm/config >"$tree/.config"
echo "$release" >"$tree/include/config/kernel.release"
touch "$tree/Kconfig" "$tree/Makefile"
mkdir -p "$tree/arch/x86/boot"
cp "$from/boot/vmlinuz-$release" "$tree/arch/x86/boot/bzImage"

"$X" exact -q -k "$tree" -o "$tmp/run" --against "$kernel" -V $skb -f json >"$tmp/diff" 2>"$tmp/err"
is "a tree against the kernel that it is" "$? $(cat "$tmp/err")" "0 "
is "... each exact function has the same count" "$(jq '[.symbols[] | select(.exact and .change != 0)] | length' "$tmp/diff")" 0
between "... and the packet" "$(jq .change "$tmp/diff")" -1 1
is "both runs are there" "$("$X" report "$tmp/run.base" -f json | jq -r '.kernel') $("$X" report "$tmp/run" -f json | jq -r .kernel)" "$release $release"
n=$("$X" report "$tmp/run" -f json | jq '.variants[0].instructions | ceil')
bisect() { "$X" exact -q -k "$tree" --bisect "$skb$1" >"$tmp/out" 2>&1; echo "$? $(cut -d: -f1 "$tmp/out")"; }
is "ten instructions more than it takes: good" "$(bisect "<=$((n + 10))")" "0 good"
is "ten less: bad" "$(bisect "<=$((n - 10))")" "1 bad"
