#!/bin/sh
# vm/tree on injected trees of Linux, whose make is injected, too: which kernel it takes, what it builds, and what it refuses
. "$(dirname "$0")/../rig/lib.sh"
export XDPZOOM_CACHE="$tmp/cache"
mkdir "$tmp/cache" "$tmp/bin"
export GIT_CEILING_DIRECTORIES="$tmp" # the trees are in no repository
said() { sed -n "s/^tree: $1 //p" "$tmp/fails.err" "$tmp/out" 2>/dev/null; }
refused() { # what, words, arguments
	what=$1 words=$2
	shift 2
	: >"$tmp/out"
	fails "$what" 1 "$words" vm/tree "$@"
}
took() { # what, image without the tree, modules?, arguments
	what=$1 image=$2 modules=$3
	shift 3
	: >"$tmp/fails.err"
	vm/tree "$@" >"$tmp/out" 2>&1
	is "$what" "$? $(said image) $(said modules)" "0 $image $modules"
}
# tree NAME: sources, and what was built of them an hour later
tree() {
	mkdir -p "$tmp/$1/net/core" "$tmp/$1/arch/x86/boot" "$tmp/$1/tools"
	touch -d '3 hours ago' "$tmp/$1/Kconfig" "$tmp/$1/Makefile" "$tmp/$1/net/core/dev.c" "$tmp/$1/tools/x.c"
}
built() { # file...
	for file; do touch -d '2 hours ago' "$t/$file"; done
}
config() { awk '/^# to build/ { exit } /^# for/ { on = $3 == "all" || $3 == "veth" } on && /^CONFIG/' vm/config >"$t/.config"
	built .config; }

tree one
t=$tmp/one
refused "a folder that is no tree" "/etc is no tree of Linux" /etc
refused "no folder" "/nowhere: no such folder" /nowhere
refused "sources alone" "no kernel was built in $t; --build builds a small one" "$t"
config
refused "a .config, and no kernel" "no kernel was built in $t: neither arch/x86/boot/bzImage nor vmlinux is there; --build" "$t"
built vmlinux
took "a vmlinux" "$t/vmlinux" "" "$t"
built arch/x86/boot/bzImage
took "a bzImage that is no older" "$t/arch/x86/boot/bzImage" "" "$t"
touch -d '1 hour ago' "$t/vmlinux"
took "a vmlinux that is younger" "$t/vmlinux" "" "$t"
sed -i 's/^CONFIG_VETH=y/CONFIG_VETH=m/; /CONFIG_9P_FS=/d; s/^CONFIG_OVERLAY_FS=y/# CONFIG_OVERLAY_FS is not set/' "$t/.config"
refused "a .config that lacks something" "$t: the .config lacks CONFIG_9P_FS=y CONFIG_OVERLAY_FS=y; --build sets it and builds" "$t"
config
refused "... or the driver that receives" "lacks CONFIG_IGB=y; --build" -n igb "$t"
touch "$t/tools/x.c"
took "a tool that changed is no part of the kernel" "$t/vmlinux" "" "$t"
touch "$t/net/core/dev.c"
refused "a source that is younger than the kernel" "^tree: net/core/dev.c is newer than the kernel that was built in $t; build it, or let --build do so" "$t"
touch -d '3 hours ago' "$t/net/core/dev.c"
printf 'net/core/x.o\nkernel/net/core/y.ko\n' >"$t/modules.order"
built net/core/x.ko
refused "a module that was not built" "$t: net/core/y.ko was not built; --build builds it" "$t"
built net/core/y.ko
took "modules" "$t/vmlinux" "$t" "$t"
touch "$t/net/core/dev.c" "$t/net/core/y.ko"
took "a module that was built after a source" "$t/vmlinux" "$t" "$t"
if command -v git >/dev/null; then
	(cd "$t" && git init -q && git add Makefile && git -c user.name=x -c user.email=x commit -qm x && git -c user.name=x -c user.email=x tag -am x v9)
	took "a repository" "$t/vmlinux" "$t" "$t"
	is "... is named as git describes it" "$(said source)" v9
else
	skip "a repository" "no git here"
	skip "... is named as git describes it" "no git here"
fi

nightly

# make as Kbuild is, as far as vm/tree goes: it makes a .config, takes none of some options, and builds unless a file is broken.
cat >"$tmp/bin/make" <<'END'
#!/bin/sh
objects=. refuses=CONFIG_IGB
while [ $# -gt 1 ]; do
	case $1 in
	-C) cd "$2" && shift ;;
	O=*) objects=${1#O=} ;;
	esac
	shift
done
cd "$objects" || exit
case $1 in
allnoconfig) cat "$KCONFIG_ALLCONFIG" >.config ;;
olddefconfig) sed -i "/^$refuses=/d" .config ;;
bzImage | modules)
	[ ! -f "$OLDPWD/broken" ] || { echo "  CC x.o"; echo "net/core/dev.c:7:1: error: injected"; echo "make: *** [x] Error 1"; exit 2; }
	mkdir -p arch/x86/boot
	echo kernel >arch/x86/boot/bzImage
	;;
esac
END
chmod +x "$tmp/bin/make"
PATH=$tmp/bin:$PATH
tree two
t=$tmp/two
find "$t" | sort >"$tmp/before"
objects=$tmp/cache/tree-$(printf %s "$t" | cksum | cut -d' ' -f1)
took "sources without a .config: a small kernel, in the cache" "$objects/arch/x86/boot/bzImage" "" -b "$t"
is "... of vm/config, and the sources are as they were" "$(cmp "$objects/.config" vm/config 2>&1 | grep -c IGB) $(find "$t" | sort | cmp - "$tmp/before")" "0 "
took "... and is taken from there" "$objects/arch/x86/boot/bzImage" "" "$t"
touch -d '1 minute' "$objects/.config"
refused "a .config that is younger than the kernel" "^tree: .config is newer than the kernel" "$t"
touch "$t/broken"
vm/tree -b "$t" >"$tmp/out" 2>&1
is "a tree that does not build: its first error" "$? $(tail -n 1 "$tmp/out" | sed 's/ (all.*//')" "1 tree: $t does not build: net/core/dev.c:7:1: error: injected"
rm "$t/broken"
tree three
t=$tmp/three
config
sed -i '/CONFIG_VETH/d' "$t/.config"
took "a tree with a .config that lacks something" "$t/arch/x86/boot/bzImage" "" -b "$t"
is "... gets it, and tells so" "$(grep -c '^CONFIG_VETH=y' "$t/.config") $(said sets | grep -c "^CONFIG_VETH=y .* in $t/.config$")" "1 1"
vm/tree -b -n igb "$t" >"$tmp/out" 2>&1
is "an option that this Linux does not take" "$? $(tail -n 1 "$tmp/out")" "1 tree: $t: the .config lacks CONFIG_IGB=y, and make olddefconfig does not take it"
is "nothing else is written" "$(find "$tmp" -maxdepth 1 -newer "$tmp/bin/make" ! -name 'ok*' ! -name 'fails*' ! -name out ! -name before -type f)" ""
