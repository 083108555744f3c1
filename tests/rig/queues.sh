#!/bin/sh
# Two receivers, one per CPU: both are found, and each one's packets are counted by themselves. A veth pair with two queues;
# frames that leave from CPU n enter queue n, whose kthread runs on the other CPU.
. "$(dirname "$0")/lib.sh"
need_root
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
. "$(dirname "$0")/queues_lib.sh"
queues_up

ok "record both" "$X" record $queues_rx -N "$queues_ns" -q -o "$tmp/both" -V drop/no-touch@native,drop/no-touch@skb -b 1 --window 0.5 --schedule windows=2 --overhead 3
is "found by their packets" "$(jq -c '.rx_cpus' "$tmp/both/run.json")" "[0,1]"
is "both kthreads are known" "$(jq '.napi_tids | length' "$tmp/both/run.json")" 2
"$X" report "$tmp/both" --format json >"$tmp/report"
# A CPU that hardly got a turn on a busy machine, less than 1 in 100 packets, is no receiver.
is "the packets of all receivers are the whole's" \
	"$(jq -c '[.variants[] | ([.cpus[].packets] | add) as $n | $n <= .packets and $n > .packets * 0.99] | unique' "$tmp/report")" "[true]"
is "what they waited is known" "$(jq -c '[.variants[] | .waits_ns >= 0] | unique' "$tmp/report")" "[true]"
"$X" report --full "$tmp/both" >"$tmp/text"
is "the text has a row per CPU where there are several" "$(grep -cE '^ +[01] +[0-9,]+ +[0-9.]+ +[0-9.]+$' "$tmp/text")" \
	"$(jq '[.variants[].cpus | select(length > 1) | length] | add // 0' "$tmp/report")"
