#!/bin/sh
# LNST's own controller and two of its agents, in network namespaces: the recipe records, the run comes to the controller, and the
# second run is held against the first. By hand, as Debian has no LNST, and LNST 16 wants the Python of Debian 13. patchelf, and a
# root directory with both:
#   mmdebstrap --variant=minbase --include=git,iproute2,ethtool,linux-perf,python3-ethtool,python3-lxml,python3-psutil \
#     --include=python3-pyroute2,python3-requests,python3-setuptools trixie ROOT
#   git clone https://github.com/LNST-project/lnst ROOT/opt/lnst
#   LNST=ROOT tests/run tests/rig/lnst.sh
. "$(dirname "$0")/../rig/lib.sh"
[ -n "${LNST-}" ] || skip_all "by hand: LNST=ROOT"
need_root
command -v patchelf >/dev/null || skip_all "no patchelf here"
[ -d "$LNST/opt/lnst/lnst/Agent" ] || { echo "$LNST/opt/lnst is no LNST" >&2; exit 1; }

# What is installed there: xdpzoom with its libraries, and the recipe.
mkdir -p "$tmp/mnt/lib" "$tmp/root/.lnst" "$tmp/root/pool" "$tmp/var"
cp "$X" integrations/lnst/xdpzoom_lnst.py "$tmp/mnt"
ldd "$X" | awk '$2 == "=>" && $1 !~ /^(libc|libm|libgcc_s)\.so/ { print $3 }' | xargs cp -t "$tmp/mnt/lib"
patchelf --force-rpath --set-rpath /mnt/lib "$tmp/mnt/xdpzoom" "$tmp"/mnt/lib/* || exit 1
cat >"$tmp/root/.lnst/lnst-ctl.conf" <<END
[environment]
mac_pool_range = 52:54:01:00:00:01 52:54:01:FF:FF:FF
rpcport = 9999
log_dir = /root/logs
allow_virtual = False
[pools]
END
cat >"$tmp/root/cost.py" <<END
from lnst.Controller import Controller
from xdpzoom_lnst import XdpzoomRecipe
recipe = XdpzoomRecipe(history="runs.db", seconds=15, record_args="-b 3 --schedule windows=2 --window 0.2")
Controller(pools=["/root/pool"]).run(recipe)
for run in recipe.runs:
    for result in run.results:
        if type(result).__name__ == "Result":
            print(result.result, result.description)
END
control=xzl0$$
namespaces="$control xzl1$$ xzl2$$"
for n in $namespaces; do
	ip netns add "$n" && ip -n "$n" link set lo up && ip netns exec "$n" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || exit 1
done
ip -n $control link add br0 type bridge && ip -n $control addr add 192.0.2.1/24 dev br0 && ip -n $control link set br0 up || exit 1
in_root() { # NAMESPACE COMMAND...
	on=$1
	shift
	exec ip netns exec "$on" unshare -u sh -c 'tmp=$0 root=$1 on=$2
		shift 2
		hostname "$on"
		for d in proc sys dev; do mount --rbind /$d "$root/$d"; done
		for d in mnt root; do mount --bind "$tmp/$d" "$root/$d"; done
		mount --bind "$tmp/var" "$root/var/tmp" && mount -t tmpfs run "$root/run" && mount -t tmpfs tmp "$root/tmp" && cd "$root" || exit 1
		exec chroot . env PYTHONPATH=/opt/lnst:/mnt HOME=/root LC_ALL=C.UTF-8 PATH=/mnt:/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /root && exec \"\$@\"" sh "$@"' \
		"$tmp" "$LNST" "$on" "$@"
}
ip -n xzl1$$ link add wire0 address 02:00:00:00:07:01 type veth peer name wire0 address 02:00:00:00:07:02 netns xzl2$$ || exit 1
for i in 1 2; do
	ip -n $control link add c$i type veth peer name ctl0 netns xzl$i$$ && ip -n $control link set c$i master br0 up &&
		ip -n xzl$i$$ addr add 192.0.2.1$i/24 dev ctl0 && ip -n xzl$i$$ link set ctl0 up && ip netns exec xzl$i$$ ethtool -K wire0 gro on || exit 1
	cat >"$tmp/root/pool/m$i.xml" <<-END
	<agentmachine>
	<params><param name="hostname" value="192.0.2.1$i"/><param name="rpc_port" value="9999"/></params>
	<interfaces><eth label="A" id="1"><params><param name="hwaddr" value="02:00:00:00:07:0$i"/></params></eth></interfaces>
	</agentmachine>
	END
	(in_root xzl$i$$ python3 -m lnst.Agent) >"$tmp/agent$i" 2>&1 </dev/null &
	started $!
	await grep -q "Waiting for connection" "$tmp/agent$i"
done
recipe() { (in_root $control python3 cost.py) >"$tmp/said" 2>"$tmp/said.err" || tail -n 20 "$tmp/said.err" >&2; }

ok "a recipe runs" recipe
is "the first run of a machine has nothing to be held against" "$(grep -c '^WARNING xdpzoom: .* has no run before run 1 on its machine and device' "$tmp/said")" 1
recipe
is "each variant of the second one is a result" "$(grep -c '^\(PASS\|WARNING\) drop/no-touch@\(native\|skb\): [0-9.]* ns per packet' "$tmp/said")" 2
is "... and is held against the first" "$(grep -c '^[A-Z]* drop/no-touch@\(native\|skb\): \(same\|faster\|SLOWER\|UNKNOWN\)' "$tmp/said")" 2
