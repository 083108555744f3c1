# made by xdpzoom report; to draw it again: gnuplot ./sweep.gp
set terminal svg noenhanced dynamic background 'white' size 1000,1796 font 'sans-serif,13'
set output './sweep.svg'
set encoding utf8
set datafile separator tab
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))
set multiplot

set origin 0,0.74388
set size 1,0.25612
colours = "#4b3f9e #88ccee #9aa5b1 #3b4652 #cc6677 #aa4499 #f4b6bd #ddcc77 #44aa99 #1f7f43 #882255 "
set key invert
set title 'What a packet is made of, over rate, size'
set ylabel 'ns/packet'
set yrange [0:*]
set style data histograms
set style histogram rowstacked title offset 0,-0.7
set style fill solid 1 border rgb '#ffffff'
set boxwidth 0.72
set xtics rotate by -90 font ',9'
set bmargin 8
unset grid
set grid ytics lc rgb '#e2e5e9' lt 1
plot newhistogram 'drop/no-touch@native', for [i=2:12] './sweep.components.tsv' index 0 using i:xtic(1) title columnheader(i) lc rgb word(colours, i - 1), \
     newhistogram 'drop/no-touch@skb', for [i=2:12] './sweep.components.tsv' index 1 using i:xtic(1) notitle lc rgb word(colours, i - 1), \
     newhistogram 'tx/swap-macs@native', for [i=2:12] './sweep.components.tsv' index 2 using i:xtic(1) notitle lc rgb word(colours, i - 1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

set origin 0,0.55791
set size 1,0.18597
set key outside below left horizontal Left reverse maxcols 2
set title 'What a packet costs'
set ylabel 'ns/packet'
set yrange [0:*]
set xlabel 'rate'
set logscale x 2
set format x '%g'
set offsets graph 0.03, graph 0.05, graph 0.08
set rmargin 6
plot for [i=0:5] './sweep.ns.tsv' index i using 1:2:3 with yerrorlines pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

set origin 0,0.37194
set size 1,0.18597
set key outside below left horizontal Left reverse maxcols 2
set title 'Packets per second'
set ylabel 'Mpps'
set yrange [0:*]
set xlabel 'rate'
set logscale x 2
set format x '%g'
set offsets graph 0.03, graph 0.05, graph 0.08
set rmargin 6
plot for [i=0:5] './sweep.mpps.tsv' index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

set origin 0,0.18597
set size 1,0.18597
set key outside below left horizontal Left reverse maxcols 2
set title 'How busy the receiving CPUs are'
set ylabel 'busy CPUs'
set yrange [0:*]
set xlabel 'rate'
set logscale x 2
set format x '%g'
set offsets graph 0.03, graph 0.05, graph 0.08
set rmargin 6
plot for [i=0:5] './sweep.busy.tsv' index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

set origin 0,0.00000
set size 1,0.18597
set key outside below left horizontal Left reverse maxcols 2
set title 'Busy CPUs against packets per second'
set ylabel 'busy CPUs'
set yrange [0:*]
set xlabel 'Mpps'
set offsets graph 0.03, graph 0.05, graph 0.08
set rmargin 6
plot for [i=0:5] './sweep.cores.tsv' index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))
unset multiplot
