#!/bin/sh
# A run directory recorded on the rig -> exact text and JSON.
. "$(dirname "$0")/lib.sh"
need "$X"
here=tests/golden/recorded

golden $here/report.txt "$X" report --full build/runs/recorded
golden $here/report.json "$X" report build/runs/recorded --format json
golden $here/report-one.txt "$X" report --full "build/runs/recorded:tx/swap-macs@native"
golden $here/diff.txt "$X" diff --full "build/runs/recorded:drop/no-touch@native" drop/no-touch@skb
golden $here/diff-self.txt "$X" diff --full "build/runs/recorded:drop/no-touch@native" "build/runs/recorded"

# Source lines below the innermost frames of a program: they sum to their function, with its intervals where it has one line.
lined() { # RUN HOW-MANY: the first samples of look_up() have the line 84, each other sample of parse() one of two lines
	cp -r build/runs/fw1 "$tmp/$1"
	jq 'del(.blocks[].script_bytes, .blocks[].script_digest)' build/runs/fw1/run.json >"$tmp/$1/run.json"
	awk -v most="$2" '{ to = FILENAME ".new"; print >to } /^[^\t]/ { head = 1; next }
		head && /^\t.*_look_up / && n++ < most { print "  source: 84 a b/f.c\tport;" >to }
		head && /^\t.*_parse / && most > 1 { print "  source: 6" m++ % 2 " a b/f.c\tx" >to } /^\t|^$/ { head = 0 }' "$tmp/$1"/blocks/*.script
	for script in "$tmp/$1"/blocks/*.script; do mv "$script.new" "$script"; done
	"$X" report "$tmp/$1:prog:fw.o@native" --format json >"$tmp/$1.json"
}
lined many 1000000
is_true() { jq -e ".variants[0] | $1" "$tmp/many.json"; }
ok "a function of one line has the line's cost and interval" is_true '(.source_lines[] | select(.line == 84)) as $l |
	(.symbols[] | select(.name | endswith("_look_up"))) as $s | $l.samples == $s.samples and $l.samples > 5 and $l.self_ns == $s.self_ns and
	$l.ci95_ns == $s.ci95_ns and $l.name == $s.name and $l.file == "a b/f.c" and $l.text == "port;"'
ok "several lines sum to their function" is_true '[.source_lines[] | select(.line != 84).self_ns] as $two |
	(.symbols[] | select(.name | endswith("_parse")).self_ns) as $all | ($two | length) == 2 and (($two | add) - $all | fabs) < 1e-7'
samples_of() { jq ".variants[0] | [$1.samples] | add" "$tmp/many.json"; }
words() {
	"$X" report --full "$tmp/many:prog:fw.o@native" | tr -s ' ' |
		grep "$(samples_of '.source_lines[]') samples in 3 lines, of $(samples_of '.symbols[] | select(.name | test("_(look_up|parse)$"))') in their functions"
}
ok "... and the report has their samples beside those of their functions" words
lined few 1
says() { "$X" report --full "$tmp/$1:prog:fw.o@native" | grep -E "$2"; }
ok "one sample tells no line, and the report says so" says few 'source lines +too few samples to distinguish them: 1 in 1 lines'
ok "many are a table" says many '^ +[0-9.]+ +[0-9.]+ ± +[0-9.]+ +f.c:84 +port;$'
