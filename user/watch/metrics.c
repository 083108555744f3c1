// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/metrics.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/json_text.h"
#include "base/new_file.h"
#include "base/sheet/openmetrics.h"

#define TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* Frames that one counter of a device has lost. */
struct loss {
	char name[80];
	uint64_t packets;
};

/* What a device did since the beginning, and what it cost in its last interval. */
struct totals {
	char device[16]; /* "": not in use */
	uint64_t packets, polls, empty, full, squeezed, backlog_drops;
	double busy_s, ns, half;
	struct loss *losses;
	size_t nlosses;
	bool fresh; /* in this interval */
	struct attached programs[ATTACHED_MAX];
	size_t nprograms;
};

struct metrics {
	const char *textfile;
	struct MHD_Daemon *server;
	pthread_mutex_t lock; /* of text */
	char *text;
	size_t size;
	struct totals devices[WATCH_SLOTS];
};

/* ---- what was seen --------------------------------------------------------------------------------------------- */

static int add_loss(struct totals *t, const struct counter *c)
{
	struct loss *l = NULL;

	for (size_t i = 0; i < t->nlosses; i++)
		if (!strcmp(t->losses[i].name, c->name))
			l = &t->losses[i];
	if (!l) {
		l = array_add(&t->losses, &t->nlosses, sizeof(*l));
		if (!l)
			return -ENOMEM;
		snprintf(l->name, sizeof(l->name), "%s", c->name);
	}
	l->packets += c->value;
	return 0;
}

/* A device that comes back goes on where it was: a name stands once. NULL: all are in use in this interval. */
static struct totals *totals_of(struct metrics *m, const char *device)
{
	struct totals *free_one = NULL;

	for (struct totals *t = m->devices; t < m->devices + WATCH_SLOTS; t++) {
		if (!strcmp(t->device, device))
			return t;
		if (!*t->device || (!free_one && !t->fresh))
			free_one = free_one && !*free_one->device ? free_one : t;
	}
	if (free_one) {
		free(free_one->losses);
		memset(free_one, 0, sizeof(*free_one));
		snprintf(free_one->device, sizeof(free_one->device), "%s", device);
	}
	return free_one;
}

