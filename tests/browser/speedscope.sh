#!/bin/sh
# The exports for speedscope in speedscope itself, as npm has it, in headless Chromium: it reads the file, and what it
# shows of each symbol is what the report says. The package (1.3 MB) is fetched once, into build/npm.
cd "$(dirname "$0")/../.." || exit 1
X=build/xdpzoom
render=build/tests/golden/render
python=/usr/bin/python3 # the one that Debian's selenium belongs to
version=1.25.0
site=$PWD/build/npm/node_modules/speedscope/dist/release

[ -x "$X" ] && [ -x $render ] || { echo "1..0 # SKIP $X or $render is not built"; exit 0; }
command -v chromedriver >/dev/null && command -v chromium >/dev/null ||
	{ echo "1..0 # SKIP no chromium and chromedriver here; ./deps.sh --browser installs them"; exit 0; }
$python -c 'import selenium' 2>/dev/null || { echo "1..0 # SKIP no selenium for $python"; exit 0; }
if [ ! -e "$site/index.html" ]; then
	command -v npm >/dev/null || { echo "1..0 # SKIP no npm here"; exit 0; }
	timeout 60 npm install --silent --no-audit --no-fund --prefix build/npm "speedscope@$version" >/dev/null 2>&1 ||
		{ echo "1..0 # SKIP npm cannot fetch speedscope"; exit 0; }
fi

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP INT TERM
mkdir -p build/screens
$render make "$tmp/evil" evil && cp -r tests/golden/recorded/run "$tmp/recorded" || exit 1
for run in recorded evil; do
	$X report "$tmp/$run" -f speedscope -o "$tmp/$run.speedscope.json" && $X report "$tmp/$run" -f json -o "$tmp/$run.json" || exit 1
done
$python tests/browser/speedscope.py "$site/index.html" "$tmp" build/screens recorded evil
