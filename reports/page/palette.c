// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/palette.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The light colours of reports/page/assets/colours.css. */
static const struct palette_colour facilities[] = {
	{"f0", "#4b3f9e", "#fff"},    {"f1", "#88ccee", "#10222c"},  {"f2", "#999933", "#14140a"},
	{"f3", "#cc6677", "#1d0a0d"}, {"f4", "#aa4499", "#fff"},     {"f5", "#44aa99", "#071c18"},
	{"f6", "#1f7f43", "#fff"},    {"f7", "#ddcc77", "#242005"},  {"f8", "#882255", "#fff"},
	{"f9", "#3b4652", "#fff"},    {"f10", "#9aa5b1", "#14181c"}, {"f11", "#c3cad2", "#14181c"},
};

static const struct palette_colour changes[] = {
	{"d0", "#2f73b7", "#fff"},    {"d1", "#6ba0d2", "#0b1c2c"}, {"d2", "#a3c5e5", "#0b1c2c"},
	{"d3", "#d3e3f2", "#0b1c2c"}, {"d4", "#e6e8eb", "#1a1f25"}, {"d5", "#f7e0d2", "#2b1306"},
	{"d6", "#f0bd9c", "#2b1306"}, {"d7", "#e4935f", "#2b1306"}, {"d8", "#c8602a", "#fff"},
};

/* In the order of facilities[]. Greys are for work that is no part of the receive path. */
static const char *const known[] = {
	"driver RX", "page recycling", "page ring lock", "skb allocation",
	"skb free",  "stack entry",    "generic XDP",    "GRO",
	"TX",        "BPF program",    "NAPI/softirq",   "timekeeping and other overhead",
};

#define HUES 9 /* colours that are not grey */

const struct palette_colour *palette_of_change(double part)
{
	static const double steps[] = {0.05, 0.25, 0.6, 0.98};
	int step = 0;

	while (step < 4 && fabs(part) >= steps[step])
		step++;
	return &changes[part < 0 ? 4 - step : 4 + step];
}

const struct palette_colour *palette_of_facility(const char *facility)
{
	unsigned int sum = 0;

	if (!*facility)
		return palette_of_change(0);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(facility, known[i]))
			return &facilities[i];
	if (!strcmp(facility, "rest"))
		return &facilities[11];
	for (const char *s = facility; *s; s++)
		sum = sum * 31 + (unsigned char)*s;
	return &facilities[sum % HUES];
}
