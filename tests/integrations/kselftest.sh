#!/bin/sh
# xdpzoom's programs for the kernel's selftests, over two network namespaces: one list of results whose plan, totals and exit
# status agree, whatever this machine is like at the moment; numbers beside it; and a reason for all that is skipped.
# KSELFTEST=DIR: through the runner of these selftests of the kernel, too, and by their parser.
. "$(dirname "$0")/../rig/lib.sh"
. "$(dirname "$0")/kselftest_lib.sh"
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
ksft=$PWD/integrations/kselftest
export XDPZOOM="$X" XDPZOOM_OUT="$tmp/out"
here=xzks-a$$ there=xzks-b$$ namespaces="xzks-a$$ xzks-b$$"
ip netns add "$here" && ip netns add "$there" && ip -n "$here" link add ks0 type veth peer name ks1 netns "$there" || exit 1
ip -n "$here" addr add 192.0.2.1/24 dev ks0 && ip -n "$there" addr add 192.0.2.2/24 dev ks1 || exit 1
ip -n "$here" link set ks0 up && ip -n "$there" link set ks1 up && ip netns exec "$here" ethtool -K ks0 gro on || exit 1

run() { # PROGRAM: in the namespace, with NETIF and its like from net.config
	ip netns exec "$here" "$tmp/hw/$1" >"$tmp/list" 2>"$tmp/err"
	status=$?
}

mkdir -p "$tmp/selftests/drivers/net/hw" && : >"$tmp/selftests/run_kselftest.sh" && : >"$tmp/selftests/kselftest-list.txt"
ok "is installed where selftests are" "$ksft/install.sh" "$tmp/selftests"
ok "twice is once" sh -c "'$ksft/install.sh' '$tmp/selftests' && test \$(sort '$tmp/selftests/kselftest-list.txt' | uniq -c | grep -c '^ *1 drivers/net/hw:xdpzoom_') = 3"
is "and nowhere else" "$("$ksft/install.sh" "$tmp" 2>&1 | grep -c 'no run_kselftest.sh is there')" 1
mv "$tmp/selftests/drivers/net/hw" "$tmp/hw"

cat >"$tmp/hw/net.config" <<-EOF
	# what the kernel's README calls variables
	NETIF="ks0"
	LOCAL_V4="192.0.2.1"
	REMOTE_V4 = 192.0.2.2   # the other end
	REMOTE_TYPE=netns
	REMOTE_ARGS="$there"
	XDPZOOM_SECONDS=20
	XDPZOOM_ARGS="-b 2 --schedule windows=2 --window 0.1"
	XDPZOOM_HISTORY=$tmp/history.db
EOF
run xdpzoom_cost.sh
ok "a list of results" is_a_list "$status" <"$tmp/list"
is "a check of each variant" "$(grep -c '^ok .* drop/no-touch@\(native\|skb\) conservation$' "$tmp/list")" 2
is "numbers beside it" "$(jq '.variants | map(.base_ns > 0) | all' "$tmp/out/xdpzoom_cost.json")" true
is "the first run has nothing to be held against" "$(grep -c '^ok .* history # SKIP .* has no run before ' "$tmp/list")" 1
if [ -n "$KSELFTEST" ]; then
	cp "$ksft"/xdpzoom_*.sh "$tmp/hw/net.config" "$KSELFTEST/drivers/net/hw/"
	"$ksft/install.sh" "$KSELFTEST"
	ip netns exec "$here" "$KSELFTEST/run_kselftest.sh" -t drivers/net/hw:xdpzoom_cost.sh 2>&1 | cat >"$tmp/runner"
	rm "$KSELFTEST/drivers/net/hw/net.config"
	status=$(by_runner "$tmp/runner" "$tmp/list")
else
	run xdpzoom_cost.sh
fi
ok "... again" is_a_list "${status:-0}" <"$tmp/list"
is "the second one is held against it" "$(grep -c '^\(not \)\?ok .* not-slower' "$tmp/list")" 2

sed -i '/^REMOTE_ARGS/d; /^REMOTE_V4/s/2$/9/; s/^REMOTE_V4.*/REMOTE_V4=192.0.2.9/; $a REMOTE_ARGS='"$there" "$tmp/hw/net.config"
run xdpzoom_cost.sh
is "nobody at the other end: skipped" "$status $(sed -n 2p "$tmp/list" | grep -c "SKIP no device has 192.0.2.9 at the other end, $there")" "4 1"
sed -i '/^REMOTE_TYPE/d' "$tmp/hw/net.config"
run xdpzoom_cost.sh
is "nobody sends: skipped" "$status $(sed -n 2p "$tmp/list")" "4 1..0 # SKIP NETIF is set, and REMOTE_TYPE is not: nobody sends"
run xdpzoom_exact.sh
is "no tree: skipped" "$status $(sed -n 2p "$tmp/list")" "4 1..0 # SKIP XDPZOOM_TREE, the tree of the kernel, is not set"
XDPZOOM=$tmp/nothing run xdpzoom_selftest.sh
is "no xdpzoom: skipped" "$status $(sed -n 2p "$tmp/list")" "4 1..0 # SKIP $tmp/nothing is not installed"
printf 'NETIF=ks9\nREMOTE_TYPE=netns\nREMOTE_ARGS=%s\nREMOTE_V4=192.0.2.2\n' "$there" >"$tmp/hw/net.config"
run xdpzoom_cost.sh
is "no such device: failed" "$status $(grep -c '^not ok 1 record' "$tmp/list")" "1 1"
ok "... and still a list" is_a_list "$status" <"$tmp/list"
XDPZOOM_MAY_FAIL="mode record" run xdpzoom_cost.sh
is "what may fail is skipped" "$status $(grep '^ok 1' "$tmp/list")" "4 ok 1 record # SKIP it failed, and XDPZOOM_MAY_FAIL names it"
