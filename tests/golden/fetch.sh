#!/bin/sh
# vm/fetch on an archive made here, without a network: which package a word is, packages as Debian has split them since 6.19,
# folders of modules of all kinds, and kernels and folders of strangers that name files which are not theirs.
. "$(dirname "$0")/../rig/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
for program in apt-get apt-cache dpkg-deb busybox cpio modprobe depmod xz zstd gcc perl; do
	command -v $program >/dev/null || skip_all "no $program here"
done
! ldd "$(command -v busybox)" >/dev/null 2>&1 || skip_all "busybox here is no static one"
export XDPZOOM_CACHE="$tmp/cache/a/b"

# A kernel: a bzImage whose packed vmlinux has the version in it.
image() { # version, file
	printf '\177ELF Linux version %s (injected)\004\0\0\0\004\0\0\0\022\0\0\0Xen\0' "$1" | gzip -n >"$tmp/payload"
	V=$1 perl -e 'undef $/; my $p = <STDIN>; my $h = "\0" x 1024; substr($h, 497, 1) = "\1"; substr($h, 514, 4) = "HdrS";
		substr($h, 526, 2) = pack("v", 100); substr($h, 584, 8) = pack("VV", 0, length($p) + 4); substr($h, 612, 100) = pack("a100", "$ENV{V} x");
		print $h . $p . "size"' <"$tmp/payload" >"$2"
}
echo 'const char license[] __attribute__((section(".modinfo"))) = "license=GPL";' >"$tmp/veth.c"
gcc -c -o "$tmp/veth.ko" "$tmp/veth.c" || skip_all "gcc here makes no object"
modules() { # folder: a folder of modules that depmod has not seen
	mkdir -p "$1/kernel/drivers/net"
	cp "$tmp/veth.ko" "$1/kernel/drivers/net"
	echo kernel/drivers/net/veth.ko >"$1/modules.order"
	: >"$1/modules.builtin"
	: >"$1/modules.builtin.modinfo"
}

archive=$tmp/archive/dists/injected/main/binary-amd64
mkdir -p "$archive" "$tmp/archive/pool"
package() { # name, version, folder ("": empty), what it needs
	root=${3:-$tmp/empty}
	mkdir -p "$root/DEBIAN"
	printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: injected\n' "$1" "$2" >"$root/DEBIAN/control"
	[ -z "${4-}" ] || echo "Depends: $4" >>"$root/DEBIAN/control"
	file=pool/$1.deb
	dpkg-deb --root-owner-group -Zgzip -b "$root" "$tmp/archive/$file" >/dev/null
	{
		dpkg-deb -f "$tmp/archive/$file"
		printf 'Filename: %s\nSize: %s\nSHA256: %s\n\n' "$file" "$(stat -c %s "$tmp/archive/$file")" "$(sha256sum <"$tmp/archive/$file" | cut -d' ' -f1)"
	} >>"$archive/Packages"
	rm -rf "$root/DEBIAN"
}
published() {
	printf 'Origin: Debian\nLabel: Debian\nSuite: injected\nCodename: injected\nComponents: main\nArchitectures: amd64\nDate: %s\nSHA256:\n %s %s main/binary-amd64/Packages\n' \
		"$(LC_ALL=C date -Ru)" "$(sha256sum <"$archive/Packages" | cut -d' ' -f1)" "$(stat -c %s "$archive/Packages")" >"$tmp/archive/dists/injected/Release"
	apt-get -q update >"$tmp/update" 2>&1
}

