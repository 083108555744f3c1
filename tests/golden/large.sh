#!/bin/sh
# A run of many blocks opens in bounded memory: what is kept of a block is little more than run.json has of it.
# tests/bench/large.sh has figures of larger runs.
. "$(dirname "$0")/lib.sh"
need "$X"
few=build/runs/recorded blocks=1000 most_kb=${MOST_KB-61440} # half of what it would take with 64 KB more for each block

mkdir -p "$tmp/run/blocks"
awk '/^[^ \t#]/ && ++n == 9 { exit } { print }' "$few/blocks/000.script" >"$tmp/script"
seq -f "$tmp/run/blocks/%g.script" 0 $((blocks - 1)) | xargs -n 500 sh -c 'tee "$@" <"$0" >/dev/null' "$tmp/script"
jq --argjson n $blocks '.blocks[0] as $b | .blocks = [range($n) as $i | $b | .index = $i | .round = $i | .variant = 0 |
	.script = "blocks/\($i).script"]' "$few/run.json" >"$tmp/run/run.json"

# shellcheck disable=SC3045 # dash has ulimit -v
bounded() { (ulimit -v "$most_kb" && exec "$X" "$@"); }
all_used() { bounded report --full "$tmp/run" -o "$tmp/report" && grep -q "blocks used *$blocks of $blocks" "$tmp/report"; }
ok "report" all_used
ok "report as a page" bounded report "$tmp/run" --format html -o "$tmp/page"
ok "history add" bounded history add --db "$tmp/db" "$tmp/run"
ok "the limit is one: another tenth of it is too little" sh -c "! (ulimit -v $((most_kb / 10)); exec $X report --full $tmp/run -o $tmp/report)"
