# made by xdpzoom report; gnuplot writes the picture to its standard output
set terminal svg noenhanced dynamic background 'white' size 1000,426 font 'sans-serif,13'
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

$waterfall << EOD
step	from_ns	to_ns	half_ns	colour
"drop/no-touch@native"	0	79.99789659	0.3777852149	0x56616d
"page recycling"	79.99789659	58.83977014	1.423984118	0x2f73b7
"driver RX"	58.83977014	39.4335565	4.58060183	0x2f73b7
"skb allocation"	39.4335565	129.8042008	6.528339558	0xc8602a
"skb free"	129.8042008	211.330743	6.293968521	0xc8602a
"skb clearing"	211.330743	272.596251	5.637023871	0xc8602a
"GRO"	272.596251	318.7463843	5.00640644	0xc8602a
"stack entry"	318.7463843	349.9419448	4.206725501	0xc8602a
"generic XDP"	349.9419448	379.207883	4.085732618	0xc8602a
"NAPI/softirq"	379.207883	380.553543	1.929265687	0xc8602a
"BPF program"	380.553543	381.6283783	1.681099309	0xc8602a
"unattributed"	381.6283783	379.9901253	0	0x2f73b7
"drop/no-touch@skb"	0	379.9901253	1.794439785	0x56616d
EOD
set origin 0,0.00000
set size 1,1.00000
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
plot $waterfall skip 1 using 2:0:2:3:($0 - 0.36):($0 + 0.36):5:ytic(1) with boxxyerror lc rgb variable, \
     $waterfall skip 1 using 3:0:4 with xerrorbars pt -1 lw 1.2 lc rgb '#1a1f25'
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
