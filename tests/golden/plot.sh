#!/bin/sh
# xdpzoom report -f gnuplot and -f svg: the script with its data to the byte, what gnuplot makes of it, and what happens without it.
. "$(dirname "$0")/lib.sh"
need "$X"

fails() { # STATUS PATTERN COMMAND...
	want=$1 pattern=$2
	shift 2
	"$@" >"$tmp/said" 2>&1
	got=$?
	cat "$tmp/said"
	[ "$got" -eq "$want" ] && [ "$(wc -l <"$tmp/said")" -eq 1 ] && grep -q -- "$pattern" "$tmp/said"
}
"$render" make "$tmp/sound" sound || exit 1
F="-F tests/synthetic.conf"

# A folder with nothing but what the shell of this test needs: no gnuplot.
mkdir "$tmp/none"
ok "without gnuplot: a sentence" fails 77 "gnuplot is not installed; -f gnuplot writes" env PATH="$tmp/none" "$X" report -f svg "$tmp/sound" $F -o "$tmp/sound.svg"
golden tests/golden/plot/sound.gp "$X" report -f gnuplot "$tmp/sound" $F
golden tests/golden/plot/waterfall.gp "$X" report -f gnuplot "$tmp/sound" $F --plot waterfall
# A figure for a paper: its width, no title, and the charts' bars in patterns.
golden tests/golden/plot/paper.gp "$X" report -f gnuplot "$tmp/sound" $F --size 85mm --font 'DejaVu Sans'
ok "... without a title" fails 1 "^0$" grep -c "set title '" tests/golden/plot/paper.gp
ok "a width without its unit" fails 2 "size 85: a width from 30mm to 500mm" "$X" report "$tmp/sound" -f svg --size 85 -o "$tmp/no.svg"
ok "a size of a page" fails 2 "size and --font are for charts" "$X" report "$tmp/sound" -f html --size 85mm -o "$tmp/no.html"
ok "a font that gnuplot would take for more" fails 2 "letters, digits and blanks" "$X" report "$tmp/sound" -f svg --font "x';y" -o "$tmp/no.svg"

signs() { # each step between the two bases has the colour of its sign; one costs less than 1 ns more
	"$X" report -f gnuplot build/runs/run1 --plot waterfall | sed -n '/^step/,/^EOD/p' >"$tmp/signs"
	awk -F '\t' 'NF < 5 || NR < 2 || $5 == "0x56616d" { next } { d = $3 - $2; small += d > 0 && d < 1 }
		$5 != (d < 0 ? "0x2f73b7" : "0xc8602a") { bad++ } END { exit bad || !small }' "$tmp/signs"
}
ok "a small step that costs more has the colour of one that does" signs

# A sweep: rates of two sizes; busy CPUs over the offered load. There is no rate in the other one.
mkdir "$tmp/swept" "$tmp/sizes"
"$render" make "$tmp/poor" poor || exit 1
for rate in 100000 400000; do
	ln -s ../poor "$tmp/swept/rate=$rate,size=64"
	ln -s ../sound "$tmp/swept/rate=$rate,size=1500"
done
ln -s ../sound "$tmp/swept/rate=4000000,size=64"
ln -s ../sound "$tmp/sizes/size=64"
golden tests/golden/plot/sweep.gp "$X" report -f gnuplot "$tmp/swept"
ok "a kind of sweeps, of a run" fails 1 "nothing of this to plot in this run, which may have waterfall and components" \
	"$X" report -f svg build/runs/run1 --plot ns -o "$tmp/none.svg"
ok "no rate, no offered load" fails 1 "nothing of this to plot in this sweep" "$X" report -f svg "$tmp/sizes" --plot busy -o "$tmp/none.svg"
ok "points are no pairs" fails 1 "not drawn in pairs" "$X" report -f svg "$tmp/sizes" drop/no-touch -o "$tmp/none.svg"

if command -v gnuplot >/dev/null; then
	draw() { "$X" report -f svg "$@" >"$tmp/drawn.svg" && head -c 100 "$tmp/drawn.svg" | grep -qa '<?xml'; }
	ok "an SVG is one" draw "$tmp/sound" $F
	ok "... of a paper" draw "$tmp/sound" $F --size 85mm
	ok "... of a sweep" draw "$tmp/swept"
	again() { "$X" report -f gnuplot "$tmp/sound" $F | gnuplot - | cmp - "$tmp/sound.svg"; }
	"$X" report -f svg "$tmp/sound" $F -o "$tmp/sound.svg"
	ok "the script draws it again" again
else
	for what in "an SVG" paper sweep again; do skip "$what" "no gnuplot here"; done
fi
ok "a plot that is none" fails 2 "wants waterfall, components, ns, mpps, busy, cores or flame" "$X" report -f svg "$tmp/sound" -o "$tmp/x.svg" --plot pie
ok "a folder that is not there" fails 1 "cannot write" "$X" report -f svg "$tmp/sound" -o "$tmp/nowhere/x.svg"
