// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <microhttpd.h>
#include <netinet/in.h>

#define TYPE   "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define PREFIX "xdpzoom_watch_"

#define CONNECTIONS 16
#define PATIENCE_S  10 /* for a whole request and its answer */

struct metrics;

/* Each has a sample for each device: a sum since the beginning, or what the last interval had. */
static const struct family {
	const char *name, *unit, *help;
	bool gauge;
} families[] = {
	{"packets", NULL, "Packets that NAPI polls took."},
	{"polls", NULL, "NAPI polls."},
	{"empty_polls", NULL, "NAPI polls that found nothing."},
	{"full_polls", NULL, "NAPI polls that used up their budget."},
	{"squeezed", NULL, "Softirqs that ran out of budget or time."},
	{"backlog_drops", NULL, "Packets that a full queue of a CPU lost."},
	{"busy_seconds", "seconds", "CPU time for the packets of a device."},
	{"cost_seconds", "seconds", "CPU time of a packet, in the last interval.", true},
	{"cost_half_seconds", "seconds", "Half of its 95 % interval.", true},
};

#define FAMILIES (sizeof(families) / sizeof(*families))

struct totals {
	char device[32]; /* "": not in use */
	double values[FAMILIES];
	struct counters losses; /* sums */
	struct attached programs[ATTACHED_MAX];
	size_t nprograms;
	bool fresh; /* in this interval */
};

struct metrics {
	const char *textfile;
	struct MHD_Daemon *server;
	int listen_fd;        /* -1, or the server's */
	pthread_mutex_t lock; /* of text, size and began */
	struct {
		uint64_t at_ns; /* 0: not in use */
		int fd;
	} began[CONNECTIONS];
	char *text;
	size_t size;
	struct totals devices[WATCH_SLOTS];
};