int metrics_add(struct metrics *m, const struct watch_line *line)
{
	const struct watched *dev = line->device;
	char label[32] = "(backlog)";
	struct totals *t;
	int err = 0;

	if (dev) {
		snprintf(label, sizeof(label), "%s", dev->nd.name);
		json_text_in_place(label);
		if (strcmp(label, dev->nd.name)) /* it is no UTF-8, and another name may look the same */
			snprintf(label + strlen(label), 12, "#%d", dev->nd.ifindex);
	}
	t = m ? totals_of(m, label) : NULL;

	if (!t)
		return 0;
	t->fresh = true;
	t->packets += line->polls.packets;
	t->polls += line->polls.polls;
	t->empty += line->polls.empty;
	t->full += line->polls.full;
	t->squeezed += line->squeezed;
	t->backlog_drops += line->backlog_drops;
	t->busy_s += isnan(line->busy_pct) ? 0 : line->busy_pct / 100 * line->seconds;
	t->ns = line->cost.ns;
	t->half = line->cost.half;
	t->nprograms = dev ? dev->nprograms : 0;
	if (dev)
		memcpy(t->programs, dev->programs, sizeof(t->programs));
	for (size_t i = 0; dev && i < dev->grown.n && !err; i++)
		if (counter_is_loss(&dev->grown.list[i]) && dev->grown.list[i].known)
			err = add_loss(t, &dev->grown.list[i]);
	return err;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

/* One family of counters, a sample for each device. */
#define COUNTERS(out, m, name, member, help)                                                                           \
	do {                                                                                                           \
		openmetrics_head(out, name, "counter", NULL, help);                                                    \
		for (const struct totals *t = (m)->devices; t < (m)->devices + WATCH_SLOTS; t++)                       \
			if (*t->device)                                                                                \
				sample(out, name "_total", t, (double)t->member);                                      \
	} while (0)

static void sample(FILE *out, const char *name, const struct totals *t, double value)
{
	fprintf(out, "%s{", name);
	openmetrics_label(out, "device", t->device);
	fprintf(out, "} %.15g\n", value);
}

static void write_costs(FILE *out, const struct metrics *m)
{
	openmetrics_head(out, "xdpzoom_watch_cost_seconds", "gauge", "seconds",
			 "CPU time of a packet, in the last interval.");
	for (const struct totals *t = m->devices; t < m->devices + WATCH_SLOTS; t++)
		if (*t->device && t->fresh && !isnan(t->ns))
			sample(out, "xdpzoom_watch_cost_seconds", t, t->ns / 1e9);
	openmetrics_head(out, "xdpzoom_watch_cost_half_seconds", "gauge", "seconds", "Half of its 95 % interval.");
	for (const struct totals *t = m->devices; t < m->devices + WATCH_SLOTS; t++)
		if (*t->device && t->fresh && !isnan(t->half))
			sample(out, "xdpzoom_watch_cost_half_seconds", t, t->half / 1e9);
}

static void write_named(FILE *out, const struct metrics *m)
{
	openmetrics_head(out, "xdpzoom_watch_lost_packets", "counter", NULL,
			 "Frames lost, by the counter of the device.");
	for (const struct totals *t = m->devices; t < m->devices + WATCH_SLOTS; t++)
		for (size_t i = 0; i < t->nlosses; i++) {
			fputs("xdpzoom_watch_lost_packets_total{", out);
			openmetrics_label(out, "device", t->device);
			fputc(',', out);
			openmetrics_label(out, "counter", t->losses[i].name);
			fprintf(out, "} %" PRIu64 "\n", t->losses[i].packets);
		}
	openmetrics_head(out, "xdpzoom_watch_program", "gauge", NULL, "1 for each program that sits at a device.");
	for (const struct totals *t = m->devices; t < m->devices + WATCH_SLOTS; t++)
		for (size_t i = 0; i < t->nprograms; i++) {
			fputs("xdpzoom_watch_program{", out);
			openmetrics_label(out, "device", t->device);
			fputc(',', out);
			openmetrics_label(out, "hook", t->programs[i].hook);
			fputc(',', out);
			openmetrics_label(out, "name", t->programs[i].name);
			fprintf(out, ",id=\"%" PRIu32 "\"} 1\n", t->programs[i].id);
		}
}

static void metrics_write_all(FILE *out, const struct metrics *m)
{
	COUNTERS(out, m, "xdpzoom_watch_packets", packets, "Packets that NAPI polls took.");
	COUNTERS(out, m, "xdpzoom_watch_polls", polls, "NAPI polls.");
	COUNTERS(out, m, "xdpzoom_watch_empty_polls", empty, "NAPI polls that found nothing.");
	COUNTERS(out, m, "xdpzoom_watch_full_polls", full, "NAPI polls that used up their budget.");
	COUNTERS(out, m, "xdpzoom_watch_squeezed", squeezed, "Softirqs that ran out of budget or time.");
	COUNTERS(out, m, "xdpzoom_watch_backlog_drops", backlog_drops, "Packets that a full queue of a CPU lost.");
	openmetrics_head(out, "xdpzoom_watch_busy_seconds", "counter", "seconds",
			 "CPU time for the packets of a device.");
	for (const struct totals *t = m->devices; t < m->devices + WATCH_SLOTS; t++)
		if (*t->device)
			sample(out, "xdpzoom_watch_busy_seconds_total", t, t->busy_s);
	write_costs(out, m);
	write_named(out, m);
	fputs("# EOF\n", out);
}

static int write_textfile(const struct metrics *m, const char *text, size_t size, struct diag *d)
{
	struct new_file file;
	int err = new_file_open(&file, m->textfile, 0644, d);

	if (err)
		return err;
	if (fwrite(text, 1, size, file.stream) != size || fflush(file.stream))
		err = diag_set(d, -EIO, "cannot write %s: %s", m->textfile, strerror(errno));
	return new_file_close(&file, err, d);
}

int metrics_publish(struct metrics *m, struct diag *d)
{
	char *text = NULL, *old;
	size_t size = 0;
	FILE *out;
	int err;

	if (!m)
		return 0;
	out = open_memstream(&text, &size);
	if (out)
		metrics_write_all(out, m);
	if (!out || fclose(out)) {
		free(text);
		return diag_set(d, -ENOMEM, "no memory");
	}
	for (int i = 0; i < WATCH_SLOTS; i++)
		m->devices[i].fresh = false;
	err = m->textfile ? write_textfile(m, text, size, d) : 0;
	pthread_mutex_lock(&m->lock);
	old = m->text;
	m->text = text;
	m->size = size;
	pthread_mutex_unlock(&m->lock);
	free(old);
	return err;
}

/* ---- over HTTP --------------------------------------------------------------------------------------------------- */

static enum MHD_Result http_answer(void *arg, struct MHD_Connection *c, const char *url, const char *method,
				   const char *version, const char *data, size_t *size, void **state)
{
	struct metrics *m = arg;
	bool known = !strcmp(method, "GET") && !strcmp(url, "/metrics");
	struct MHD_Response *r;
	enum MHD_Result done;

	(void)version, (void)data, (void)size, (void)state;
	pthread_mutex_lock(&m->lock);
	if (known && m->text)
		r = MHD_create_response_from_buffer(m->size, m->text, MHD_RESPMEM_MUST_COPY);
	else
		r = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
	pthread_mutex_unlock(&m->lock);
	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", TYPE);
	done = MHD_queue_response(c,
				  !known    ? MHD_HTTP_NOT_FOUND
				  : m->size ? MHD_HTTP_OK
					    : MHD_HTTP_SERVICE_UNAVAILABLE,
				  r);
	MHD_destroy_response(r);
	return done;
}

int metrics_open(struct metrics **out, const char *textfile, int port, struct diag *d)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct metrics *m;

	*out = NULL;
	if (!textfile && !port)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return diag_set(d, -ENOMEM, "no memory");
	pthread_mutex_init(&m->lock, NULL);
	m->textfile = textfile;
	if (port) {
		m->server = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, http_answer, m,
					     MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_CONNECTION_LIMIT, 16U,
					     MHD_OPTION_CONNECTION_TIMEOUT, 10U, MHD_OPTION_END);
		if (!m->server) {
			metrics_close(m);
			return diag_set(d, -EADDRINUSE, "cannot listen at 127.0.0.1:%d; is it taken?", port);
		}
	}
	*out = m;
	return 0;
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	if (m->server)
		MHD_stop_daemon(m->server);
	for (int i = 0; i < WATCH_SLOTS; i++)
		free(m->devices[i].losses);
	pthread_mutex_destroy(&m->lock);
	free(m->text);
	free(m);
}