one=$tmp/6.1.0-9-amd64 two=$tmp/6.12.5+deb13-amd64 modules=$tmp/7.3.4-modules binary=$tmp/7.3.4-binary
mkdir -p "$one/boot" "$two/boot" "$binary/usr/lib/modules/7.3.4+deb13-amd64" "$tmp/wrong/boot"
image 6.1.0-9-amd64 "$one/boot/vmlinuz-6.1.0-9-amd64"
modules "$one/lib/modules/6.1.0-9-amd64"
image 6.12.5+deb13-amd64 "$two/boot/vmlinuz-6.12.5+deb13-amd64"
modules "$two/usr/lib/modules/6.12.5+deb13-amd64"
image 7.3.4+deb13-amd64 "$binary/usr/lib/modules/7.3.4+deb13-amd64/vmlinuz"
modules "$modules/usr/lib/modules/7.3.4+deb13-amd64"
image 6.17.1+deb13-amd64 "$tmp/wrong/boot/vmlinuz-6.16.3+deb13-amd64"
modules "$tmp/wrong/lib/modules/6.17.1+deb13-amd64"
package linux-image-6.1.0-9-amd64 6.1.9-1 "$one"
package linux-image-6.1.0-9-rt-amd64 6.1.99-1 ""
package linux-image-6.12.5+deb13-amd64 6.12.5-1 "$two"
package linux-image-6.12.4+deb13-amd64 6.12.4-1 ""
package linux-image-6.12.5+deb13-cloud-amd64 6.12.55-1 ""
package linux-image-amd64 6.12.5-1 "" linux-image-6.12.5+deb13-amd64
package linux-image-6.12-amd64 6.12.5-1 "" linux-image-6.12.5+deb13-amd64
package linux-image-6.16.3+deb13-amd64 6.16.3-1 "$tmp/wrong"
package linux-image-6.19.1+deb13-amd64 6.19.1-1 "" "linux-binary-6.19.1+deb13-amd64, linux-modules-6.19.1+deb13-amd64"

# This machine's apt, as far as the test goes: no sources but the archive, and no installed packages.
apt=$tmp/apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
echo "deb [trusted=yes] file:$tmp/archive injected main" >"$apt/sources.list"
cat >"$tmp/apt.conf" <<END
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
APT::Architecture "amd64";
APT::Sandbox::User "root";
END
export APT_CONFIG="$tmp/apt.conf"

fetched() { # what, word, version
	vm/fetch "$2" >"$tmp/out" 2>&1
	is "$1" "$? $(cat "$XDPZOOM_CACHE/$2/version" 2>&1)" "0 $3"
	guest="$XDPZOOM_CACHE/$2/guest/lib/modules/$3"
	ok "... with the modules for the guest, the kernel unpacked, and an initramfs" \
		test -f "$guest/kernel/drivers/net/veth.ko" -a -s "$guest/modules.dep" -a -s "$XDPZOOM_CACHE/$2/initrd" -a -f "$XDPZOOM_CACHE/$2/boot/vmlinuz-$3"
}
refused() { # what, words, arguments of vm/fetch
	what=$1 words=$2
	shift 2
	fails "$what" 1 "$words" vm/fetch "$@"
}
last_line() { vm/fetch "$@" 2>&1 >/dev/null | tail -n 1; }
published
fetched "6.1 is no 6.12, and no kernel for real time" 6.1 6.1.0-9-amd64
fetched "6.12: the newest of them; modules below usr" 6.12 6.12.5+deb13-amd64
ok "the unpacked kernel is that of the package" grep -q 'Linux version 6.12.5+deb13-amd64 ' "$XDPZOOM_CACHE/6.12/vmlinux"
vm/fetch newest >"$tmp/out" 2>&1
is "newest, of which a part is missing: says which" "$? $(tail -n 1 "$tmp/out" | grep -c 'cannot download linux-image-6.19.1+deb13-amd64: .*linux-binary-6.19.1+deb13-amd64')" "1 1"
is "... and nothing half is left" "$(ls "$XDPZOOM_CACHE" | grep -v '^6.1$\|^6.12$')" lock
package linux-image-7.3.4+deb13-amd64 7.3.4-1 "" "linux-base-7.3.4+deb13-amd64, linux-binary-7.3.4+deb13-amd64, linux-modules-7.3.4+deb13-amd64"
package linux-base-7.3.4+deb13-amd64 7.3.4-1 ""
package linux-binary-7.3.4+deb13-amd64 7.3.4-1 "$binary"
package linux-modules-7.3.4+deb13-amd64 7.3.4-1 "$modules"
published
fetched "newest, once apt knows a newer one, in three packages" newest 7.3.4+deb13-amd64
is "... which is a link to its version, and said so" "$(readlink "$XDPZOOM_CACHE/newest") $(tail -n 1 "$tmp/out")" "7.3 fetch: kernel 7.3"
refused "a version that apt does not know: those that it knows" "no Linux 5.4 in the apt sources here; there are: 6.1 6.12 6.16 6.19 7.3$" 5.4
is "a package with another kernel than its version" "$(last_line 6.16)" \
	"fetch: linux-image-6.16.3+deb13-amd64 has Linux 6.17.1+deb13-amd64, which is no 6.16"
