#!/bin/sh
# make.sh - renders a run directory of `xdpzoom demo` into this folder
# usage: make.sh [DIR]      default: the newest runs/*-demo
#        make.sh --cast     as root: runs the demo, and keeps its terminal as a moving picture (termtosvg)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
if [ "${1-}" = --cast ]; then
	termtosvg "$here/demo.svg" -g 80x38 -m 100 -M 250 -D 8000 -t gjm8 -c "sh -c 'echo \$ sudo xdpzoom demo; build/xdpzoom demo'"
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
