#!/bin/sh
# A device of the same name in another network namespace, with a NAPI thread of its own: it is not the receiver.
. "$(dirname "$0")/lib.sh"
need_root
printf '6.8\n%s\n' "$(uname -r)" | sort -CV || skip_all "before Linux 6.8 the kernel does not say whose a NAPI thread is"
twin=xzt-$$
ip netns add $twin && ip -n $twin link add xzrx type veth peer name other || lacks "no veth here"
namespaces=$twin
ip netns exec $twin ethtool -K xzrx gro on
ip -n $twin link set xzrx up && ip -n $twin link set other up
ip netns exec $twin sh -c 'echo 1 >/sys/class/net/xzrx/threaded'
# by the namespace, as other labs have threads of that name, too
thread=$("$X" map -f json | jq --arg dev "$twin/xzrx" '.devices[] | select(.device == $dev).napis[0].thread // empty')
[ "$thread" ] || skip_all "no NAPI threads here"
ok "it records" "$X" record lab -q -o "$tmp/run" -V drop/no-touch@native --view blocks -b 2 --window 0.1 --schedule windows=2
is "one receiver, and another one" "$(jq -c --argjson thread "$thread" '.napi_tids | length, index($thread)' "$tmp/run/run.json" | paste -sd' ')" "1 null"
lab=1
others=$(pgrep '^napi/xzrx-')
"$X" lab up >/dev/null
is "lab status names the lab's own" "$(echo "$others" | grep -cx "$("$X" lab status | awk '/kthread/ { print $3 }')")" 0
