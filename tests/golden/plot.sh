#!/bin/sh
# xdpzoom plot: script and data to the byte, what gnuplot makes of them, and what happens without it.
# After a change that is meant: UPDATE=1 tests/golden/plot.sh, and read the difference.
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
render=${O:-build}/tests/golden/render
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
[ -x "$render" ] || { echo "1..0 # SKIP $render is not built"; exit 0; }

n=0
ok() { # WHAT COMMAND...
	n=$((n + 1))
	what=$1
	shift
	if "$@" >"$tmp/out" 2>&1; then echo "ok $n - $what"; else
		echo "not ok $n - $what"
		sed 's/^/# /' "$tmp/out"
	fi
}
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
fails() { # STATUS PATTERN COMMAND...
	want=$1 pattern=$2
	shift 2
	"$@" >"$tmp/said" 2>&1
	got=$?
	cat "$tmp/said"
	[ "$got" -eq "$want" ] && [ "$(wc -l <"$tmp/said")" -eq 1 ] && grep -q -- "$pattern" "$tmp/said"
}
golden() {
	[ -z "$UPDATE" ] || cp "$tmp/$1" "tests/golden/plot/$1"
	diff -u "tests/golden/plot/$1" "$tmp/$1"
}

echo "1..15"
"$render" make "$tmp/sound" sound || exit 1
F="-F tests/synthetic.conf"

# A folder with nothing but what the shell of this test needs: no gnuplot.
mkdir "$tmp/none"
ok "without gnuplot: a sentence" fails 77 "no gnuplot here; .*/sound.gp" \
	env PATH="$tmp/none" "$X" plot "$tmp/sound" $F -o "$tmp/sound.svg"
for f in sound.gp sound.waterfall.tsv sound.facilities.tsv sound.pps.tsv; do
	ok "and $f" golden $f
done

if command -v gnuplot >/dev/null; then
	for end in svg png pdf; do
		ok "$end is drawn" "$X" plot "$tmp/sound" $F -o "$tmp/it's $end.$end"
	done
	draw() { # NAME END MAGIC
		"$X" plot "$tmp/sound" $F -p waterfall,pps -o "$tmp/$1" && head -c 100 "$tmp/$1" | grep -qa "$2"
	}
	ok "an SVG is one" draw "-a b.svg" '<?xml'
	ok "a PNG is one" draw c.png PNG
	ok "a PDF is one" draw d.pdf '%PDF'
	again() { (cd "$tmp" && rm -f c.png && gnuplot c.gp && [ -s c.png ]); }
	ok "the script draws it again" again
else
	for what in svg png pdf "an SVG" "a PNG" "a PDF" again; do skip "$what" "no gnuplot here"; done
fi
ok "an end that is none" fails 2 "ends in .svg, .png or .pdf" "$X" plot "$tmp/sound" -o "$tmp/x.gif"
ok "a plot that is none" fails 2 "plots are waterfall" "$X" plot "$tmp/sound" -o "$tmp/x.svg" -p pie
ok "a folder that is not there" fails 1 "cannot write" "$X" plot "$tmp/sound" -o "$tmp/nowhere/x.svg"
