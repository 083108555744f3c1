#!/bin/sh
# What xdpzoom matrix writes of the runs in a folder (tests/golden/matrix/runs.tar.xz, counted on Debian's kernels): text, page, JSON,
# CSV and feed, to the byte; and that they depend on nothing but the folder.
. "$(dirname "$0")/lib.sh"
need "$X"
golden_plan 11
mkdir "$tmp/m" && tar -C "$tmp/m" -xf tests/golden/matrix/runs.tar.xz || exit 1
look() { env -C "$tmp" "$X" matrix -o m --look "$@"; }
plain() { # FILE: without style sheets, scripts, and what is the same in every page
	sed -e '/<style>/,/<\/style>/d' -e '/<script>/,/<\/script>/d' -e '/id="data">/d' -e '/Content-Security-Policy/d' \
		-e '/xdpzoom [0-9.]*[0-9]/s/xdpzoom [0-9.]*[0-9]/xdpzoom VERSION/' "$1"
}
golden tests/golden/matrix/matrix.txt look
golden tests/golden/matrix/index.html plain "$tmp/m/index.html"
golden tests/golden/matrix/matrix.json cat "$tmp/m/matrix.json"
golden tests/golden/matrix/matrix.csv cat "$tmp/m/matrix.csv"
golden tests/golden/matrix/feed.xml cat "$tmp/m/feed.xml"
same() { (cd "$tmp/m" && sha256sum index.html matrix.json matrix.csv feed.xml); }
same >"$tmp/before"
again() { rm "$tmp"/m/index.html "$tmp"/m/feed.xml && look -k "$@" >"$tmp/out" && same | diff "$tmp/before" -; }
ok "the same runs make the same bytes, in whatever order kernels are named" again trixie-backports:7.2,6.1,6.12
ok "the page's data is that of the JSON" sh -c 'sed -n "/id=\"data\">/s/.*id=\"data\">//p" "$1/index.html" | sed "s/<.script>//" | jq -S . >"$1/data" && jq -S . "$1/matrix.json" | diff "$1/data" -' - "$tmp/m"
sums() { # the functions that are listed, and the rest, add up to the change of the totals
	jq -e '[.changes[] | .change - (.new_instructions - .base_instructions) | fabs < 1e-6] | all' "$tmp/m/matrix.json"
}
ok "a change is the difference of its cells" sums
links() { grep -o 'href="index.html#[^"]*"' "$tmp/m/feed.xml" | sed 's/.*#\(.*\)"/id="\1"/' | sort -u >"$tmp/ids" && [ -s "$tmp/ids" ] && while read -r id; do grep -q "$id" "$tmp/m/index.html" || return 1; done <"$tmp/ids"; }
ok "each link of the feed has its place in the page" links
well_formed() { python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"; }
ok "the feed is XML" well_formed "$tmp/m/feed.xml"
# A kernel's name is a stranger's: that of a tree.
mkdir "$tmp/m/<b>&\"" && cp -r "$tmp/m/6.12/veth" "$tmp/m/<b>&\"/" && look >"$tmp/out"
escaped() { ! grep -q '<b>&' "$tmp/m/index.html" "$tmp/m/feed.xml" && well_formed "$tmp/m/feed.xml"; }
ok "a name is no markup" escaped
