#!/bin/sh
# A run that holds all that a recording can hold, in every format, to the byte. Numbers of other runs: tests/cases/report/.
. "$(dirname "$0")/lib.sh"
here=tests/golden/crowded
"$render" make "$tmp/crowded" crowded || exit 1
native=tx/swap-macs@native
skb=tx/swap-macs@skb

# lines COMMAND...: JSON with one object of a list in each line
lines() {
	"$@" >"$tmp/json" && awk '{ sub(/^ +/, ""); line = line (line == "" ? "" : " ") $0 } /^[]}]/ { print line; line = "" }
		END { if (line != "") print line }' "$tmp/json"
}
# page COMMAND...: a page without style sheets, scripts and what is the same in every page
page() {
	"$@" >"$tmp/page" && sed -e '/<style>/,/<\/style>/d' -e '/<script>/,/<\/script>/d' -e '/id="data">/d' \
		-e '/Content-Security-Policy/d' -e 's/xdpzoom [0-9.]*[0-9]/xdpzoom VERSION/' "$tmp/page"
}
# decoded COMMAND...: pprof's profile as text
decoded() {
	"$@" >"$tmp/pprof" && gzip -dc "$tmp/pprof" | protoc --decode=pprof.Profile --proto_path=reports/format pprof.proto
}

for format in text markdown csv folded; do
	golden $here/report.$format "$render" report "$tmp/crowded" $format
done
for format in text markdown csv folded; do
	golden $here/diff.$format "$render" diff "$tmp/crowded" $native $skb $format
done
golden $here/report.json lines "$render" report "$tmp/crowded" json
golden $here/diff.json lines "$render" diff "$tmp/crowded" $native $skb json
golden $here/report.html page "$render" report "$tmp/crowded" html
if command -v protoc >/dev/null; then
	golden $here/report.pprof decoded "$render" report "$tmp/crowded" pprof
else
	skip "report.pprof" "no protoc here"
fi
