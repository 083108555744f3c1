// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define LATE_PART 0.1 /* of the looks, which is told */

#define WHOLE(n)  json_out_whole_value((int64_t)(n))
#define AMOUNT(x) json_out_amount_value(x)

int show_put(FILE *out, json_t *o)
{
	return json_out_write(&(struct json_out){}, json_incref(o), out, JSON_COMPACT);
}

/* ---- a device --------------------------------------------------------------------------------------------------- */

const char *show_device(const struct watch_line *line)
{
	if (!line->device)
		return "(backlog)";
	return strcmp(line->device->nd.name, "(backlog)") ? line->device->nd.name : "\"(backlog)\"";
}

void show_programs(FILE *out, const struct watch_line *line)
{
	const struct watched *w = line->device;

	for (size_t i = 0; w && i < w->nprograms; i++)
		printable_printf(out, "        %s: %s, program %" PRIu32 "%s%s\n", w->nd.name, w->programs[i].hook,
				 w->programs[i].id, *w->programs[i].name ? " " : "", w->programs[i].name);
}

void show_line(FILE *out, const struct watch_line *line)
{
	const struct text t = {.out = out};
	const struct watch_polls *p = &line->polls;
	double polls = p->polls ? (double)p->polls : NAN;
	const struct counters *grown;

	fprintf(out, "%7.1f ", line->time_s);
	text_name(&t, show_device(line), 15);
	text_number(&t, (double)p->packets / line->seconds, 12, 0, false);
	fputc(' ', out);
	text_column(&t, line->cost.half > line->cost.ns ? NAN : line->cost.ns, line->cost.half, 8, false);
	text_number(&t, (double)p->packets / polls, 8, 1, false);
	text_number(&t, 100 * (double)p->empty / polls, 5, 0, false);
	fputc('%', out);
	text_number(&t, 100 * (double)p->full / polls, 5, 0, false);
	fputc('%', out);
	text_number(&t, line->busy_pct, 6, 1, false);
	fputs("%\n", out);
	grown = line->device ? &line->device->grown : NULL;
	for (size_t i = 0; grown && i < grown->n; i++) {
		const struct counter *c = &grown->list[i];

		if (counter_is_loss(c) && c->known)
			printable_printf(out, "        dropped: %" PRIu64 " %s%s%s\n", c->value, c->name,
					 *counter_meaning(c) ? ", " : "", counter_meaning(c));
		/* the stack queues its frames for a CPU (netif_rx), as of a veth without XDP and without GRO */
		if (c->source == COUNTER_LINK && !strcmp(c->name, "rx_packets") && c->known && !line->polls.polls)
			fprintf(out,
				"        received: %" PRIu64
				" frames, without a NAPI of its own: \"watch all\" has them\n",
				c->value);
	}
	if (line->backlog_drops)
		fprintf(out, "        dropped: %" PRIu64 " backlog, a CPU's queue was full\n", line->backlog_drops);
	if (line->squeezed)
		fprintf(out, "        squeezed: %" PRIu64 " softirqs ran out of budget or time\n", line->squeezed);
}

/* What is behind the cost was counted: nothing of it is estimated. */
static json_t *timed(const struct watch_line *line, __u64 n)
{
	return WHOLE((double)n * line->counted_pct / 100);
}

