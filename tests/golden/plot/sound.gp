# made by xdpzoom report; to draw it again: gnuplot ./sound.gp
set terminal svg noenhanced dynamic background 'white' size 1000,1336 font 'sans-serif,13'
set output './sound.svg'
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

set origin 0,0.68114
set size 1,0.31886
set lmargin 34
set title 'drop/no-touch@native to drop/no-touch@skb'
set yrange [13.6:-0.6]
set xrange [0:*]
set xlabel 'ns/packet'
set rmargin 4
unset key
unset grid
set grid xtics lc rgb '#e2e5e9' lt 1
set style fill solid 1 noborder
plot './sound.waterfall.tsv' skip 1 using 2:0:2:3:($0 - 0.36):($0 + 0.36):5:ytic(1) with boxxyerror lc rgb variable, \
     '' skip 1 using 3:0:4 with xerrorbars pt -1 lw 1.2 lc rgb '#1a1f25'
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

set origin 0,0.41916
set size 1,0.26198
colours = "#cc6677 #aa4499 #f4b6bd #ddcc77 #4b3f9e #44aa99 #1f7f43 #9aa5b1 #3b4652 #882255 #88ccee "
set key invert
set title 'What a packet is made of'
set ylabel 'ns/packet'
set yrange [0:*]
set style data histograms
set style histogram rowstacked
set style fill solid 1 border rgb '#ffffff'
set boxwidth 0.72
set xtics rotate by -20
set xrange [-0.6:*]
unset grid
set grid ytics lc rgb '#e2e5e9' lt 1
plot for [i=2:12] './sound.components.tsv' using i:xtic(1) title columnheader(i) lc rgb word(colours, i - 1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

set origin 0,0.20958
set size 1,0.20958
set title 'The run as it went, window by window'
set ylabel 'Mpps'
set xlabel 'seconds'
set yrange [0:*]
plot for [i=0:2] './sound.pps.tsv' index i using (($1 + $2) / 2):3 with points pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
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
set size 1,0.20958
set title 'Packets per poll'
set ylabel '% of polls'
set xlabel 'packets (the last: more than 64)'
set logscale y
set yrange [0.001:130]
set xrange [-1:66]
plot for [i=0:2] './sound.polls.tsv' index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
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
