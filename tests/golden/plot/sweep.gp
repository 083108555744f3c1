# made by xdpzoom report; gnuplot writes the picture to its standard output
set terminal svg noenhanced dynamic background 'white' size 1000,1796 font 'sans-serif,13'
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

$components << EOD
point	"driver RX"	"page recycling"	"NAPI/softirq"	"BPF program"	"skb allocation"	"skb free"	"skb clearing"	"GRO"	"stack entry"	"generic XDP"	"TX"
"100000 64"	54.3965537	21.85160704	3.95188638	3.486958571	0	0	0	0	0	0	0
"100000 1500"	52.37059458	21.15812645	3.960801271	2.945211202	0	0	0	0	0	0	0
"400000 64"	54.3965537	21.85160704	3.95188638	3.486958571	0	0	0	0	0	0	0
"400000 1500"	52.37059458	21.15812645	3.960801271	2.945211202	0	0	0	0	0	0	0
"4000000 64"	52.37059458	21.15812645	3.960801271	2.945211202	0	0	0	0	0	0	0


"100000 64"	34.23036367	0	5.521026399	3.312615839	94.96165406	83.91960126	65.1481115	47.48082703	32.02195311	30.91774783	0
"100000 1500"	32.96438094	0	5.306461323	4.020046456	90.37064434	81.52654214	61.265508	46.15013332	31.1955605	29.2659382	0
"400000 64"	34.23036367	0	5.521026399	3.312615839	94.96165406	83.91960126	65.1481115	47.48082703	32.02195311	30.91774783	0
"400000 1500"	32.96438094	0	5.306461323	4.020046456	90.37064434	81.52654214	61.265508	46.15013332	31.1955605	29.2659382	0
"4000000 64"	32.96438094	0	5.306461323	4.020046456	90.37064434	81.52654214	61.265508	46.15013332	31.1955605	29.2659382	0


"100000 64"	53.29235015	0	4.068118332	6.508989332	0	0	0	0	0	0	40.27437149
"100000 1500"	52.31135183	0	3.969264522	5.98351816	0	0	0	0	0	0	38.33006187
"400000 64"	53.29235015	0	4.068118332	6.508989332	0	0	0	0	0	0	40.27437149
"400000 1500"	52.31135183	0	3.969264522	5.98351816	0	0	0	0	0	0	38.33006187
"4000000 64"	52.31135183	0	3.969264522	5.98351816	0	0	0	0	0	0	38.33006187


EOD
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
plot newhistogram 'drop/no-touch@native', for [i=2:12] $components index 0 using i:xtic(1) title columnheader(i) lc rgb word(colours, i - 1), \
     newhistogram 'drop/no-touch@skb', for [i=2:12] $components index 1 using i:xtic(1) notitle lc rgb word(colours, i - 1), \
     newhistogram 'tx/swap-macs@native', for [i=2:12] $components index 2 using i:xtic(1) notitle lc rgb word(colours, i - 1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

$ns << EOD
"drop/no-touch@native, size=64"
# rate	ns	half
100000	79.86479068	1.816810258
400000	79.86479068	1.816810258
4000000	79.99789659	0.3777852149


"drop/no-touch@skb, size=64"
# rate	ns	half
100000	379.3581934	8.63107157
400000	379.3581934	8.63107157
4000000	379.9901253	1.794439785


"tx/swap-macs@native, size=64"
# rate	ns	half
100000	99.3873083	4.870437138
400000	99.3873083	4.870437138
4000000	100.0478691	0.6385537288


"drop/no-touch@native, size=1500"
# rate	ns	half
100000	79.99789659	0.3777852149
400000	79.99789659	0.3777852149


"drop/no-touch@skb, size=1500"
# rate	ns	half
100000	379.9901253	1.794439785
400000	379.9901253	1.794439785


"tx/swap-macs@native, size=1500"
# rate	ns	half
100000	100.0478691	0.6385537288
400000	100.0478691	0.6385537288


EOD
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
plot for [i=0:5] $ns index i using 1:2:3 with yerrorlines pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

$mpps << EOD
"drop/no-touch@native, size=64"
# rate	mpps	half
100000	7.512697333	0
400000	7.512697333	0
4000000	12.50032867	0


"drop/no-touch@skb, size=64"
# rate	mpps	half
100000	1.581618667	0
400000	1.581618667	0
4000000	2.631647333	0


"tx/swap-macs@native, size=64"
# rate	mpps	half
100000	4.292969333	0
400000	4.292969333	0
4000000	7.143045333	0


"drop/no-touch@native, size=1500"
# rate	mpps	half
100000	12.50032867	0
400000	12.50032867	0


"drop/no-touch@skb, size=1500"
# rate	mpps	half
100000	2.631647333	0
400000	2.631647333	0


"tx/swap-macs@native, size=1500"
# rate	mpps	half
100000	7.143045333	0
400000	7.143045333	0


EOD
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
plot for [i=0:5] $mpps index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

$busy << EOD
"drop/no-touch@native, size=64"
# rate	busy	half
100000	0.6	0
400000	0.6	0
4000000	1	0


"drop/no-touch@skb, size=64"
# rate	busy	half
100000	0.6	0
400000	0.6	0
4000000	1	0


"tx/swap-macs@native, size=64"
# rate	busy	half
100000	0.6	0
400000	0.6	0
4000000	1	0


"drop/no-touch@native, size=1500"
# rate	busy	half
100000	1	0
400000	1	0


"drop/no-touch@skb, size=1500"
# rate	busy	half
100000	1	0
400000	1	0


"tx/swap-macs@native, size=1500"
# rate	busy	half
100000	1	0
400000	1	0


EOD
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
plot for [i=0:5] $busy index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
reset
set border 3 lc rgb '#8b949e'
set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'
set grid xtics ytics lc rgb '#e2e5e9' lt 1
set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'
set title offset 0,-0.3 font ',13'
# colours for readers with colour vision deficiency: Okabe and Ito
hues = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555"
hue(n) = word(hues, 1 + (n % words(hues)))

$cores << EOD
"drop/no-touch@native, size=64"
# mpps	cores	half
7.512697333	0.6	0
7.512697333	0.6	0
12.50032867	1	0


"drop/no-touch@skb, size=64"
# mpps	cores	half
1.581618667	0.6	0
1.581618667	0.6	0
2.631647333	1	0


"tx/swap-macs@native, size=64"
# mpps	cores	half
4.292969333	0.6	0
4.292969333	0.6	0
7.143045333	1	0


"drop/no-touch@native, size=1500"
# mpps	cores	half
12.50032867	1	0
12.50032867	1	0


"drop/no-touch@skb, size=1500"
# mpps	cores	half
2.631647333	1	0
2.631647333	1	0


"tx/swap-macs@native, size=1500"
# mpps	cores	half
7.143045333	1	0
7.143045333	1	0


EOD
set origin 0,0.00000
set size 1,0.18597
set key outside below left horizontal Left reverse maxcols 2
set title 'Busy CPUs against packets per second'
set ylabel 'busy CPUs'
set yrange [0:*]
set xlabel 'Mpps'
set offsets graph 0.03, graph 0.05, graph 0.08
set rmargin 6
plot for [i=0:5] $cores index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)
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