json_t *show_line_object(const struct watch_line *line)
{
	json_t *cpus = json_array(), *hist = json_array(), *losses = json_array(), *programs = json_array();
	const struct watched *dev = line->device;
	const struct watch_polls *p = &line->polls;
	struct json_out w = {};

	for (size_t i = 0; i < line->ncpus; i++)
		json_out_add(&w, cpus, json_integer(line->cpus[i]));
	for (int i = 0; i < WATCH_HIST; i++)
		json_out_add(&w, hist, WHOLE(p->hist[i]));
	for (size_t i = 0; dev && i < dev->grown.n; i++) {
		const struct counter *c = &dev->grown.list[i];

		if (counter_is_loss(c))
			json_out_add(&w, losses,
				     json_pack("{s:s, s:s, s:o}", "source", counter_source_names[c->source], "name",
					       c->name, "packets", c->known ? WHOLE(c->value) : json_null()));
	}
	for (size_t i = 0; dev && i < dev->nprograms; i++)
		json_out_add(&w, programs,
			     json_pack("{s:s, s:o, s:o}", "hook", dev->programs[i].hook, "name",
				       json_text_string(dev->programs[i].name), "id", WHOLE(dev->programs[i].id)));
	/* clang-format off */
	return json_out_end(&w, json_pack(
		"{s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
		" s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", WATCH_SCHEMA, "time_s", line->time_s, "seconds", line->seconds,
		"at_ns", WHOLE(line->at_ns), "device", json_out_known(dev ? dev->nd.name : ""), "cpus", cpus,
		"packets", WHOLE(p->packets), "pps", json_out_value((double)p->packets / line->seconds),
		"ns_per_packet", AMOUNT(line->cost.ns), "ns_per_packet_half", AMOUNT(line->cost.half),
		"own_polls_ns", AMOUNT(line->own.polls_ns), "own_softirqs_ns", AMOUNT(line->own.softirqs_ns),
		"softirq_tail_ns", AMOUNT(line->tail_ns), "counted_pct", AMOUNT(line->counted_pct), "timed_packets",
		timed(line, p->timed_packets + p->thread_packets), "timed_polls", timed(line, p->timed_polls),
		"timed_softirqs", timed(line, p->timed_softirqs), "busy_pct", AMOUNT(line->busy_pct),
		"queue_pct", AMOUNT(line->queue_pct), "polls", WHOLE(p->polls), "empty_polls", WHOLE(p->empty),
		"full_polls", WHOLE(p->full), "poll_histogram", hist, "squeezed", WHOLE(line->squeezed),
		"backlog_drops", WHOLE(line->backlog_drops), "losses", losses, "programs", programs,
		"unwatched_devices", WHOLE(line->unwatched)));
	/* clang-format on */
}

/* ---- its functions ---------------------------------------------------------------------------------------------- */

void show_functions(FILE *out, const char *device, const struct flight_costs *costs, size_t most)
{
	char ns[64];

	printable_printf(out, "        %s, last %.0f s, ns/packet by component:\n", device, costs->seconds);
	for (size_t i = 0; i < costs->n && i < most; i++)
		printable_printf(out, "%14s  %s\n",
				 digits_interval(costs->list[i].half > costs->list[i].ns ? NAN : costs->list[i].ns,
						 costs->list[i].half, ns, sizeof(ns)),
				 costs->list[i].component);
	if (costs->n > most)
		fprintf(out, "                %zu others\n", costs->n - most);
}

json_t *show_functions_object(const char *device, const struct flight_costs *costs, double time_s)
{
	json_t *components = json_array();
	struct json_out w = {};

	for (size_t i = 0; i < costs->n; i++)
		json_out_add(&w, components,
			     json_pack("{s:s, s:o, s:o, s:o}", "component", costs->list[i].component, "ns_per_packet",
				       json_out_value(costs->list[i].ns), "ns_per_packet_half",
				       json_out_value(costs->list[i].half), "samples", WHOLE(costs->list[i].samples)));
	json_t *packets = fabs(costs->packets) < 9e18 ? json_integer((json_int_t)costs->packets) : json_null();
	return json_out_end(&w, json_pack("{s:s, s:f, s:f, s:o, s:o, s:o}", "schema", WATCH_FUNCTIONS_SCHEMA, "time_s",
					  time_s, "seconds", costs->seconds, "device", json_text_string(device),
					  "packets", packets, "components", components));
}

/* ---- queues ----------------------------------------------------------------------------------------------------- */

static const char *device_of(const struct queue_seen *s, char name[IF_NAMESIZE + 1])
{
	*name = '\0';
	return s->ifindex && if_indextoname((unsigned int)s->ifindex, name) ? name : "";
}

