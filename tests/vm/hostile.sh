#!/bin/sh
# A guest that means harm: it writes the words of QEMU's monitor into its ports, makes links, FIFOs and devices in the folder that
# it shares, writes into folders that are shown to it, and looks for this machine's files. Nothing here changes, and it finds none.
# usage: VM_KERNEL=6.12 hostile.sh    (tests/golden/exact_trouble.sh plays a QEMU that was taken over)
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}
mkdir "$tmp/share" "$tmp/shown" "$tmp/hidden" "$tmp/T"
echo precious >"$tmp/T/precious"
echo secret >"$tmp/hidden/secret"
echo shown >"$tmp/shown/file"
before=$(stat -c '%a %u' "$tmp/share")

cat >"$tmp/shown/attack" <<END
T=$tmp/T hidden=$tmp/hidden
END
cat >>"$tmp/shown/attack" <<'END'
for port in /dev/vport*p[3-9]; do
	printf '\nquit\nkeep\nstop\nagain\nsystem_reset\nstatus 300\nstatus 7;x\nballoon 1 x\ndevice_del rx0;x\n' >"$port"
	printf 'pmemsave 0xf0000 4096 "%s"\nchardev-add file,id=evil,path=%s\nmigrate "exec:touch %s"\n' "$T/a" "$T/b" "$T/c" >"$port"
done
cd /share
for name in window.0 window.0.new windows.jsonl status kmsg symbols; do ln -s "$T/precious" $name; done
ln -s "$hidden" folder
mkfifo fifo
mknod null c 1 3
mknod disk b 254 0
touch own
chown 1234 own
chmod 6755 own
[ -p fifo ] && [ -c null ] && [ -L window.0 ] && [ "$(stat -c '%a %u' own)" = "6755 1234" ] && echo kept for the guest
cat window.0.new folder/secret 2>/dev/null
echo "- shown"
cat "${0%/*}/file"
for file in "$hidden/secret" "${0%/*}/../hidden/secret" /etc/shadow /root/.bashrc /lower/usr/../etc/shadow; do [ ! -e "$file" ] || echo "sees $file"; done
i=0
for tag in usr f1 vm modules root share; do
	for name in '' ../.. ../../etc; do
		mkdir -p /m/$((i += 1))
		mount -t 9p -o "trans=virtio,version=9p2000.L,cache=none,aname=$name" $tag /m/$i 2>/dev/null || continue
		[ ! -e /m/$i/etc/shadow ] && [ ! -e /m/$i/shadow ] && [ ! -e /m/$i/../hidden/secret ] || echo "$tag leads out"
		[ $tag = share ] || ! touch /m/$i/xdpzoom.touched 2>/dev/null || echo "$tag is writable"
	done
done
[ "$(echo /m/*)" != '/m/*' ] && echo mounted
printf '\033]0;title\007<4>WARNING: \033[31mplanted\n' >/dev/kmsg
END
vm/run -k "$kernel" -f "$tmp/shown" -x "$tmp/share" -v -- sh "$tmp/shown/attack" >"$tmp/out" 2>"$tmp/err"
is "words of the monitor end nothing: the guest's command ends, and its kernel's complaint is seen" \
	"$? $(grep -c "complains: .*injected" "$tmp/err")" "125 1"
is "it sees what is shown, and nothing else; what it made is to itself what it was meant to be" "$(cat "$tmp/out")" "kept for the guest
- shown
shown
mounted"
is "no file was written, and no link followed" "$(ls "$tmp/T") $(cat "$tmp/T/precious")" "precious precious"
is "what it made are regular files here" "$(find "$tmp/share" -mindepth 1 ! -type f; find "$tmp/share" -perm /6000)" ""
ok "... as many as it made" test "$(find "$tmp/share" -type f | wc -l)" -eq 11
is "the shared folder, and all in it, is whose it was" "$(stat -c '%a %u' "$tmp/share") $(find "$tmp/share" ! -uid "$(id -u)")" "$before "
is "the log controls no terminal" "$(LC_ALL=C tr -d ' -~\n\t' <"$tmp/err" | wc -c)" 0

# The trigger by which a host's file was once overwritten; and lines of vm/run, of the guest's making, in the output of exact.
cat >"$tmp/own.bpf.c" <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int own(struct xdp_md *ctx) { return XDP_DROP; }
char _license[] SEC("license") = "GPL";
END
clang -O2 -g -target bpf -idirafter "/usr/include/$(uname -m)-linux-gnu" -c "$tmp/own.bpf.c" -o "$tmp/own.o" || exit 1
"$X" exact -v -k "$kernel" -o "$tmp/run" -V "prog:$tmp/own.o@native" \
	--setup "ln -s $tmp/T/precious /share/window.9.new; ln -s $tmp/T/precious /share/window.3" \
	--teardown "printf 'xdpzoom-progress 1 1 \\033]0;x\\007\\nxdpzoom-left-out \\033[31m\\nfetch: own ../../T\\nkernel 6\\033[31m\\377\\n' >&2" 2>"$tmp/err"
is "exact, attacked: counted" $? 0
is "the kernel's name is text" "$(jq -r .kernel "$tmp/run/run.json")" "6??31m?"
is "nothing controls the terminal, and the words came" "$(LC_ALL=C tr -d ' -~\n\t' <"$tmp/err" | wc -c) $(grep -c 'xdpzoom-left-out ?\[31m' "$tmp/err")" "0 1"
is "no link was followed" "$(ls "$tmp/T") $(cat "$tmp/T/precious")" "precious precious"
is "the run has what a run has" "$(ls "$tmp/run") $(find "$tmp/run" ! -type f ! -type d)" "blocks
run.json "
