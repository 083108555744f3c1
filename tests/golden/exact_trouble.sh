#!/bin/sh
# xdpzoom exact when things go wrong, without a virtual machine: an emulator and a package manager that fail on purpose. One
# sentence, the right status, nothing left running, no half run directory.
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"
. tests/golden/injected_vm_lib.sh

exact() { env PATH="$tmp/bin:$PATH" "$X" exact -q -o "$tmp/runs/run" "$@"; }
left() {
	find "$tmp/runs" -mindepth 1
	pgrep -f "[q]emu.*$tmp" || pgrep -f "$tmp/[b]in/"
}
trouble() { # what, status, words, arguments...
	what=$1 status=$2 words=$3
	shift 3
	fails "$what" "$status" "$words" exact "$@"
	gone "... and nothing is left" left
}

takes='' qemu 'echo "Could not load plugin count-1.so: plugin requires API version 1, but this QEMU supports only a minimum version of 9" >&2; exit 1'
trouble "an emulator that takes no version of the plugin" 77 "QEMU 7.2.22 takes none of the versions .*(7, 3, 2 and 1): .*a minimum version of 9"
takes='case "$*" in *count-2.so,try=on) exit 0 ;; *,try=on) exit 1 ;; *-incoming*) case $(readlink plugin.so) in *count-2.so) ;; *) exit 3 ;; esac ;; esac' qemu "$kept
kill -KILL \$\$"
trouble "an emulator that takes version 2 alone gets it" 1 "QEMU was killed by signal 9"
qemu "$kept
echo \"-device igb: 'igb' is not a valid device model name\" >&2; exit 1"
trouble "a NIC that this QEMU lacks" 77 "QEMU 7.2.22 has no NIC igb" -n igb
qemu "$kept
kill -KILL \$\$"
trouble "QEMU is killed" 1 "virtual machine failed: QEMU was killed by signal 9"
qemu "$kept
echo 'ERROR:injected.c: should not be reached' >&2; kill -ABRT \$\$"
trouble "QEMU aborts: its reason" 1 "QEMU was killed by signal 6: ERROR:injected.c: should not be reached"
qemu "$kept
kill -KILL \$\$"
# A machine with much to do: QEMU has connected, written and ended a second before perl goes on.
cat >"$tmp/Late.pm" <<'END'
package Late;
BEGIN { *CORE::GLOBAL::accept = sub (**) { sleep 1; CORE::accept(*{"main::$_[0]"}, *{"main::$_[1]"}) } }
1;
END
export PERL5LIB="$tmp" PERL5OPT=-MLate
trouble "what takes the VM comes late" 1 "virtual machine failed: QEMU was killed by signal 9"
unset PERL5LIB PERL5OPT
is "... and takes all of it" "$(zstd -dcq "$kernel"/kept-*)" injected
qemu "$kept
echo 'Kernel panic - not syncing: injected' >log; exit 0"
trouble "the kernel panics" 1 "the guest's kernel complains: Kernel panic - not syncing: injected"
counted build/runs/counted 4
fails "instructions that do not close: 1" 1 "drop/no-touch@native: the functions do not sum .* residual 50; no count of this run is good" exact -V drop/no-touch@native
rm -r "$tmp/runs/run"
counted build/runs/device 11
fails "lines of a device that do not close: 3" 3 "drop/no-touch@native: do not sum .* left out: lines of a device (residual 30)" \
	exact --memory -n vmxnet3 -V drop/no-touch@native
is "the run is there" "$("$X" report "$tmp/runs/run" -f json 2>/dev/null | jq -c '.variants[0] | [.instructions > 0, .lines_device]')" "[true,null]"
rm -r "$tmp/runs/run"
# The answers that git bisect run wants; the injected run has 331.239 instructions, 331.191 and 331.393 by both halves.
bisect() { # what, status, words, arguments...
	what=$1 status=$2 words=$3
	shift 3
	env PATH="$tmp/bin:$PATH" "$X" exact -q "$@" >"$tmp/out" 2>&1
	is "bisect: $what" "$? $(grep -c -- "$words" "$tmp/out") $(wc -l <"$tmp/out")" "$status 1 1"
}
native=drop/no-touch@native
counted build/runs/counted 0
bisect "at most what is asked: good" 0 "^good: $native takes 331.239 instructions per packet, <=331.5 is good$" --bisect "$native<=331.5"
bisect "more: bad" 1 "^bad: $native takes 331.239 instructions per packet, <=331 is good$" --bisect "$native<=331"
bisect "the other way round" 1 "^bad: " --bisect "$native>332"
bisect "a limit between both halves: nobody can tell" 125 "331.191 and 331.393 .* on both sides of 331.3" --bisect "$native<=331.3"
jq '.variants |= [(.[1] | .id = "drop/no-touch@native"), (.[0] | .id = "drop/no-touch@skb")]' build/runs/counted/run.json >"$tmp/other.json"
mkdir "$tmp/other"
cp -r build/runs/counted/blocks "$tmp/other"
mv "$tmp/other.json" "$tmp/other/run.json"
against() { env PATH="$tmp/bin:$PATH" "$X" exact -q -V "$native" --format changelog "$@" >/dev/null 2>&1; echo $?; }
is "bisect against a run: as many, other ones, and a limit that both are within" \
	"$(against --against build/runs/counted --bisect different=1instructions) $(against --against "$tmp/other" --bisect different=1%) $(
		against --against "$tmp/other" --bisect slower=1%)" "0 1 0"