void show_queue_name(const struct queue_seen *s, char *to, size_t size)
{
	char name[IF_NAMESIZE + 1], of[48] = "";

	device_of(s, name);
	if (s->ifindex && !*name)
		snprintf(name, sizeof(name), "%d", s->ifindex);
	if (s->kind == QUEUE_UDP)
		snprintf(of, sizeof(of), " at port %u", s->number);
	else if (s->kind == QUEUE_CPUMAP)
		snprintf(of, sizeof(of), " %" PRIu64 " on CPU %u", s->object, s->number);
	else if (s->kind == QUEUE_BACKLOG)
		snprintf(of, sizeof(of), " of CPU %u", s->number);
	else if (s->kind != QUEUE_PACKET)
		snprintf(of, sizeof(of), " %u", s->number);
	snprintf(to, size, "%s%s%s%s", name, *name ? " " : "", queue_words[s->kind], of);
}

void show_queues(FILE *out, const struct queues *q, bool all)
{
	char name[64], p50[32], p99[32], most[32], size[32], wait[64];
	const struct queue_looks *looks = &q->ended;
	bool shown = false;

	for (const struct queue_seen *s = q->seen; s < q->seen + q->nseen; s++) {
		char full[48] = "";

		if (!(s->most > 0) && (!all || !s->why))
			continue;
		shown = true;
		show_queue_name(s, name, sizeof(name));
		if (s->why) {
			printable_printf(out, "        %s: not known: %s\n", name, s->why);
			continue;
		}
		printable_printf(out, "        %s: median %s, 99 %% %s, most %s of %s %s\n", name,
				 digits_count(s->p50, p50, sizeof(p50)), digits_count(s->p99, p99, sizeof(p99)),
				 digits_count(s->most, most, sizeof(most)), digits_count(s->size, size, sizeof(size)),
				 queue_unit(s->kind));
		if (!(s->full_pct > 0) && isnan(s->wait_us))
			continue;
		if (!isnan(s->full_pct))
			snprintf(full, sizeof(full), "full %.3g %% of the time, ", s->full_pct);
		fprintf(out, "          %swait %s us\n", full,
			digits_interval(s->wait_us, s->wait_half_us, wait, sizeof(wait)));
	}
	if (looks->left_out)
		fprintf(out,
			"        and %" PRIu32
			" queues or more that are not sampled: %d are at a time, %d of a device, %d UDP sockets\n",
			looks->left_out, QUEUES_MOST, QUEUES_OF_DEVICE, QUEUES_UDP);
	if (shown && (double)looks->late > LATE_PART * (double)looks->due)
		fprintf(out,
			"        %" PRIu64 " of %" PRIu64
			" samples came late or not at all: queueing delays may read too low\n",
			looks->late, looks->due);
}

json_t *show_queue_object(const struct queue_seen *s)
{
	char name[IF_NAMESIZE + 1];

	/* clang-format off */
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"kind", queue_words[s->kind], "device", json_out_known(device_of(s, name)), "number", WHOLE(s->number),
		"map", s->kind == QUEUE_CPUMAP ? WHOLE(s->object) : json_null(),
		"socket", queue_is_socket(s->kind) ? WHOLE(s->object) : json_null(),
		"unit", queue_unit(s->kind), "samples", WHOLE(s->looks), "size", AMOUNT(s->size), "p50", AMOUNT(s->p50),
		"p99", AMOUNT(s->p99), "most", AMOUNT(s->most), "mean", AMOUNT(s->mean),
		"full_pct", AMOUNT(s->full_pct), "near_pct", AMOUNT(s->near_pct), "passed", AMOUNT(s->passed),
		"wait_us", AMOUNT(s->wait_us), "wait_half_us", AMOUNT(s->wait_half_us),
		"not_known", json_out_known(s->why ? s->why : ""));
	/* clang-format on */
}

json_t *show_queues_object(const struct queues *q, const struct watcher *w)
{
	json_t *queues = json_array();
	struct json_out out = {};

	for (size_t i = 0; i < q->nseen; i++)
		json_out_add(&out, queues, show_queue_object(&q->seen[i]));
	return json_out_end(&out, json_pack("{s:s, s:f, s:f, s:o, s:o, s:o, s:o}", "schema", WATCH_QUEUES_SCHEMA,
					    "time_s", (double)(w->look_ns - w->start_ns) / 1e9, "seconds",
					    (double)(w->look_ns - w->interval_ns) / 1e9, "left_out",
					    WHOLE(q->ended.left_out), "samples_due", WHOLE(q->ended.due),
					    "samples_late", WHOLE(q->ended.late), "queues", queues));
}
