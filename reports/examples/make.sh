#!/bin/sh
# make.sh - renders a run directory of `xdpzoom demo` into this folder
# usage: make.sh [DIR]      default: the newest runs/*-demo
#        make.sh --cast     as root: runs the demo, and keeps its terminal as a moving picture, demo.svg (termtosvg)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
if [ "${1-}" = --cast ]; then
	cast=$(mktemp) # waits are cut to 0.3 s, the answer stays for 9 s
	trap 'rm -f "$cast"' EXIT
	termtosvg record "$cast" -g 80x24 -c "sh -c 'echo \$ sudo make demo; make demo'"
	termtosvg render "$cast" "$here/demo.svg" -m 100 -M 300 -D 9000 -t gjm8
	exit
fi
run=${1-$(find runs -maxdepth 1 -name "*-demo" 2>/dev/null | sort | tail -n 1)}
[ -f "${run:+$run/run.json}" ] || { echo "make.sh: no run directory; make one with: sudo make demo" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ln -s "$(cd "$run" && pwd)" "$tmp/demo"
ln -s "$PWD/build/xdpzoom" "$tmp/xdpzoom"
cd "$tmp" # pages tell the command that made them

base=demo:drop/no-touch@native new=drop/no-touch@skb
./xdpzoom report --full demo >"$here/report.txt"
./xdpzoom report demo --format json -o "$here/report.json"
./xdpzoom report demo --format html -o report.html
./xdpzoom diff --full $base $new >"$here/diff.txt"
./xdpzoom diff $base $new --format json -o "$here/diff.json"
./xdpzoom diff $base $new --format html -o diff.html
./xdpzoom diff $base $new --format svg -o "$here/diff.svg"
cp report.html diff.html "$here"
if command -v gnuplot >/dev/null; then
	./xdpzoom report -f svg demo --plot waterfall,components -o plot.svg
	cp plot.svg "$here"
fi
if command -v chromium >/dev/null; then # the picture in README.rst
	chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$tmp/profile" \
		--window-size=1000,1060 --screenshot="$here/page.png" "file://$tmp/diff.html" 2>/dev/null
fi
du -ch "$here"/* | tail -n 1
