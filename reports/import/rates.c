// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/import/rates.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/number.h"
#include "base/printable.h"

#define MOST_PPS 1e12 /* and of --pps: a larger number is no rate */

static struct rates_group *begin(struct rates *r, const char *kind)
{
	struct rates_group *g = array_add(&r->groups, &r->ngroups, sizeof(*g));

	if (!g)
		return NULL;
	g->first = r->npps;
	snprintf(g->kind, sizeof(g->kind), "%s", kind);
	return g;
}

static int add(struct rates *r, double pps)
{
	double *new = array_add(&r->pps, &r->npps, sizeof(*new));

	if (!new)
		return -ENOMEM;
	*new = pps;
	r->groups[r->ngroups - 1].n++;
	return 0;
}

/* ---- xdp-bench ----------------------------------------------------------------------------------------------- */

/* The word behind a text, up to a blank, a bracket or a semicolon. */
static void word_after(char *to, size_t size, const char *line, size_t len, const char *text)
{
	const char *s = memmem(line, len, text, strlen(text)), *end = line + len;
	size_t n = 0;

	if (!s)
		return;
	s += strlen(text);
	while (s + n < end && !memchr(" ;)", s[n], 3))
		n++;
	snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), s);
}

/* "Dropping packets on eth0 (ifindex 2; driver mlx5_core)", "Redirecting from eth0 (ifindex 2; driver ...) to ..." */
static bool is_title(const char *s, size_t len)
{
	return memmem(s, len, " (ifindex ", 10) && memmem(s, len, "; driver ", 9);
}

static void read_title(struct rates_group *g, const char *s, size_t len)
{
	word_after(g->device, sizeof(g->device), s, len, memmem(s, len, "packets on ", 11) ? "packets on " : " from ");
	word_after(g->driver, sizeof(g->driver), s, len, "; driver ");
}

/* "Summary   8,148,972 rx/s  0 err,drop/s", "eth0->eth1   ...", "eth0->?  ..." */
static bool read_rate(const char *s, size_t len, double *pps)
{
	const char *end = s + len, *at = memchr(s, ' ', len);

	if (!at || !((at - s == 7 && !memcmp(s, "Summary", 7)) || memmem(s, (size_t)(at - s), "->", 2)))
		return false;
	while (at < end && *at == ' ')
		at++;
	at = number_read_grouped(at, end, pps);
	return at && end - at >= 5 && !memcmp(at, " rx/s", 5);
}

/* A title begins a group, and the summary ends one. */
static int read_bench_line(struct rates *r, const char *s, size_t len, bool *open)
{
	bool title = is_title(s, len);
	double pps = 0;

	if (memmem(s, len, "Packets received ", 17))
		*open = false;
	if (!title && !read_rate(s, len, &pps))
		return 0;
	if ((title || !*open) && !begin(r, "xdp-bench"))
		return -ENOMEM;
	*open = true;
	if (title)
		read_title(&r->groups[r->ngroups - 1], s, len);
	return pps > 0 && pps < MOST_PPS ? add(r, pps) : 0;
}

static int read_bench(struct rates *r, const char *text, size_t len)
{
	const char *end = text + len, *eol;
	bool open = false;
	int err = 0;

	for (const char *s = text; s < end && !err; s = eol + 1) {
		eol = memchr(s, '\n', (size_t)(end - s));
		eol = eol ? eol : end;
		err = read_bench_line(r, s, (size_t)(eol - s), &open);
	}
	return err;
}

/* A title without rates is none. */
static void drop_empty(struct rates *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->ngroups; i++)
		if (r->groups[i].n)
			r->groups[kept++] = r->groups[i];
	r->ngroups = kept;
}

/* ---- LNST ---------------------------------------------------------------------------------------------------- */

static const struct {
	const char *type, *member;
} lnst_rates[] = {
	{"xdp-bench", "receiver_results"},
	{"forwarding", "forwarder_rx_results"},
	{"xdp-redirect-cpu", "forwarded_results"},
};

static int read_measurement(struct rates *r, const json_t *o)
{
	const char *type = json_string_value(json_object_get(o, "measurement_type"));
	const char *result = json_string_value(json_object_get(o, "result"));
	struct rates_group *g;
	double pps = 0;

	for (size_t i = 0; type && i < sizeof(lnst_rates) / sizeof(*lnst_rates); i++)
		if (!strcmp(type, lnst_rates[i].type))
			pps = json_number_value(json_object_get(json_object_get(o, "data"), lnst_rates[i].member));
	if (!(pps > 0 && pps < MOST_PPS)) /* json_number_value() is 0 for what is no number */
		return 0;
	g = begin(r, type);
	if (!g)
		return -ENOMEM;
	g->lnst = true;
	g->failed = !result || strcmp(result, "PASS");
	return add(r, pps);
}

static int read_lnst(struct rates *r, const char *text, size_t len)
{
	json_t *list = json_loadb(text, len, 0, NULL), *o;
	int err = 0;
	size_t i;

	if (!json_is_array(list)) {
		json_decref(list);
		return 0;
	}
	json_array_foreach (list, i, o)
		if (!err)
			err = read_measurement(r, o);
	json_decref(list);
	return err;
}

/* -------------------------------------------------------------------------------------------------------------- */

int rates_find(struct rates *r, const char *text, size_t len)
{
	int err;

	*r = (struct rates){};
	err = read_lnst(r, text, len);
	if (!err && !r->ngroups)
		err = read_bench(r, text, len);
	drop_empty(r);
	if (err)
		rates_release(r);
	return err;
}

void rates_list(FILE *out, const struct rates *r, size_t first)
{
	for (size_t i = 0; i < r->ngroups; i++) {
		const struct rates_group *g = &r->groups[i];

		printable_printf(out, "%3zu  %zu rate%s of %s%s%s%s%s  first: %.0f packets/s\n", first + i, g->n,
				 g->n == 1 ? "" : "s", g->lnst ? "LNST: " : "", g->kind, *g->device ? ", " : "",
				 g->device, g->failed ? ", failed" : "", r->pps[g->first]);
	}
}

void rates_release(struct rates *r)
{
	free(r->pps);
	free(r->groups);
	*r = (struct rates){};
}