is "against a run, without bisect: the exit status of diff" \
	"$(against -o "$tmp/runs/run" --against "$tmp/other" --fail-if different=1%) $(
		against -o "$tmp/runs/run" --force --against "$tmp/other" --fail-if slower=1%)" "3 0"
env PATH="$tmp/bin:$PATH" "$X" exact -q -V "$native" -o "$tmp/runs/run" --force --against "$tmp/other" --format changelog >"$tmp/out" 2>&1
is "... whose last line is a command" "$(tail -n 2 "$tmp/out" | grep -c '^  ')" 2
rm -r "$tmp/runs/run"
bisect "a wrong command line ends the bisection" 128 "write VARIANT<=INSTRUCTIONS" --bisect "$native<=x"
bisect "a variant that is not counted ends it" 128 "not among those that are counted" --bisect "$native<=331" -V drop/no-touch@skb
bisect "no run to compare with ends it, too" 128 "needs a run to compare with" --against 6.12 --bisect slower=1%
bisect "a tree that is none: nobody can tell" 125 "^xdpzoom: $tmp is no tree of Linux$" -k "$tmp" --bisect "$native<=331.5"
qemu "$kept
echo 'Kernel panic - not syncing: injected' >log; exit 0"
bisect "a kernel that panics: nobody can tell" 125 "Kernel panic - not syncing: injected" --bisect "$native<=331.5"
gone "... and nothing is left" find /tmp -maxdepth 1 -name 'xdpzoom-??????' -newer "$tmp/other/run.json"

qemu "echo 'vm-fatal: the kernel lacks the file system 9p' >log; exit 0"
trouble "a kernel without 9p" 1 "virtual machine failed: the kernel lacks the file system 9p"
fails "a kernel that nobody knows" 1 "no kernel 6..12: a version (6.12), newest, .* or a file" exact -k 6..12
fails "a file that is no kernel" 1 "/etc/passwd is neither a bzImage nor a vmlinux" exact -k /etc/passwd
head -c 4 "$X" >"$tmp/vmlinux"
fails "a vmlinux without the PVH note" 1 "PVH note, which this one lacks" exact -k "$tmp/vmlinux"
{ head -c 56 /dev/zero; printf 'ARM\144'; } >"$tmp/Image"
{ printf '\177ELF'; head -c 14 /dev/zero; printf '\267\0'; } >"$tmp/vmlinux.arm64"
for file in Image vmlinux.arm64; do
	fails "a kernel of arm64: $file" 1 "$file is a kernel for arm64; kernels of x86-64 alone boot here" exact -k "$tmp/$file"
done
gone "... and nothing is left" left

