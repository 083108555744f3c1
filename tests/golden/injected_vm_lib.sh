# injected_vm_lib.sh - an emulator and a kernel that are none, for tests of what exact does around a virtual machine
# usage: after tests/rig/lib.sh: . tests/golden/injected_vm_lib.sh
for program in busybox cpio modprobe depmod xz zstd dpkg-deb apt-get; do
	PATH=$PATH:/usr/sbin:/sbin command -v $program >/dev/null || skip_all "no $program here"
done

# A cache with a kernel that no emulator will see, and programs that stand before the real ones.
export XDPZOOM_CACHE="$tmp/cache"
kernel=$tmp/cache/6.12
mkdir -p "$kernel" "$tmp/bin" "$tmp/runs"
touch "$kernel/vmlinux" "$kernel/initrd"
echo 6.12.0 >"$kernel/version"
ln -s 6.12 "$tmp/cache/newest" # the default; newer than apt's lists
made_of=$(cat vm/init vm/nics vm/fetch | cksum)
echo "$made_of" >"$kernel/initrd.made-of"
takes='case "$*" in *,try=on) exit 0 ;; esac'
qemu() { # what the emulator does once it runs: a script, in the folder of vm/run; before, it takes the plugin
	cat >"$tmp/bin/qemu-system-x86_64" <<-'END'
		#!/bin/sh
		[ "$1" != --version ] || { echo "QEMU emulator version 7.2.22 (injected)"; exit; }
	END
	printf '%s\n' "$takes" "$1" >>"$tmp/bin/qemu-system-x86_64"
	chmod +x "$tmp/bin/qemu-system-x86_64"
	rm -f "$kernel"/kept-*
}
# What QEMU does when it is to be kept: it connects to the socket of vm/run, and writes.
kept='case "$*" in *-incoming*) ;; *)
	until perl -MSocket -e "socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(q(keep))) && print(S q(injected)) or exit 1"; do sleep 0.1; done
	exit 0 ;;
esac'
# The windows of a recorded run, of which a number of the vCPU is 5 too large; FIELD 0: none.
windows() { # RUN FIELD
	rm -rf "$tmp/windows"
	mkdir "$tmp/windows"
	jq -r '.variants[0].windows[].file' "$1/run.json" | awk '{ print $1, NR - 1 }' | while read -r file n; do
		awk -v field="$2" 'field && $1 == "cpu" && $4 && !done { $field += 5; done = 1 } { print }' "$1/blocks/$file.paths" >"$tmp/windows/window.$n"
	done
	jq -c '.variants[0] | . as $v | .windows[] | {variant: $v.id, program: $v.program, batch, packets, sent}' "$1/run.json" >"$tmp/windows/windows.jsonl"
}
# A guest that counted them.
guest="cp $tmp/windows/windows.jsonl share
cp $tmp/windows/window.* windows
echo 'kernel 6.12.0' >err"
counted() { # RUN FIELD
	windows "$@"
	qemu "$kept
$guest
echo status 0 >words; exit 0"
}
