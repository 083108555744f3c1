#!/bin/sh
# xdpzoom report -f svg: script and data to the byte, what gnuplot makes of them, and what happens without it.
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
ok "without gnuplot: a sentence" fails 77 "gnuplot is not installed; .*/sound.gp" \
	env PATH="$tmp/none" "$X" report -f svg "$tmp/sound" $F -o "$tmp/sound.svg"
for f in sound.gp sound.waterfall.tsv sound.components.tsv sound.pps.tsv; do
	golden tests/golden/plot/$f cat "$tmp/$f"
done

ok "two plots of three, without gnuplot" fails 77 "gnuplot is not installed" \
	env PATH="$tmp/none" "$X" report -f svg "$tmp/sound" $F --plot waterfall,pps -o "$tmp/two.svg"
golden tests/golden/plot/two.gp cat "$tmp/two.gp"

# A figure for a paper: its width, no title, and the charts' bars in patterns.
ok "for a paper, without gnuplot" fails 77 "gnuplot is not installed" \
	env PATH="$tmp/none" "$X" report -f svg "$tmp/sound" $F --size 85mm --font 'DejaVu Sans' -o "$tmp/paper.svg"
golden tests/golden/plot/paper.gp cat "$tmp/paper.gp"
ok "... without a title" fails 1 "^0$" grep -c "set title '" "$tmp/paper.gp"
ok "a width without its unit" fails 2 "size 85: a width from 30mm to 500mm" "$X" report "$tmp/sound" -f svg --size 85 -o "$tmp/no.svg"
ok "a size of pixels" fails 2 "size is for .svg and .pdf" "$X" report "$tmp/sound" -f png --size 85mm -o "$tmp/no.png"
ok "a font that gnuplot would take for more" fails 2 "letters, digits and blanks" "$X" report "$tmp/sound" -f svg --font "x';y" -o "$tmp/no.svg"

signs() { # each step between the two bases has the colour of its sign; one costs less than 1 ns more
	env PATH="$tmp/none" "$X" report -f svg build/runs/run1 --plot waterfall -o "$tmp/signs.svg" 2>"$tmp/said"
	awk -F '\t' 'NR < 2 || $5 == "0x56616d" { next } { d = $3 - $2; small += d > 0 && d < 1 }
		$5 != (d < 0 ? "0x2f73b7" : "0xc8602a") { bad++ } END { exit bad || !small }' "$tmp/signs.waterfall.tsv"
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
ok "a sweep, without gnuplot" fails 77 "gnuplot is not installed; .*/sweep.gp" env PATH="$tmp/none" "$X" report -f svg "$tmp/swept" -o "$tmp/sweep.svg"
for f in sweep.gp sweep.ns.tsv sweep.mpps.tsv sweep.components.tsv sweep.busy.tsv sweep.cores.tsv; do
	golden tests/golden/plot/$f cat "$tmp/$f"
done
ok "a kind of sweeps, of a run" fails 1 "nothing of this to plot in this run, which may have waterfall, components, pps and polls" \
	"$X" report -f svg build/runs/run1 --plot ns -o "$tmp/none.svg"
ok "no rate, no offered load" fails 1 "nothing of this to plot in this sweep" "$X" report -f svg "$tmp/sizes" --plot busy -o "$tmp/none.svg"
ok "points are no pairs" fails 1 "not drawn in pairs" "$X" report -f svg "$tmp/sizes" drop/no-touch -o "$tmp/none.svg"

if command -v gnuplot >/dev/null; then
	for end in svg png pdf; do
		ok "$end is drawn" "$X" report -f svg "$tmp/sound" $F -o "$tmp/it's $end.$end"
	done
	draw() { # NAME END MAGIC
		"$X" report -f svg "$tmp/sound" $F --plot waterfall,pps -o "$tmp/$1" && head -c 100 "$tmp/$1" | grep -qa "$2"
	}
	ok "an SVG is one" draw "-a b.svg" '<?xml'
	ok "a PNG is one" draw c.png PNG
	ok "a PDF is one" draw d.pdf '%PDF'
	again() { (cd "$tmp" && rm -f c.png && gnuplot c.gp && [ -s c.png ]); }
	ok "the script draws it again" again
else
	for what in svg png pdf "an SVG" "a PNG" "a PDF" again; do skip "$what" "no gnuplot here"; done
fi
ok "an end that is none" fails 2 "ends in .svg, .png or .pdf" "$X" report -f svg "$tmp/sound" -o "$tmp/x.gif"
ok "a plot that is none" fails 2 "wants waterfall, components, pps, polls, ns, mpps, busy, cores or flame" "$X" report -f svg "$tmp/sound" -o "$tmp/x.svg" --plot pie
ok "a folder that is not there" fails 1 "cannot write" "$X" report -f svg "$tmp/sound" -o "$tmp/nowhere/x.svg"
