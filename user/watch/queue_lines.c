// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/queue_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include "base/printable.h"
#include "base/sheet/digits.h"
#include "base/sheet/json_out.h"

#define LATE_PART 0.1 /* of the looks, which is told */

void queue_lines_name(const struct queue_seen *s, char *to, size_t size)
{
	char device[IF_NAMESIZE + 1] = "";
	size_t used;

	if (s->ifindex && !if_indextoname((unsigned int)s->ifindex, device))
		snprintf(device, sizeof(device), "%d", s->ifindex);
	snprintf(to, size, "%s%s%s", device, *device ? " " : "", queue_words[s->kind]);
	used = strlen(to);
	if (s->kind == QUEUE_UDP)
		snprintf(to + used, size - used, " at port %u", s->number);
	else if (s->kind == QUEUE_CPUMAP)
		snprintf(to + used, size - used, " %" PRIu64 " on CPU %u", s->object, s->number);
	else if (s->kind == QUEUE_BACKLOG)
		snprintf(to + used, size - used, " of CPU %u", s->number);
	else if (s->kind != QUEUE_PACKET)
		snprintf(to + used, size - used, " %u", s->number);
}

static void print_queue(const struct queue_seen *s)
{
	char name[64], p50[32], p99[32], most[32], size[32], full[48] = "", wait[64];

	queue_lines_name(s, name, sizeof(name));
	if (s->why) {
		printable_printf(stdout, "        %s: not known: %s\n", name, s->why);
		return;
	}
	printable_printf(stdout, "        %s: median %s, 99 %% %s, most %s of %s %s\n", name,
			 digits_count(s->p50, p50, sizeof(p50)), digits_count(s->p99, p99, sizeof(p99)),
			 digits_count(s->most, most, sizeof(most)), digits_count(s->size, size, sizeof(size)),
			 queue_unit(s->kind));
	if (!(s->full_pct > 0) && isnan(s->wait_us))
		return;
	if (!isnan(s->full_pct))
		snprintf(full, sizeof(full), "full %.3g %% of the time, ", s->full_pct);
	printf("          %swait %s us\n", full, digits_interval(s->wait_us, s->wait_half_us, wait, sizeof(wait)));
}

int queue_lines_text(const struct queue_seen *list, size_t n, const struct queue_looks *looks, bool all)
{
	bool printed = false;

	for (size_t i = 0; i < n; i++)
		if (list[i].most > 0 || (all && list[i].why)) {
			print_queue(&list[i]);
			printed = true;
		}
	if (looks->left_out)
		printf("        and %" PRIu32
		       " queues or more that are not looked at: %d are at a time, %d of a device\n",
		       looks->left_out, QUEUES_MOST, QUEUES_OF_DEVICE);
	if (printed && (double)looks->late > LATE_PART * (double)looks->due)
		printf("        %" PRIu64 " of %" PRIu64 " looks came late or not at all: waits may read too low\n",
		       looks->late, looks->due);
	return fflush(stdout) || ferror(stdout) ? -errno : 0;
}

json_t *queue_lines_object(const struct queue_seen *list, size_t n, const struct queue_looks *looks, double time_s,
			   double seconds)
{
	json_t *o = json_object(), *queues = json_array();
	struct json_out w = {};

	json_out_text(&w, o, "schema", WATCH_QUEUES_SCHEMA);
	json_out_number(&w, o, "time_s", time_s);
	json_out_number(&w, o, "seconds", seconds);
	json_out_whole(&w, o, "left_out", looks->left_out);
	json_out_whole(&w, o, "looks_due", (int64_t)looks->due);
	json_out_whole(&w, o, "looks_late", (int64_t)looks->late);
	for (size_t i = 0; i < n; i++) {
		const struct queue_seen *s = &list[i];
		char device[IF_NAMESIZE + 1] = "";
		json_t *one = json_object();

		if (s->ifindex)
			if_indextoname((unsigned int)s->ifindex, device);
		json_out_text(&w, one, "kind", queue_words[s->kind]);
		json_out_put(&w, one, "device", json_out_known(device));
		json_out_whole(&w, one, "number", s->number);
		json_out_put(&w, one, "map",
			     s->kind == QUEUE_CPUMAP ? json_integer((json_int_t)s->object) : json_null());
		json_out_put(&w, one, "socket",
			     queue_is_socket(s->kind) ? json_integer((json_int_t)s->object) : json_null());
		json_out_text(&w, one, "unit", queue_unit(s->kind));
		json_out_whole(&w, one, "looks", (int64_t)s->looks);
		json_out_amount(&w, one, "size", s->size);
		json_out_amount(&w, one, "p50", s->p50);
		json_out_amount(&w, one, "p99", s->p99);
		json_out_amount(&w, one, "most", s->most);
		json_out_amount(&w, one, "mean", s->mean);
		json_out_amount(&w, one, "full_pct", s->full_pct);
		json_out_amount(&w, one, "near_pct", s->near_pct);
		json_out_amount(&w, one, "passed", s->passed);
		json_out_amount(&w, one, "wait_us", s->wait_us);
		json_out_amount(&w, one, "wait_half_us", s->wait_half_us);
		json_out_put(&w, one, "not_known", json_out_known(s->why ? s->why : ""));
		json_out_add(&w, queues, one);
	}
	json_out_put(&w, o, "queues", queues);
	return json_out_end(&w, o);
}

int queue_lines_json(const json_t *object)
{
	if (json_dumpf(object, stdout, JSON_COMPACT) || putchar('\n') == EOF || fflush(stdout))
		return errno ? -errno : -EIO;
	return 0;
}

double queue_lines_most_pct(const struct queue_seen *list, size_t n, int ifindex)
{
	double most = NAN;

	for (size_t i = 0; i < n; i++)
		if (list[i].ifindex == ifindex && (ifindex || list[i].kind == QUEUE_BACKLOG))
			most = fmax(most, 100 * list[i].most / list[i].size); /* fmax() ignores NaN */
	return most;
}
