#!/bin/sh
# A recording that was killed goes on: the same blocks, and those that were missing.
# Each recording is killed by its own perf, at the beginning of a block, so that the moment is the same on every machine.
# usage: resume.sh [all]     all: killed twice, and what is refused when the lab is up
. "$(dirname "$0")/lib.sh"
need_root
"$X" lab down 2>/dev/null

mkdir "$tmp/path"
cat >"$tmp/path/perf" <<END
#!/bin/sh
[ "\$1" = record ] && echo >>$tmp/records && [ "\$(wc -l <$tmp/records)" -eq "\$(cat $tmp/deadly)" ] && kill -KILL \$PPID
exec $(command -v perf) "\$@"
END
chmod +x "$tmp/path/perf"
# killed_at N COMMAND...: dies when perf begins for the Nth time
killed_at() {
	echo "$1" >"$tmp/deadly"
	: >"$tmp/records"
	shift
	PATH=$tmp/path:$PATH "$@" 2>"$tmp/err"
	[ $? -eq 137 ]
}
blocks() { jq '.blocks | length' "$1/run.json"; }
# as_before DIR NEW: all that DIR holds is in NEW, byte for byte
as_before() {
	jq -S .blocks "$1/run.json" >"$tmp/was"
	jq -S ".blocks[:$(blocks "$1")]" "$2/run.json" | cmp - "$tmp/was" || return 1
	for f in $(jq -r '.blocks[].script' "$1/run.json"); do cmp "$1/$f" "$2/$f" || return 1; done
	[ ! -e "$1/turns" ] || head -c "$(wc -c <"$1/turns")" "$2/turns" | cmp - "$1/turns"
}
state() { find "$1" -type f -exec sha256sum {} + | cut -c1-64 | sort; }

two=drop/no-touch@native,drop/read-data@native
short="-q --window 0.05 --schedule windows=2,warmup=0,seed=2"
ok "killed in the middle of the second round" killed_at 4 "$X" record lab -o "$tmp/run" -V $two --view blocks -b 2 $short
first=$tmp/first part=$(echo "$tmp"/run.tmp-*)
cp -a "$part" "$first"
is "all whole blocks are there" "$("$X" report "$first" --format json | jq '[.variants[].blocks | length] | add')" 3
if [ $# -gt 0 ]; then
	"$X" lab down
	ok "killed again" killed_at 1 "$X" record --resume "$tmp/run" -q
	is "the first part is left as it was, beside the second" "$(state "$part") $(ls -d "$tmp"/run.tmp-* | wc -l)" "$(state "$first") 2"
	"$X" lab down
fi
ok "it goes on with the newest part" "$X" record --resume "$tmp/run" -q
is "complete" "$(jq -r .ended "$tmp/run/run.json")" complete
ok "what was measured first is the same to the byte" as_before "$first" "$tmp/run"
is "all rounds are there, in the order that the seed gives a run without a pause" \
	"$(jq -c '[.blocks[] | select(.round < 2) | [.round, .variant]]' "$tmp/run/run.json")" "[[0,1],[0,0],[1,0],[1,1]]"
is "blocks of a round have the same sampling rate, in both parts" \
	"$(jq '[.blocks | group_by(.round)[] | map(.sample_hz) | unique | length == 1] | all' "$tmp/run/run.json")" true
is "samples of each part's receiver count" "$(jq '.napi_tids | length' "$tmp/run/run.json") $("$X" report "$tmp/run" --format json |
	jq '[.variants[].samples > 0] | all')" "$((2 + ($# > 0))) true"
is "the command is that of the first part" "$(jq -c '.command, .started' "$tmp/run/run.json")" "$(jq -c '.command, .started' "$first/run.json")"
is "the part that is in the run is gone" "$(ls -d "$tmp"/run.tmp-* 2>/dev/null | wc -l)" "$(($# > 0))"
rm -rf "$tmp"/run.tmp-*

fails "a run that is finished" 1 'is finished: it ended as "complete"' "$X" record --resume "$tmp/run"
cp -a "$first" "$part"
# edited FILTER: what the run says after jq's FILTER
edited() { jq "$1" "$first/run.json" >"$part/run.json"; }
edited '.environment.boot_id = "another"'
fails "after a boot" 1 "before this one was booted" "$X" record --resume "$part"
edited '.version = "0"'
fails "by another version" 1 "recorded by version 0" "$X" record --resume "$part"
edited '.command += ["--sweep", "size=64"]'
fails "a point of a sweep" 1 "point of a sweep" "$X" record --resume "$part"
edited '.command[1] = "demo"'
fails "no recording of record" 1 "was not made by xdpzoom record" "$X" record --resume "$part"
edited .
chown 65534 "$part/run.json"
fails "words that somebody else could have written" 1 "could have been written by somebody else" "$X" record --resume "$part"
chown 0 "$part/run.json" && chmod g+w "$part"
fails "or may write" 1 "writable for nobody else" "$X" record --resume "$part"
chmod g-w "$part"
fails "a recorder that still runs" 1 "still running" flock "$part" "$X" record --resume "$part"
fails "no such directory" 1 "nowhere cannot be opened" "$X" record --resume "$tmp/nowhere"
fails "an option beside it" 2 "so -w cannot be given" "$X" record --resume "$part" --window 1
fails "the name is taken by another run" 1 "exists" "$X" record --resume "$part"
if [ $# -gt 0 ]; then
	rm -rf "$tmp/run"
	edited '.seed = "1"'
	fails "blocks in another order than the seed's" 1 "not in the order of the run's seed" "$X" record --resume "$part" -q
	edited '.blocks[0].prog_tag = "0123456789abcdef"'
	fails "a program that is another one by now" 1 "the program is another one" "$X" record --resume "$part" -q
	edited '.load.cpu += 1'
	fails "another load" 1 "its cpu differs" "$X" record --resume "$part" -q
	edited .
	echo >>"$part/blocks/000.script"
	fails "samples that were changed" 1 "when it was recorded" "$X" record --resume "$part" -q
	cp "$first/blocks/000.script" "$part/blocks/"
	cp "$first/run.json" "$part/"
	is "what was refused is as it was" "$(state "$part") $(ls -d "$tmp"/run.tmp-* | wc -l)" "$(state "$first") 1"
fi

ok "in turns, killed in the second round" killed_at 2 "$X" record lab -o "$tmp/turns" -V $two --view work -b 2 $short
former=$(echo "$tmp"/turns.tmp-*)
cp -a "$former" "$tmp/former"
"$X" record --resume "$former" -q
is "in turns: complete, and all turns are there" "$? $(jq -c '[.ended, ([.blocks[] | select(.round < 2)] | length)]' "$tmp/turns/run.json") $(
	awk 'NR > 1 && $1 < 2 { print $1 }' "$tmp/turns/turns" | uniq | tr -d '\n')" '0 ["complete",4] 01'
ok "in turns: what was measured first is the same to the byte" as_before "$tmp/former" "$tmp/turns"