int metrics_add(struct metrics *m, const struct watch_line *line)
{
	const struct watched *dev = line->device;
	const struct watch_polls *p = &line->polls;
	const double now[FAMILIES] = {(double)p->packets,
				      (double)p->polls,
				      (double)p->empty,
				      (double)p->full,
				      (double)line->squeezed,
				      (double)line->backlog_drops,
				      isnan(line->busy_pct) ? 0 : line->busy_pct / 100 * line->seconds,
				      line->cost.ns / 1e9,
				      line->cost.half / 1e9};
	struct totals *t = NULL;
	char label[32];
	int err = 0;

	snprintf(label, sizeof(label), "%s", dev ? dev->nd.name : "(backlog)");
	json_text_in_place(label);
	/* it is no UTF-8, or the backlog's: another name may look the same */
	if (dev && (strcmp(label, dev->nd.name) || !strcmp(label, "(backlog)")))
		snprintf(label + strlen(label), 12, "#%d", dev->nd.ifindex);
	if (!m)
		return 0;
	/* A device that comes back goes on where it was: a name stands once. */
	for (struct totals *one = m->devices; one < m->devices + WATCH_SLOTS; one++) {
		if (!strcmp(one->device, label)) {
			t = one;
			break;
		}
		if (!one->fresh && (!t || (*t->device && !*one->device)))
			t = one;
	}
	if (!t)
		return 0; /* all are in use in this interval */
	if (strcmp(t->device, label) != 0) {
		counters_release(&t->losses);
		*t = (struct totals){};
		snprintf(t->device, sizeof(t->device), "%s", label);
	}
	t->fresh = true;
	for (size_t i = 0; i < FAMILIES; i++)
		t->values[i] = families[i].gauge ? now[i] : t->values[i] + now[i];
	t->nprograms = dev ? dev->nprograms : 0;
	if (dev)
		memcpy(t->programs, dev->programs, sizeof(t->programs));
	for (size_t i = 0; dev && i < dev->grown.n && !err; i++) {
		const struct counter *c = &dev->grown.list[i];
		size_t at = 0;

		if (!counter_is_loss(c) || !c->known)
			continue;
		while (at < t->losses.n && strcmp(t->losses.list[at].name, c->name) != 0)
			at++;
		if (at < t->losses.n)
			t->losses.list[at].value += c->value;
		else
			err = counters_append(&t->losses, c->source, c->name, strlen(c->name), c->value, true);
	}
	return err;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

static void sample(FILE *out, const char *name, const struct totals *t, const char *label, const char *value)
{
	fprintf(out, PREFIX "%s{", name);
	openmetrics_label(out, "device", t->device);
	if (label) {
		fputc(',', out);
		openmetrics_label(out, label, value);
	}
}

int metrics_publish(struct metrics *m, size_t unwatched, struct diag *d)
{
	char *text = NULL, *old;
	size_t size = 0;
	FILE *out = m ? open_memstream(&text, &size) : NULL;
	const struct totals *end = m ? m->devices + WATCH_SLOTS : NULL;
	struct new_file file;
	char name[64];
	int err;

	if (!m)
		return 0;
	if (!out)
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct family *f = &families[i];

		snprintf(name, sizeof(name), PREFIX "%s", f->name);
		openmetrics_head(out, name, f->gauge ? "gauge" : "counter", f->unit, f->help);
		snprintf(name, sizeof(name), "%s%s", f->name, f->gauge ? "" : "_total");
		for (const struct totals *t = m->devices; t < end; t++) {
			if (!*t->device || (f->gauge && (!t->fresh || isnan(t->values[i]))))
				continue;
			sample(out, name, t, NULL, NULL);
			fprintf(out, "} %.15g\n", t->values[i]);
		}
	}
	openmetrics_head(out, PREFIX "lost_packets", "counter", NULL, "Frames lost, by the counter of the device.");
	for (const struct totals *t = m->devices; t < end; t++)
		for (size_t i = 0; i < t->losses.n; i++) {
			sample(out, "lost_packets_total", t, "counter", t->losses.list[i].name);
			fprintf(out, "} %" PRIu64 "\n", t->losses.list[i].value);
		}
	openmetrics_head(out, PREFIX "program", "gauge", NULL, "1 for each program that sits at a device.");
	for (const struct totals *t = m->devices; t < end; t++)
		for (size_t i = 0; i < t->nprograms; i++) {
			sample(out, "program", t, "hook", t->programs[i].hook);
			fputc(',', out);
			openmetrics_label(out, "name", t->programs[i].name);
			fprintf(out, ",id=\"%" PRIu32 "\"} 1\n", t->programs[i].id);
		}
	openmetrics_head(out, PREFIX "unwatched_devices", "gauge", NULL, "Devices that there is no room for.");
	fprintf(out, PREFIX "unwatched_devices %zu\n# EOF\n", unwatched);
	if (fclose(out)) {
		free(text);
		return diag_set(d, -ENOMEM, "no memory");
	}
	for (int i = 0; i < WATCH_SLOTS; i++)
		m->devices[i].fresh = false;
	err = m->textfile ? new_file_open(&file, m->textfile, 0644, d) : 0;
	if (m->textfile && !err) {
		if (fwrite(text, 1, size, file.stream) != size || fflush(file.stream))
			err = diag_set(d, -EIO, "cannot write %s: %s", m->textfile, strerror(errno));
		err = new_file_close(&file, err, d);
	}
	pthread_mutex_lock(&m->lock);
	old = m->text;
	m->text = text;
	m->size = size;
	/* A connection that has had its time makes room for others. */
	uint64_t now = now_ns();
	for (int i = 0; i < CONNECTIONS; i++)
		if (m->began[i].at_ns && now - m->began[i].at_ns > PATIENCE_S * 1000000000ULL)
			shutdown(m->began[i].fd, SHUT_RDWR);
	pthread_mutex_unlock(&m->lock);
	free(old);
	return err;
}

/* ---- over HTTP --------------------------------------------------------------------------------------------------- */