for word in 6 ../6.1 6..1 :6.1 Sid:6.1 ..:6.1 trixie:../6.1; do
	refused "$word is no word" "no kernel $word: a version (6.12), newest, " "$word"
done
refused "another suite, from a mirror whose lists nobody has signed" "no lists of injected: The repository 'file:$tmp/archive injected Release' is not signed" injected:6.1
is "... and nothing of it is in the cache" "$(ls "$XDPZOOM_CACHE" | grep :)" ""

nightly

# Kernels of one's own.
own() { # what, image, folder, version
	find "$3" -printf '%p %l %s %T@ %C@\n' | sort >"$tmp/before"
	vm/fetch -o "$2" "$3" >"$tmp/out" 2>&1
	status=$?
	word=$(sed -n 's/^fetch: kernel //p' "$tmp/out")
	find "$3" -printf '%p %l %s %T@ %C@\n' | sort >"$tmp/after"
	is "$1: bootable, and nothing is written there" \
		"$status $(cat "$XDPZOOM_CACHE/$word/version" 2>&1) $(find "$XDPZOOM_CACHE/$word/guest/" -name veth.ko | wc -l) $(cmp "$tmp/before" "$tmp/after" 2>&1)" "0 $4 1 "
}
own "modules of an unpacked package" "$binary/usr/lib/modules/7.3.4+deb13-amd64/vmlinuz" "$modules" 7.3.4+deb13-amd64
own "... by their own folder" "$one/boot/vmlinuz-6.1.0-9-amd64" "$one/lib/modules/6.1.0-9-amd64" 6.1.0-9-amd64
tree=$tmp/tree
mkdir -p "$tree/include/config" "$tree/drivers/net"
image 7.4.0-mine "$tree/bzImage"
echo 7.4.0-mine >"$tree/include/config/kernel.release"
echo drivers/net/veth.o >"$tree/modules.order"
: >"$tree/modules.builtin"
cp "$tmp/veth.ko" "$tree/drivers/net"
own "the tree that it was built in" "$tree/bzImage" "$tree" 7.4.0-mine
was=$word
touch -d '1 hour ago' "$tree/drivers/net/veth.ko"
own "... and again with another module" "$tree/bzImage" "$tree" 7.4.0-mine
ok "... is another kernel" test "$word" != "$was"
refused "the tree of another kernel" "was built as another kernel than 6.1.0-9-amd64" -o "$one/boot/vmlinuz-6.1.0-9-amd64" "$tree"

# Strangers. The folders above the cache are the test's own, and hold nothing else.
for version in ../../../../injected 7.3/../../../injected 7.3..4 /injected -injected; do
	image "$version" "$tmp/evil"
	sed -i 's/ELF/XXX/' "$tmp/evil"
	refused "a kernel whose version is $version" "has no version of Linux: $version" -o "$tmp/evil"
