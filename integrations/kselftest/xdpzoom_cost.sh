#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a packet costs on NETIF, in native and in skb mode: one result for each check of each variant, and one for each
# variant that was slower than before, or was not. The numbers are in XDPZOOM_OUT/xdpzoom_cost.json, the run beside it.
#
# The other end sends: pktgen on another machine (REMOTE_TYPE=ssh), or frames out of a device of another network namespace
# (REMOTE_TYPE=netns). xdpzoom_lib.sh explains the environment; besides:
#   XDPZOOM_VARIANTS  what is measured (drop/no-touch@native,drop/no-touch@skb)
#   XDPZOOM_SECONDS   for so long (30)
#   XDPZOOM_HISTORY   a file of xdpzoom history: the run is added, and held against the one that was the last one
#   XDPZOOM_AGAINST   ... or against this one
#   XDPZOOM_THRESHOLD percent by which a variant may be slower (0)
#   XDPZOOM_ARGS      more words for xdpzoom record
. "$(dirname "$0")/xdpzoom_lib.sh"

# The device at the other end, by its address. COMMAND... runs ip there.
remote_device() {
	addr=${REMOTE_V4:-$REMOTE_V6}
	"$@" -o addr show to "$addr" 2>"$tmp/why" | awk '{ sub(/@.*/, "", $2); print $2; exit }'
}
to=lab
case ${NETIF:+${REMOTE_TYPE:-none}} in
"") set -- lab ;;
ssh)
	to=$(remote_device ssh -o BatchMode=yes "$REMOTE_ARGS" ip)
	set -- "$NETIF" --generator "ssh:$REMOTE_ARGS/$to"
	[ -z "$LOCAL_V4$LOCAL_V6" ] || set -- "$@" --generator "dst=${LOCAL_V4:-$LOCAL_V6}"
	;;
netns)
	to=$(remote_device ip -n "$REMOTE_ARGS")
	set -- "$NETIF" --generator "local:$to@$REMOTE_ARGS"
	;;
none) skip_all "NETIF is set, and REMOTE_TYPE is not: nobody sends" ;;
*) skip_all "REMOTE_TYPE $REMOTE_TYPE is neither ssh nor netns" ;;
esac
[ -n "$to" ] || skip_all "no device has ${REMOTE_V4:-$REMOTE_V6} at the other end${REMOTE_ARGS:+, $REMOTE_ARGS}: $(tail -n 1 "$tmp/why")"
# shellcheck disable=SC2086 # several words
step record "$X" record "$@" -q --force -o "$out/$test_name" -V "${XDPZOOM_VARIANTS:-drop/no-touch@native,drop/no-touch@skb}" \
	--max-time "${XDPZOOM_SECONDS:-30}" $XDPZOOM_ARGS
if [ ! -s "$tmp/results" ]; then
	step report "$X" report "$out/$test_name" -f ktap
	"$X" report "$out/$test_name" -f json -o "$out/$test_name.json"
	echo "# numbers: $out/$test_name.json" >>"$tmp/results"
	if [ -n "$XDPZOOM_HISTORY" ]; then
		if ! run=$("$X" history add --db "$XDPZOOM_HISTORY" "$out/$test_name" 2>"$tmp/why"); then
			sed 's/^/# /' "$tmp/why" >>"$tmp/results"
			result "not ok" history
		else
			step history "$X" history check --db "$XDPZOOM_HISTORY" "$run" --against "${XDPZOOM_AGAINST:-prev}" -f ktap \
				--threshold "${XDPZOOM_THRESHOLD:-0}"
		fi
	fi
fi
done_all
