#!/bin/sh
# xdpzoom-ci on the firewall of docs/examples and its patch: verdicts, instructions, lines that got slower, exit statuses.
# usage: [IMAGE=NAME] exact_ci.sh      IMAGE: in that image, which integrations/ci/image.sh has made, by chroot
if [ -n "${IMAGE-}" ] && [ -z "${own_mounts-}" ]; then own_mounts=1 exec unshare -m sh "$0"; fi
. "$(dirname "$0")/../rig/lib.sh"
need_root
examples=$PWD/docs/examples/firewall ci=$PWD/integrations/ci/xdpzoom-ci
export XDPZOOM="$X"
limits=
# The image's files and /mnt are in a mount namespace of the test's own, not below $tmp, which is removed.
if [ -n "${IMAGE-}" ]; then
	mkdir "$tmp/new" "$tmp/work"
	lower=$(podman image mount "$IMAGE") && mount -t overlay -o "lowerdir=$lower,upperdir=$tmp/new,workdir=$tmp/work" overlay /mnt && mkdir -p "/mnt$tmp" &&
		mount --bind "$tmp" "/mnt$tmp" && for d in proc sys dev; do mount --rbind /$d /mnt/$d || exit 1; done || exit 1
	undo="podman image umount $IMAGE"
fi
job() { # WORDS...: of xdpzoom-ci
	[ -n "${IMAGE-}" ] || { $limits "$ci" "$@"; return; }
	# shellcheck disable=SC2086 # several words
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin XDG_CACHE_HOME=/var/cache LC_ALL=C.UTF-8 GITHUB_ACTIONS="${GITHUB_ACTIONS-}" \
		chroot /mnt sh -c 'cd "$0" && exec "$@"' "$tmp" $limits xdpzoom-ci "$@"
}
cd "$tmp" && cp "$examples"/* . && mkdir base change || exit 1
build() { clang -O2 -g -target bpf -idirafter "/usr/include/$(gcc -print-multiarch)" -c firewall.bpf.c -o "$1/fw.o"; }
build base && patch -s firewall.bpf.c cache.patch && build change || exit 1

frame='udp 198.51.100.7 > 192.0.2.1:53'
export GITHUB_ACTIONS=true
job -o out -F slower=10instructions base/fw.o change/fw.o --setup ./rules.sh --frames "$frame" >said 2>err
is "a limit is passed" "$? $(grep -c 'beyond 10 instructions' err)" "3 1"
is "instructions by function" "$(grep -c '^| 0.000 | 43.000 | +43.000 | +1.000 |  | `htab_map_hash`' out/comment.md)" 1
is "verdicts" "$(grep -c '^| XDP_DROP | 1 | 1 |' out/comment.md)" 1
is "each line that got slower" "$(jq -c '[.version, (.runs[0].results | length > 5, (map(.ruleId) | unique), (map(.locations[0].physicalLocation.artifactLocation.uri) | unique))]' out/lines.sarif)" \
	'["2.1.0",true,["slower-line"],["firewall.bpf.c"]]'
line=$(jq -r '.runs[0].results[0].locations[0].physicalLocation.region.startLine' out/lines.sarif)
is "... by the number that it has in the new source" "$(sed -n "${line}p" firewall.bpf.c | grep -c 'look_up_once(const struct packet')" 1
is "... as an annotation" "$(grep -c "^::warning file=firewall.bpf.c,line=$line,title=xdpzoom::10 instructions per packet more" said)" 1
is "for trackers" "$(jq -r '.[] | "\(.name) \(.unit) \(.value > 600)"' out/benchmark.json)" "fw.o@native instructions/packet true"

unset GITHUB_ACTIONS
limits="setpriv --inh-caps -all --bounding-set -all"
job -o same base/fw.o base/fw.o --setup ./rules.sh --frames "$frame" >said 2>err
is "the same twice, by root of a container: fine, and no line is slower" "$? $(jq '.runs[0].results | length' same/lines.sarif)" "0 0"
is "... which may not load programs" "$(grep -c '^Verdicts and frames were not compared: replay lacks capabilities here, .*CAP_BPF' same/comment.md)" 1

limits=
job -o other base/fw.o change/fw.o --setup ./rules.sh --frames 'udp 203.0.113.5 > 192.0.2.1:53' --frames 'tcp 203.0.113.5 > 192.0.2.1:22 syn' >said 2>err
is "a frame with another verdict" "$? $(grep -c '^| XDP_PASS | 1 | 2 |' other/comment.md)" "3 1"
fails "no such file" 2 "cannot read nothing.o" job nothing.o base/fw.o
fails "no file at all" 2 "OLD.o and NEW.o are missing" job
fails "no such mode" 2 "neither native nor skb" job -m hw base/fw.o base/fw.o
echo nonsense >bad.o
fails "no program" 1 "bad\|old.o" job -o bad bad.o base/fw.o
