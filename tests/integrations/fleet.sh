#!/bin/sh
# The playbook that records, by Ansible over ssh, on two pairs of machines, which are network namespaces: a DUT is lost in the
# middle. The other one's run comes home whole, and a second call records what is missing and nothing else. It takes a minute and
# a half, and ansible-core, so it is run by hand: FLEET=1 tests/run tests/rig/fleet.sh
. "$(dirname "$0")/../rig/lib.sh"
. "$(dirname "$0")/fleet_lib.sh"
[ -n "${FLEET-}" ] || skip_all "by hand: FLEET=1"
need_root
command -v ansible-playbook >/dev/null || skip_all "no ansible-playbook here"
fleet_up xzd1$$ xzd2$$ xzg1$$ xzg2$$
for i in 1 2; do
	ip -n xzd$i$$ link add wire type veth peer name wire netns xzg$i$$ && ip netns exec xzd$i$$ ethtool -K wire gro on &&
		ip netns exec xzg$i$$ ethtool -K wire gro on && ip -n xzd$i$$ link set wire up && ip -n xzg$i$$ link set wire up || exit 1
done
cat >"$tmp/inventory.yml" <<END
all:
  vars: {xdpzoom_results: $tmp/results, xdpzoom_dir: "$tmp/there-{{ inventory_hostname }}", xdpzoom_nic: wire, xdpzoom_generator_nic: wire, xdpzoom_generator_tool: gen,
    ansible_python_interpreter: $(command -v python3), xdpzoom_args: [-V, drop/no-touch@native, -b, "3", --windows, "2", -w, "0.2"]}
  children: {duts: {hosts: {dut1: {ansible_host: 192.0.2.11, xdpzoom_generator: 192.0.2.13}, dut2: {ansible_host: 192.0.2.12, xdpzoom_generator: 192.0.2.14}}}}
END
play() { in_control ansible-playbook -f 1 -i "$tmp/inventory.yml" integrations/ansible/record.yml >"$tmp/play" 2>&1; }
recap() { sed -n "s/^dut$1 .*\(ok=.*\)/\1/p" "$tmp/play" | tr -s ' '; }
# The run of the second one is lost with its machine.
lose_second() { await test -e "$tmp/there-dut2" && await sh -c "ip netns pids xzd2$$ | xargs ps -o args= -p | grep -q '^xdpzoom record'" && lose xzd2$$; }

lose_second &
started $!
play
is "a DUT is lost in the middle: Ansible ends with a failure" "$(test $? -ne 0; echo $?)" 0
is "the other one's run is here, whole" "$(jq -r .ended "$tmp/results/dut1/run/run.json") $(ls "$tmp/results" | grep -c dut2)" "complete 0"
when=$(jq -r .started "$tmp/results/dut1/run/run.json")
serve xzd2$$
play
is "again: fine" $? 0
is "both runs are here, and the first one is the same" "$(jq -r .ended "$tmp/results/dut2/run/run.json") $(jq -r .started "$tmp/results/dut1/run/run.json")" "complete $when"
is "both are in the history" "$("$X" history list --db "$tmp/results/history.db" -f json | jq -r '[.variants[].name] | sort | join(" ")')" "dut1-run dut2-run"
play
is "a third time changes nothing" "$? $(recap 1 | grep -o 'changed=[0-9]*') $(recap 2 | grep -o 'changed=[0-9]*')" "0 changed=0 changed=0"
