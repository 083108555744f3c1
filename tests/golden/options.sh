#!/bin/sh
# vm/options: the configuration of a kernel, wherever it stands
. "$(dirname "$0")/../rig/lib.sh"
export XDPZOOM_CACHE="$tmp/cache"
kernel() { # WORD: a kernel that nothing tells of
	mkdir -p "$tmp/cache/$1/boot" && echo 6.12.0 >"$tmp/cache/$1/version" && printf 'ELF' >"$tmp/cache/$1/vmlinux"
}
options() { vm/options "$@" 2>&1; }
config='CONFIG_UBSAN=y
# CONFIG_KFENCE is not set
CONFIG_HZ=250
CONFIG_BPF_JIT=m
CONFIG_NET_VENDOR_INTEL=y
CONFIG_BPF_TEXT="y"
CONFIG_PAGE_POOL_STATS=y; rm -rf'
want='options: HZ=250
options: KFENCE=n
options: UBSAN=y'
kernel 6.12
is "no configuration" "$(options 6.12) $?" " 0"
echo "$config" >"$tmp/cache/6.12/boot/config-6.12.0"
is "of a package, by name, without modules, texts and drivers" "$(options 6.12)" "$want"
kernel 7.2
{ printf 'kernel IKCFG_ST' && echo "$config" | gzip && printf 'IKCFG_EDand more'; } >"$tmp/cache/7.2/vmlinux"
is "in the kernel itself" "$(options 7.2)" "$want"
kernel own-1
mkdir -p "$tmp/tree/arch/x86/boot"
echo "$config" >"$tmp/tree/.config"
touch -d '1 minute' "$tmp/tree/arch/x86/boot/bzImage"
is "of a tree" "$(options own-1 "$tmp/tree/arch/x86/boot/bzImage")" "$want"
touch -d '2 minutes' "$tmp/tree/.config"
is "... that was configured anew" "$(options own-1 "$tmp/tree/arch/x86/boot/bzImage")" ""
touch "$tmp/tree/vmlinuz-6.12.0"
mv "$tmp/tree/.config" "$tmp/tree/config-6.12.0"
touch -d '1 day ago' "$tmp/tree/config-6.12.0"
is "beside a kernel" "$(options own-1 "$tmp/tree/vmlinuz-6.12.0")" "$want"
