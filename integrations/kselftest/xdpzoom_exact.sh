#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Does a packet take more instructions in this kernel than in another one? Both are counted under emulation, where no other work
# and no clock counts: one result for each variant. xdpzoom_lib.sh explains the environment; besides:
#   XDPZOOM_TREE      the tree of Linux, built
#   XDPZOOM_AGAINST   another tree, a version of Debian's kernels, or the directory of a run; without it the counts have to close
#   XDPZOOM_VARIANTS  what is counted (drop/no-touch@native,drop/no-touch@skb)
#   XDPZOOM_ARGS      more words for xdpzoom exact
. "$(dirname "$0")/xdpzoom_lib.sh"

[ -n "$XDPZOOM_TREE" ] || skip_all "XDPZOOM_TREE, the tree of the kernel, is not set"
# shellcheck disable=SC2086 # several words
step exact "$X" exact -q --force -o "$out/$test_name" -k "$XDPZOOM_TREE" ${XDPZOOM_AGAINST:+--against "$XDPZOOM_AGAINST"} \
	-V "${XDPZOOM_VARIANTS:-drop/no-touch@native,drop/no-touch@skb}" -f ktap $XDPZOOM_ARGS
[ ! -e "$out/$test_name/run.json" ] || {
	"$X" report "$out/$test_name" -f json -o "$out/$test_name.json"
	echo "# numbers: $out/$test_name.json" >>"$tmp/results"
}
done_all
