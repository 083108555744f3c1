// SPDX-License-Identifier: GPL-2.0-or-later
/* Data structures that a packet's functions access. */
#include <math.h>
#include "reports/rows/exact_rows.h"

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

#define FLAGS (IN_JSON | IN_TABLE | WITH_SUM | WITH_BOUND)

static const struct column place_columns[] = {
	{"place", "data structure", CELL_NAME, IN_JSON | IN_TABLE},
	{"loads", "loads", CELL_NUMBER, FLAGS},
	{"stores", "stores", CELL_NUMBER, FLAGS},
	{"lines_touched", "lines", CELL_NUMBER, FLAGS},
	{"lines_transferred", "transfers", CELL_NUMBER, FLAGS},
	{"lines_device", "device", CELL_NUMBER, FLAGS},
};

static const struct column spot_columns[] = {
	{"place", "data structure", CELL_NAME, IN_JSON | IN_TABLE},
	{"symbol", "function", CELL_NAME, IN_JSON | IN_TABLE},
	{"module", NULL, CELL_WORDS, IN_JSON},
	{"loads", "loads", CELL_NUMBER, FLAGS},
	{"stores", "stores", CELL_NUMBER, FLAGS},
	{"lines_touched", "lines", CELL_NUMBER, FLAGS},
	{"lines_transferred", "transfers", CELL_NUMBER, FLAGS},
	{"lines_device", "device", CELL_NUMBER, FLAGS},
};

static void put(struct rows *r, const struct exact_place *p)
{
	static const char *const keys[EXACT_MEMORY] = {[EXACT_LOADS] = "loads",
						       [EXACT_STORES] = "stores",
						       [EXACT_LINES_TOUCHED] = "lines_touched",
						       [EXACT_LINES_TRANSFERRED] = "lines_transferred",
						       [EXACT_LINES_DEVICE] = "lines_device"};

	rows_add(r);
	rows_text(r, "place", p->name);
	for (int m = 0; m < EXACT_MEMORY; m++)
		rows_number(r, keys[m], p->memory[m], 2);
}

void exact_place_rows(struct rows *parent, const struct exact_variant *v)
{
	struct rows *places, *spots;

	if (!v->nplaces)
		return;
	places = rows_table(parent, "places", place_columns, COUNT(place_columns));
	for (size_t i = 0; i < v->nplaces; i++)
		put(places, &v->places[i]);
	spots = rows_table(parent, "spots", spot_columns, COUNT(spot_columns));
	for (size_t i = 0; i < v->nspots; i++) {
		put(spots, &v->spots[i]);
		rows_text(spots, "symbol", v->spots[i].function);
		rows_text(spots, "module", v->spots[i].module);
	}
}