# What a guest writes, and a QEMU that it has taken over, is a stranger's. Windows that are in order, but for ...
mkdir "$tmp/T"
echo precious >"$tmp/T/precious"
windows build/runs/counted 0
hostile() { # what, words, what QEMU does besides
	qemu "$kept
$guest
$3
echo status 0 >words; exit 0"
	trouble "a guest: $1" 1 "$2" -V drop/no-touch@native
}
hostile "a link for the list of windows" "windows.jsonl is a link" "ln -sf $tmp/T/precious share/windows.jsonl"
hostile "a FIFO for the list" "windows.jsonl is no regular file" "rm share/windows.jsonl; mkfifo share/windows.jsonl"
hostile "a list without end" "windows.jsonl has 100000000 bytes" "truncate -s 100000000 share/windows.jsonl"
hostile "no window" "the virtual machine counted no window" ": >share/windows.jsonl"
hostile "a variant that nobody asked for" "a line that is no window of what was asked for" "sed -i 's/touch@native/touch@skb/' share/windows.jsonl"
hostile "a program that controls the terminal" "a line that is no window" "sed -i 's/bpf_prog/\\\\\\\\u001b[31m/' share/windows.jsonl"
hostile "fewer than no packets" "a line that is no window" "sed -i 's/packets\":/&-/' share/windows.jsonl"
hostile "bytes that are no UTF-8" "a line that is no window" "printf '\\\\377\\n' >share/windows.jsonl"
hostile "a link for a window" "no counts for window 1" "ln -sf $tmp/T/precious windows/window.1"
hostile "its last words control the terminal" "in the virtual machine: ?\\[31mred" "printf '\\033[31mred\\n' >err; echo status 1 >words; exit 0"
hostile "a status that is none" "ended without a word" "echo status 300 >words; echo status -1 >words; exit 0"
# A kernel's name of any bytes; words of vm/fetch; deep folders, links and a FIFO where nobody looks.
qemu "$kept
$guest
printf 'kernel 6\\033[31m\\377\\nfetch: own ../../T\\n' >>err; mkdir -p share/a/b/c; ln -s $tmp/T share/a/T; mkfifo share/a/fifo; : >share/odd
echo status 0 >words; exit 0"
ok "a kernel's name that is no UTF-8: counted" exact -V drop/no-touch@native
is "... with a name that is text, and nothing of the guest's but its counts" \
	"$(jq -r .kernel "$tmp/runs/run/run.json") $(cd "$tmp/runs" && find . -type f | sort | tr '\n' ' ')" \
	"6??31m? $(cd "$tmp/windows" && ls -d window.* | sed 's,window.\(.*\),./run/blocks/\1.paths,' | sort | tr '\n' ' ')./run/run.json "
rm -r "$tmp/runs/run"
is "what links led to is untouched" "$(ls "$tmp/T") $(cat "$tmp/T/precious")" "precious precious"

# Another version of xdpzoom has made the initramfs.
echo 1 2 >"$kernel/initrd.made-of"
fails "run refuses an initramfs of another version" 125 "of another version of xdpzoom; this makes it anew: .*/fetch 6.12" vm/run -k 6.12 -- true
echo "$made_of" >"$kernel/initrd.made-of"

# Ctrl-C while a kernel is fetched, while the machine boots to be kept, and while it counts.
mkdir -m 777 "$tmp/marks" # QEMU is nobody's
stopped() { # at which moment; the injected program says that it is reached
	rm -f "$tmp/marks/reached"
	env PATH="$tmp/bin:$PATH" "$X" exact -q -o "$tmp/runs/run" 2>"$tmp/err" &
	pid=$!
	started $pid
	await test -e "$tmp/marks/reached"
	kill -INT $pid
	wait $pid
	is "stopped $1" "$? $(cat "$tmp/err")" "1 xdpzoom: stopped by a signal"
	gone "... and nothing is left" left
}
qemu "touch $tmp/marks/reached; exec sleep 1000"
stopped "while it boots"
qemu "$kept
touch $tmp/marks/reached; exec sleep 1000"
stopped "while it counts"
# What hears the guest, or passes its words on, is killed: the machine is ended, which would never end by itself.
killed() { # the program of vm/run, words, its parent: this command, or the process that runs the second machine
	rm -f "$tmp/marks/reached"
	env PATH="$tmp/bin:$PATH" "$X" exact -q --memory -o "$tmp/runs/run" 2>"$tmp/err" &
	pid=$!
	started $pid
	await test -e "$tmp/marks/reached"
	await pkill -KILL -g "$(pgrep -x run -P "$(eval "$3")")" -x "$1"
	wait $pid
	is "$1 is killed" "$? $(sed 's/xdpzoom: the virtual machine failed: //' "$tmp/err")" "1 $2"
	gone "... and nothing is left" left
}
killed tail "not all that the command wrote was passed on: tail ended with status 137" 'echo $pid'
killed dd "what hears the guest's words ended before QEMU" 'echo $pid'
killed dd "what hears the guest's words ended before QEMU" 'pgrep -x xdpzoom -P $pid'
printf '#!/bin/sh\ntouch %s/marks/reached\nexec sleep 1000\n' "$tmp" >"$tmp/bin/apt-get"
cat >"$tmp/bin/apt-cache" <<'END'
#!/bin/sh
case "$1" in
pkgnames) echo linux-image-6.12.0-amd64 ;;
madison) echo "linux-image-6.12.0-amd64 | 6.12.0-1 | file:/injected injected/main amd64 Packages" ;;
esac
END
chmod +x "$tmp/bin/apt-get" "$tmp/bin/apt-cache"
rm -r "$kernel" "$tmp/cache/newest"
stopped "while it fetches a kernel"
is "no half kernel either" "$(ls "$tmp/cache" | tr '\n' ' ')" "lock "