static enum MHD_Result http_answer(void *arg, struct MHD_Connection *c, const char *url, const char *method,
				   const char *version, const char *data, size_t *size, void **state)
{
	struct metrics *m = arg;
	bool known = !strcmp(method, "GET") && !strcmp(url, "/metrics"), here, has;
	/* A page of another site may not ask by a name that leads to this address. */
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
	size_t length = host ? strcspn(host, ":") : 0;
	struct MHD_Response *r;
	enum MHD_Result done = MHD_NO;

	(void)version, (void)data, (void)size, (void)state;
	here = !host || (length == 9 && (!strncmp(host, "127.0.0.1", 9) || !strncasecmp(host, "localhost", 9)));
	pthread_mutex_lock(&m->lock);
	has = known && here && m->text;
	r = MHD_create_response_from_buffer(has ? m->size : 0, has ? m->text : "", MHD_RESPMEM_MUST_COPY);
	pthread_mutex_unlock(&m->lock);
	if (r && MHD_add_response_header(r, "Content-Type", TYPE))
		done = MHD_queue_response(c,
					  !here    ? MHD_HTTP_FORBIDDEN
					  : !known ? MHD_HTTP_NOT_FOUND
					  : has    ? MHD_HTTP_OK
						   : MHD_HTTP_SERVICE_UNAVAILABLE,
					  r);
	if (r)
		MHD_destroy_response(r);
	return done;
}

/* Notes when each connection began: MHD's own limit begins anew with each byte. */
static void http_connection(void *arg, struct MHD_Connection *c, void **state, enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct metrics *m = arg;

	(void)state;
	pthread_mutex_lock(&m->lock);
	for (int i = 0; info && i < CONNECTIONS; i++) {
		if (what == MHD_CONNECTION_NOTIFY_STARTED && !m->began[i].at_ns) {
			m->began[i].fd = info->connect_fd;
			m->began[i].at_ns = now_ns();
			break;
		}
		if (what == MHD_CONNECTION_NOTIFY_CLOSED && m->began[i].at_ns && m->began[i].fd == info->connect_fd)
			m->began[i].at_ns = 0;
	}
	pthread_mutex_unlock(&m->lock);
}

int metrics_open(struct metrics **out, const char *where, struct diag *d)
{
	bool file = where && where[strspn(where, "0123456789")];
	long port = where && !file ? strtol(where, NULL, 10) : 0;
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct metrics *m;
	int on = 1;

	*out = NULL;
	if (!where)
		return 0;
	if (!file && (port < 1 || port > 65535))
		return diag_set(d, -EINVAL, "--metrics %s: a port is 1 to 65535", where);
	m = *out = calloc(1, sizeof(*m));
	if (!m)
		return diag_set(d, -ENOMEM, "no memory");
	pthread_mutex_init(&m->lock, NULL);
	m->textfile = file ? where : NULL;
	m->listen_fd = file ? -1 : socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (file)
		return 0;
	setsockopt(m->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(m->listen_fd, (struct sockaddr *)&at, sizeof(at)) || listen(m->listen_fd, CONNECTIONS))
		return diag_set(d, -errno, "cannot listen at 127.0.0.1:%ld: %s", port, strerror(errno));
	return 0;
}

int metrics_serve(struct metrics *m, struct diag *d)
{
	if (!m || m->textfile)
		return 0;
	m->server = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, http_answer, m,
				     MHD_OPTION_LISTEN_SOCKET, m->listen_fd, MHD_OPTION_CONNECTION_LIMIT,
				     (unsigned int)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)PATIENCE_S,
				     MHD_OPTION_NOTIFY_CONNECTION, http_connection, m, MHD_OPTION_END);
	return m->server ? 0 : diag_set(d, -EIO, "no thread can be started that answers Prometheus");
}

void metrics_close(struct metrics *m)
{
	if (!m)
		return;
	if (m->server)
		MHD_stop_daemon(m->server);
	else if (m->listen_fd >= 0)
		close(m->listen_fd);
	for (int i = 0; i < WATCH_SLOTS; i++)
		counters_release(&m->devices[i].losses);
	pthread_mutex_destroy(&m->lock);
	free(m->text);
	free(m);
}
