#!/bin/sh
# Pages and flame graphs in headless Chromium: what they show, what they do, that they ask nobody.
# Screenshots stay in build/screens/. The browser is not among the dependencies: ./deps.sh --browser installs it.
cd "$(dirname "$0")/../.." || exit 1
X=build/xdpzoom
run=build/runs/recorded
exact=build/runs/counted
render=tests/golden/render
python=/usr/bin/python3 # the one that Debian's selenium belongs to

[ -x "$X" ] && [ -x $render ] || { echo "1..0 # SKIP $X or $render is not built"; exit 0; }
command -v chromedriver >/dev/null && command -v chromium >/dev/null ||
	{ echo "1..0 # SKIP no chromium and chromedriver here; ./deps.sh --browser installs them"; exit 0; }
$python -c 'import selenium' 2>/dev/null || { echo "1..0 # SKIP no selenium for $python"; exit 0; }

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP INT TERM
mkdir -p build/screens

# The same runs with names that nobody should call a function, as a hostile object file could.
cp -r $run "$tmp/hostile"
cp -r $exact "$tmp/hostile-exact"
sed -i -e 's|veth_xdp_rcv_one|<script>document.title="pwned"</script>|' \
	-e "s|page_pool_put_unrefed_netmem|x\"'onmouseover=document.title='pwned'//|" \
	-e 's|napi_gro_receive|]]></style></title><img/src=x/onerror=document.title="pwned">|' "$tmp"/hostile/blocks/*.script \
	"$tmp"/hostile-exact/blocks/*.paths

base=drop/no-touch@native
$X report $run --format html -o "$tmp/report.html" &&
	$X diff $run:$base drop/no-touch@skb --format html -o "$tmp/diff.html" &&
	$X diff $run:$base drop/no-touch@skb --format json -o "$tmp/diff.json" &&
	$X diff build/runs/run1:$base drop/no-touch@skb --format html -o "$tmp/turns.html" &&
	$X diff $run:$base drop/no-touch@skb --format svg -o "$tmp/diff.svg" &&
	$render make "$tmp/sound" sound && # one with changes that chance does not explain
	$X diff "$tmp/sound:$base" drop/no-touch@skb -F tests/synthetic.conf --format html -o "$tmp/sound.html" &&
	$X report "$tmp/sound" -F tests/synthetic.conf --format ladder-html -o "$tmp/ladder.html" &&
	$render make "$tmp/readers" readers && # a thread reads
	$X report "$tmp/readers" -F tests/synthetic.conf --format ladder-html -o "$tmp/readers.html" &&
	mkdir "$tmp/sweep" && ln -s ../sound "$tmp/sweep/size=64,flows=1" && ln -s ../sound "$tmp/sweep/size=1500,flows=1" &&
	ln -s ../sound "$tmp/sweep/size=64,flows=256" && ln -s ../sound "$tmp/sweep/size=1024,flows=1" &&
	$X report "$tmp/sweep" --format html -o "$tmp/sweep.html" &&
	mkdir "$tmp/matrix" && tar -C "$tmp/matrix" -xf tests/golden/matrix/runs.tar.xz && $X exact -q -o "$tmp/matrix" -k 6.12,trixie:6.12.117 -n veth &&
	cp "$tmp/matrix/index.html" "$tmp/matrix.html" &&
	$X report "$tmp/hostile" --format html -o "$tmp/hostile.html" &&
	$X report "$tmp/hostile" --format svg --plot flame -o "$tmp/hostile.svg" &&
	$X report $exact --format html -o "$tmp/exact.html" &&
	$X diff $exact:$base drop/no-touch@skb --format html -o "$tmp/exact-diff.html" &&
	$X report build/runs/run1 --exact $exact --format html -o "$tmp/explain.html" &&
	$X report build/runs/memory --format html -o "$tmp/memory.html" &&
	$X diff build/runs/memory:$base drop/no-touch@skb --format html -o "$tmp/memory-diff.html" &&
	$X report build/runs/exact2 --format html -o "$tmp/two-modes.html" &&
	$X report build/runs/fw3 --format html -o "$tmp/lines.html" &&
	$X report build/runs/run1 --exact build/runs/memory --format html -o "$tmp/explain-memory.html" &&
	$X diff build/runs/run1:$base build/runs/run2 --format html -o "$tmp/two-runs.html" &&
	cp -r $run "$tmp/dump" && jq '.variants[0] += {"id": "watch:xzrx/before@native", "action": "watch", "operation": "before", "device": "xzrx"} |
		.variants[1] += {"id": "watch:xzrx/after@none", "action": "watch", "operation": "after", "mode": "none", "device": "xzrx"}' $run/run.json >"$tmp/dump/run.json" &&
	$X report "$tmp/dump" --format html -o "$tmp/dump.html" &&
	$X import -o "$tmp/table" -V drop/read-data@skb --pps 8165032 tests/fixtures/perf/6.12/report-limit.txt &&
	$X report "$tmp/table" --format html -o "$tmp/imported.html" &&
	{ $X why $run:$base $run:drop/no-touch@skb --format html -o "$tmp/why.html" || [ $? -eq 4 ]; } &&
	$X report build/runs/run1 --exact $exact --format json -o "$tmp/explain.json" &&
	$X report "$tmp/hostile-exact" --format html -o "$tmp/hostile-exact.html" &&
	$X report "$tmp/hostile-exact" --format svg -o "$tmp/hostile-exact.svg" &&
	$X report "$tmp/hostile" --exact "$tmp/hostile-exact" --format html -o "$tmp/hostile-explain.html" || exit 1
if command -v gnuplot >/dev/null; then
	$X report build/runs/run1 --format svg -o "$tmp/plot.svg" || exit 1
	mkdir "$tmp/rates" && for rate in 100000 200000 400000; do ln -s ../sound "$tmp/rates/rate=$rate"; done
	$X report "$tmp/rates" --format svg -o "$tmp/plot-rates.svg" || exit 1
fi
$python tests/browser/pages.py "$tmp" build/screens