done
is "... and nothing is outside of the cache" "$(cd "$tmp" && echo cache/* cache/a/* injected*)" "cache/a cache/a/b injected*"
stranger=$tmp/stranger/lib/modules/6.1.0-9-amd64 above=/../../../../../../../../../../../../../..
cp "$tmp/veth.ko" "$tmp/outside.ko"
named=kernel$above$tmp/outside.ko
listed=kernel/$(printf "%$((${#named} - 15))s" "" | tr ' ' x)/veth.ko # as long
modules "$stranger"
mkdir -p "$stranger/${listed%/*}"
mv "$stranger/kernel/drivers/net/veth.ko" "$stranger/$listed"
depmod -b "$tmp/stranger" 6.1.0-9-amd64 2>/dev/null
LC_ALL=C sed -i "s|$listed|$named|" "$stranger/modules.dep" "$stranger/modules.dep.bin"
vm/fetch -o "$one/boot/vmlinuz-6.1.0-9-amd64" "$tmp/stranger" >"$tmp/out" 2>&1
status=$?
word=$(sed -n 's/^fetch: kernel //p' "$tmp/out")
is "a modules.dep that names a file elsewhere: that is not taken" "$status $(find "$XDPZOOM_CACHE/$word/guest" "$tmp/cache" -name '*outside*')" "0 "
# Links that lead to a file of the caller: a module, a list of modules, and the order of a tree.
secret=$tmp/secret
echo SECRET >"$secret"
linked=$tmp/linked/lib/modules/6.1.0-9-amd64
modules "$linked"
depmod -b "$tmp/linked" 6.1.0-9-amd64
ln -sf "$secret" "$linked/kernel/drivers/net/veth.ko"
ln -sf "$secret" "$linked/modules.builtin.modinfo"
vm/fetch -o "$one/boot/vmlinuz-6.1.0-9-amd64" "$tmp/linked" >"$tmp/out" 2>&1
status=$?
word=$(sed -n 's/^fetch: kernel //p' "$tmp/out")
is "a module and a list that are links to elsewhere: left out" \
	"$status $(grep -c 'leads out of their folder' "$tmp/out") $(grep -rl SECRET "$XDPZOOM_CACHE/$word" | wc -l) $(zcat "$XDPZOOM_CACHE/$word/initrd" | grep -c SECRET)" "0 2 0 0"
touch -d "2 hours ago" "$tree/drivers/net/veth.ko"
rm "$tree/modules.order" && ln -s "$secret" "$tree/modules.order"
refused "a tree whose order of modules is elsewhere" "modules.order is elsewhere" -o "$tree/bzImage" "$tree"

# A tree of a stranger whose repository names programs: filters, hooks, a monitor of files, and a helper that fetches.
linux=$tmp/linux
mkdir -p "$linux/net" "$linux/arch/x86/boot"
(
	cd "$linux" && git init -q . && git config user.email a@b && git config user.name a || exit
	touch Kconfig Makefile net/x.c
	echo '*.c filter=evil' >.gitattributes
	grep -h '^CONFIG_' "$OLDPWD/vm/config" | sed 's/=.*/=y/' | grep -v CONFIG_MODULES >.config
	git add -A && git commit -qm x && git commit -q --allow-empty -m y
	for trap in filter.evil.clean filter.evil.smudge core.fsmonitor core.sshCommand core.pager; do git config $trap "touch $tmp/PWNED; cat"; done
	for hook in post-index-change post-checkout reference-transaction; do
		printf '#!/bin/sh\ntouch %s/PWNED\n' "$tmp" >.git/hooks/$hook && chmod +x .git/hooks/$hook
	done
)
rm -f "$tmp/PWNED"
touch -d '1 hour ago' "$linux/net/x.c"
touch "$linux/arch/x86/boot/bzImage"
find "$linux/.git" -printf '%p %s %T@\n' | sort >"$tmp/before"
sources() { vm/tree "$linux" 2>&1 | sed -n 's/^tree: source //p'; }
is "the sources by git's name" "$(sources)" "$(git -C "$linux" -c core.fsmonitor=false rev-parse --short=12 HEAD)"
echo y >"$linux/net/x.c"
touch "$linux/arch/x86/boot/bzImage"
is "... and that they changed since" "$(sources)" "$(git -C "$linux" -c core.fsmonitor=false rev-parse --short=12 HEAD)-dirty"
is "no program of theirs has run, and nothing was written" "$(find "$linux/.git" -printf '%p %s %T@\n' | sort | diff "$tmp/before" -) $(ls "$tmp/PWNED" 2>&1 | grep -c 'No such')" " 1"
git -C "$linux" -c core.fsmonitor=false status >/dev/null
ok "... as git itself would have run it" test -e "$tmp/PWNED"
