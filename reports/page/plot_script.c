// SPDX-License-Identifier: GPL-2.0-or-later
/* The gnuplot script: plots below each other in one figure. People should be able to read and change it. */
#include <string.h>
#include "reports/page/plot_parts.h"
#include "reports/document/sentence.h"

#define ROW_PX    24
#define AROUND_PX 90

static const char style[] = "set border 3 lc rgb '#8b949e'\n"
			    "set tics nomirror out scale 0.5 textcolor rgb '#1a1f25'\n"
			    "set grid xtics ytics lc rgb '#e2e5e9' lt 1\n"
			    "set key outside right top vertical Left reverse samplen 1 spacing 1.1 font ',10'\n"
			    "set title offset 0,-0.3 font ',13'\n"
			    "# colours that people who see fewer of them tell apart: Okabe and Ito\n"
			    "hues = \"#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f6a00 #555555\"\n"
			    "hue(n) = word(hues, 1 + (n % words(hues)))\n";

int plot_height_px(const struct plot *p, enum plot_kind kind)
{
	if (!p->wanted[kind])
		return 0;
	if (p->sweep)
		return plot_sweep_height_px(p, kind);
	if (kind == PLOT_WATERFALL)
		return AROUND_PX + ROW_PX * (int)plot_count(p, kind);
	if (kind == PLOT_FACILITIES)
		return 320 + 10 * (int)plot_count(p, PLOT_PPS);
	return 280;
}

void plot_data_name(FILE *out, const struct plot *p, enum plot_kind kind)
{
	char name[300];

	/* gnuplot runs a name that begins with "<" or "|" as a command */
	snprintf(name, sizeof(name), "./%s.%s.tsv", p->base, plot_kind_names[kind]);
	plot_quote(out, name);
}

static void waterfall_script(FILE *out, const struct plot *p)
{
	struct sentence s;
	char title[SENTENCE_BYTES];

	sentence_of_difference(&s, p->c);
	snprintf(title, sizeof(title), "%s%s%s", s.before, s.number, s.after);
	fputs("set title ", out);
	plot_quote(out, title);
	fprintf(out,
		"\nset yrange [%zu.6:-0.6]\nset xrange [0:*]\nset xlabel 'ns/packet'\nset lmargin 34\nset rmargin "
		"4\nunset key\nunset grid\n"
		"set grid xtics lc rgb '#e2e5e9' lt 1\n"
		"set style fill solid 1 noborder\nplot ",
		plot_count(p, PLOT_WATERFALL) - 1);
	plot_data_name(out, p, PLOT_WATERFALL);
	fputs(" skip 1 using 2:0:2:3:($0 - 0.36):($0 + 0.36):5:ytic(1) with boxxyerror lc rgb variable, \\\n     '' "
	      "skip 1 using 3:0:4 "
	      "with xerrorbars pt -1 lw 1.2 lc rgb '#1a1f25'\n"
	      "reset\n",
	      out);
	fputs(style, out);
}

static void facilities_script(FILE *out, const struct plot *p)
{
	plot_facility_colours(out, p);
	fputs("set title 'What a packet is made of'\nset ylabel 'ns/packet'\nset yrange [0:*]\nset style data "
	      "histograms\n"
	      "set style histogram rowstacked\nset style fill solid 1 border rgb '#ffffff'\nset boxwidth 0.72\n"
	      "set xtics rotate by -20\nset xrange [-0.6:*]\nunset grid\nset grid ytics lc rgb '#e2e5e9' lt 1\nplot "
	      "for [i=2:",
	      out);
	fprintf(out, "%zu] ", plot_count(p, PLOT_FACILITIES) + 1);
	plot_data_name(out, p, PLOT_FACILITIES);
	fputs(" using i:xtic(1) title columnheader(i) lc rgb word(colours, i - 1)\nreset\n", out);
	fputs(style, out);
}

static void pps_script(FILE *out, const struct plot *p)
{
	fputs("set title 'The run as it went, window by window'\nset ylabel 'Mpps'\nset xlabel 'seconds'\nset yrange "
	      "[0:*]\n"
	      "plot for [i=0:",
	      out);
	fprintf(out, "%zu] ", plot_count(p, PLOT_PPS) - 1);
	plot_data_name(out, p, PLOT_PPS);
	fputs(" index i using (($1 + $2) / 2):3 with points pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)\nreset\n",
	      out);
	fputs(style, out);
}

static void polls_script(FILE *out, const struct plot *p)
{
	fputs("set title 'Packets per poll'\nset ylabel '% of polls'\nset xlabel 'packets (the last: more than 64)'\n"
	      "set logscale y\nset yrange [0.001:130]\nset xrange [-1:66]\nplot for [i=0:",
	      out);
	fprintf(out, "%zu] ", plot_count(p, PLOT_POLLS) - 1);
	plot_data_name(out, p, PLOT_POLLS);
	fputs(" index i using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue(i) title columnheader(1)\nreset\n", out);
	fputs(style, out);
}

void plot_script(FILE *out, const struct plot *p, const char *picture)
{
	static void (*const scripts[])(FILE *, const struct plot *) = {waterfall_script, facilities_script, pps_script,
								       polls_script};
	char name[300];
	int whole_px = 0, below_px;

	for (int i = 0; i < PLOT_KINDS; i++)
		whole_px += plot_height_px(p, i);
	if (picture) {
		snprintf(name, sizeof(name), "./%s", picture);
		fputs("\nset output ", out);
		plot_quote(out, name);
	}
	fprintf(out, "\nset encoding utf8\nset datafile separator tab\n%sset multiplot\n", style);
	below_px = whole_px;
	for (int i = 0; i < PLOT_KINDS; i++) {
		if (!p->wanted[i])
			continue;
		below_px -= plot_height_px(p, i);
		fprintf(out, "\nset origin 0,%.5f\nset size 1,%.5f\n", (double)below_px / whole_px,
			(double)plot_height_px(p, i) / whole_px);
		if (p->sweep) {
			plot_sweep_script(out, p, i);
			fputs(style, out);
		} else {
			scripts[i](out, p);
		}
	}
	fputs("unset multiplot\n", out);
}
