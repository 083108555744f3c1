#!/bin/sh
# xdpzoom-ci on the firewall of docs/examples and its patch: verdicts, instructions, lines that got dearer, exit statuses.
# usage: exact_ci.sh
. "$(dirname "$0")/../rig/lib.sh"
need_root
examples=$PWD/docs/examples/firewall ci=$PWD/integrations/ci/xdpzoom-ci
export XDPZOOM="$X"
cd "$tmp" && cp "$examples"/* . && mkdir base change || exit 1
build() { clang -O2 -g -target bpf -idirafter "/usr/include/$(gcc -print-multiarch)" -c firewall.bpf.c -o "$1/fw.o"; }
build base && patch -s firewall.bpf.c cache.patch && build change || exit 1

plan 14
frame='udp 198.51.100.7 > 192.0.2.1:53'
GITHUB_ACTIONS=true "$ci" -o out -F slower=10instructions base/fw.o change/fw.o --setup ./rules.sh --frame "$frame" >said 2>err
is "a limit is passed" "$? $(grep -c 'beyond 10 instructions' err)" "3 1"
is "instructions by function" "$(grep -c '^| 0.000 | 43.000 | +43.000 | +1.000 |  | `htab_map_hash`' out/comment.md)" 1
is "verdicts" "$(grep -c '^| XDP_DROP | 1 | 1 |' out/comment.md)" 1
is "each line that got dearer" "$(jq -c '[.version, (.runs[0].results | length > 5, (map(.ruleId) | unique), (map(.locations[0].physicalLocation.artifactLocation.uri) | unique))]' out/lines.sarif)" \
	'["2.1.0",true,["dearer-line"],["firewall.bpf.c"]]'
line=$(jq -r '.runs[0].results[0].locations[0].physicalLocation.region.startLine' out/lines.sarif)
is "... by the number that it has in the new source" "$(sed -n "${line}p" firewall.bpf.c | grep -c 'look_up_once(const struct packet')" 1
is "... as an annotation" "$(grep -c "^::warning file=firewall.bpf.c,line=$line,title=xdpzoom::10 instructions per packet more" said)" 1
is "for trackers" "$(jq -r '.[] | "\(.name) \(.unit) \(.value > 600)"' out/benchmark.json)" "fw.o@native instructions/packet true"

setpriv --inh-caps -all --bounding-set -all "$ci" -o same base/fw.o base/fw.o --setup ./rules.sh --frame "$frame" >said 2>err
is "the same twice, by root of a container: fine, and no line is dearer" "$? $(jq '.runs[0].results | length' same/lines.sarif)" "0 0"
is "... which may not load programs" "$(grep -c '^Verdicts and frames were not compared: replay lacks capabilities here, .*CAP_BPF' same/comment.md)" 1

"$ci" -o other base/fw.o change/fw.o --setup ./rules.sh --frame 'udp 203.0.113.5 > 192.0.2.1:53' --frame 'tcp 203.0.113.5 > 192.0.2.1:22 syn' >said 2>err
is "a frame with another verdict" "$? $(grep -c '^| XDP_PASS | 1 | 2 |' other/comment.md)" "3 1"
fails "no such file" 2 "cannot read nothing.o" "$ci" nothing.o base/fw.o
fails "no file at all" 2 "OLD.o and NEW.o are missing" "$ci"
fails "no such mode" 2 "neither native nor skb" "$ci" -m hw base/fw.o base/fw.o
echo nonsense >bad.o
fails "no program" 1 "bad\|old.o" "$ci" -o bad bad.o base/fw.o
