// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/import/import.h"
#include "reports/run/fields.h"

#define TEXT_MAX_BYTES (64u << 20)
#define SAME           0.99 /* two counters are not read at the same moment, so a small difference is no loss */

/* The readers of perf's texts do not know how their file is called. Returns err. */
static int name_file(const struct import *m, int err, struct diag *d)
{
	char why[sizeof(d->text)];

	if (!err || !strncmp(d->text, m->from->file, strlen(m->from->file)))
		return err;
	memcpy(why, d->text, sizeof(why));
	return diag_replace(d, err, "%s: %s", m->from->file, why);
}

/* The text as lines. NULL: there is no memory. */
static FILE *import_open(const struct import *m, struct linescan *lines, struct diag *d)
{
	FILE *in = fmemopen(m->text, m->len, "r");

	if (!in)
		diag_set(d, -errno, "%s", strerror(errno));
	*lines = (struct linescan){.in = in};
	return in;
}

void import_list(FILE *out, const struct import *m)
{
	if (!m->tables.n && !m->found.ngroups)
		fputs(m->kind == TEXT_REPORT
			      ? "  1  the whole text: perf report, of several events or without perf's marks\n"
		      : m->kind == TEXT_DIFF   ? "the text of perf diff: use perfparse\n"
		      : m->kind == TEXT_STAT   ? "the counts of perf stat or bpftool prog profile\n"
		      : m->kind == TEXT_SCRIPT ? "no table, no rates; perhaps the samples of perf script\n"
					       : "no table of perf's shares, no rates\n",
		      out);
	for (size_t i = 0; i < m->tables.n; i++)
		printable_printf(out, "%3zu  lines %llu to %llu  %zu functions, %.2f %%  first: %s\n", i + 1,
				 (unsigned long long)m->tables.list[i].first_line,
				 (unsigned long long)m->tables.list[i].last_line, m->tables.list[i].rows,
				 m->tables.list[i].sum_pct, m->tables.list[i].first);
	for (size_t i = 0; i < m->found.ngroups; i++) { /* numbered behind the tables */
		const struct rates_group *g = &m->found.groups[i];
		const struct rates_reading *one = &g->readings[0];

		printable_printf(out, "%3zu  %zu rate%s of %s%s%s%s%s  first:", m->tables.n + 1 + i, g->n,
				 g->n == 1 ? "" : "s", g->tool, *g->device ? ", " : "", g->device,
				 *g->stream ? ", " : "", g->stream);
		if (!isnan(one->received))
			printable_printf(out, " %.0f packets/s received%s", one->received, isnan(one->sent) ? "" : ",");
		if (!isnan(one->sent))
			printable_printf(out, " %.0f packets/s sent%s", one->sent, isnan(one->received) ? "" : " on");
		if (g->cut > 0)
			printable_printf(out, "; %.0f of a part of a second left out", g->cut);
		if (g->zeros)
			printable_printf(out, "; %zu of 0 left out", g->zeros);
		printable_printf(out, "%s%s\n", g->why ? "; " : "", g->why ? g->why : "");
	}
}

/* The part of the document that is the profile, or its rates. They are numbered in one row, tables first. */
static int choose_part(struct import *m, struct diag *d)
{
	size_t n = m->tables.n, all = n + m->found.ngroups, number = (size_t)m->from->table;

	if (m->kind == TEXT_DIFF && all <= 1)
		return diag_set(d, -EINVAL,
				"%s: this is the output of perf diff, which holds two profiles: give it to perfparse, "
				"with --pps and --pps2",
				m->from->file);
	/* What no table was found in may still be one, such as a group with more events than a table alone tells. */
	if (m->kind == TEXT_SCRIPT || (!all && (m->kind == TEXT_STAT || m->kind == TEXT_REPORT))) {
		m->part = m->text;
		m->part_len = m->len;
		return 0;
	}
	if (m->kind == TEXT_ANNOTATE && !all)
		return diag_set(d, -EINVAL, "%s: perf annotate shows one function; perfparse reads it", m->from->file);
	if (!all && m->kind == TEXT_FOLDED)
		return diag_set(d, -EINVAL,
				"%s: these samples have no periods; perfparse --ns takes them as shares of the time",
				m->from->file);
	if (!all)
		return diag_set(d, -EINVAL,
				"%s: neither a table of perf report, nor perf script, nor perf stat, nor rates",
				m->from->file);
	if (!m->from->table)
		number = all == 1;
	if (!number || number > all)
		return diag_set(d, -EINVAL, "%s has %zu tables or measurements; --list shows them, --table N picks one",
				m->from->file, all);
	if (number > n) {
		m->rates = &m->found.groups[number - n - 1];
		return 0;
	}
	m->kind = TEXT_REPORT;
	m->table = n > 1 ? (int)number : 0;
	m->part = m->text;
	m->part_len = m->len;
	return 0;
}

/* The counts of perf stat, all of one place: nobody knows which of several CPUs the receiver's were. */
static int read_counts(struct import *m, struct diag *d)
{
	struct linescan lines;
	FILE *in = import_open(m, &lines, d);
	int err;

	if (!in)
		return -ENOMEM;
	err = perfstat_read(&m->stat, &lines, 0, d);
	linescan_release(&lines);
	fclose(in);
	for (size_t i = 1; i < m->stat.ncounts && !err; i++)
		if (strcmp(m->stat.counts[i].place, m->stat.counts[0].place))
			err = diag_set(d, -EINVAL,
				       "%s has counts of several places; leave those of the receiver's CPU in it",
				       m->from->file);
	if (!err && isnan(m->stat.elapsed_s) && perfstat_program_runs(&m->stat) > 0)
		m->stat.elapsed_s = perfstat_program_runs(&m->stat) / m->pps[0];
	if (!err && !(m->stat.elapsed_s > 0 && m->stat.elapsed_s < 1e6))
		err = diag_set(d, -EINVAL, "%s: how long did perf stat count? its \"seconds time elapsed\" is missing",
			       m->from->file);
	return err;
}

/*
 * Shares of an event that is no time are no nanoseconds, so a run holds its count: that of the rows or stacks that are
 * not idle, of the packets while perf recorded.
 */
static int count_events(struct import *m, const struct profile *p, const struct cost_table *t, struct diag *d)
{
	double busy = t->busy_weight / (t->busy_weight + t->idle_weight + t->excluded_weight);
	struct perfstat_line l;

	if (!(m->from->window_s > 0) || m->from->samples)
		return diag_set(
			d, -EINVAL,
			"the event '%s' %s, and a run holds nanoseconds; with --window, the seconds that perf "
			"recorded, its count is imported%s; perfparse --packets prints its functions, and --as-time "
			"takes its shares as shares of the time",
			p->event, event_no_time(p->event, p->by_weight), m->from->samples ? ", without --samples" : "");
	if (!(p->weight > 0) || p->weightless)
		return diag_set(d, -EINVAL, "the text does not contain the number of '%s' events: %s", p->event,
				p->weightless ? "run perf script with -F +period"
					      : "perf's line \"Event count (approx.)\" is missing");
	perfstat_line_init(&l);
	perfstat_count_set_event(&l.count, p->event, strlen(p->event));
	l.count.value = p->weight * busy;
	m->stat.counts = malloc(sizeof(*m->stat.counts));
	if (!m->stat.counts)
		return diag_set(d, -ENOMEM, "out of memory");
	*m->stat.counts = l.count;
	m->stat.ncounts = 1;
	m->stat.elapsed_s = m->from->window_s;
	m->kind = TEXT_STAT;
	return 0;
}

/* Reads the profile once, so that nothing is written that report would refuse. */
static int check_profile(struct import *m, struct diag *d)
{
	const struct text_pick pick = {
		.event = m->from->event, .cpu = -1, .tid = -1, .table = m->table, .kept = &m->kept};
	struct components *f = NULL;
	struct linescan lines;
	struct cost_table t;
	struct profile p;
	bool counts;
	FILE *in;
	int err;

	if ((m->from->samples || m->from->as_time) && (!m->part || m->kind == TEXT_STAT))
		return diag_set(d, -EINVAL, "%s is for a profile, and there is none",
				m->from->samples ? "--samples" : "--as-time");
	if (!m->part)
		return 0;
	if (m->kind == TEXT_STAT)
		return name_file(m, read_counts(m, d), d);
	p = (struct profile){};
	t = (struct cost_table){};
	err = components_read(&f, NULL, d);
	in = err ? NULL : import_open(m, &lines, d);
	if (in) {
		err = text_read_profile(&p, m->kind, &lines, &pick, d);
		linescan_release(&lines);
		fclose(in);
		/* The lines of a table that were read are kept: report reads the same rows of them. */
		if (!err && m->kind == TEXT_REPORT) {
			m->part = m->kept.text;
			m->part_len = m->kept.len;
		}
		err = err ?: cost_table_build(&t, &p, f, 1, d);
	} else {
		err = err ?: -ENOMEM;
	}
	counts = !m->from->as_time && event_no_time(p.event, p.by_weight);
	if (!err && isnan(t.unattributed_ns))
		err = diag_set(d, -EINVAL, "the table has no self shares; children overlap and are no costs");
	if (!err && counts)
		err = count_events(m, &p, &t, d);
	if (!err && !counts && p.samples && m->from->samples) /* the text is kept as it is */
		err = diag_set(d, -EINVAL, "%s states its number of samples; leave --samples out", m->from->file);
	if (!err && !counts && !p.samples && !m->from->samples)
		err = diag_set(d, -EINVAL,
			       "the text does not state its number of samples, and without them no interval is "
			       "known; give --samples N, or use perfparse");
	if (!counts)
		snprintf(m->event, sizeof(m->event), "%s", p.event);
	cost_table_release(&t);
	profile_release(&p);
	components_free(f);
	return name_file(m, err, d);
}

/* Does a packet of this variant go on to another device? What goes to a CPU or a socket is no device's to send. */
static bool import_goes_on(const struct run_variant *v)
{
	unsigned int verdict = run_verdict_of(v);

	return (verdict == RUN_TX || verdict == RUN_REDIRECT) && v->stage != RUN_STAGE_SOCKET;
}

/*
 * Rates: the one that was given, or those of the document that are the variant's: of what it received, or of a layer
 * that sends, of what it sent.
 */
static int take_rate(struct import *m, struct diag *d)
{
	bool given = m->from->pps > 0 || m->from->ns > 0, sends, onward;
	const struct rates_group *g = m->rates;
	double received = 0, sent = 0;
	struct run_variant v = {};
	int err = run_variant_parse(&v, m->from->variant, d);

	if (err)
		return err;
	if (given && g)
		return diag_set(d, -EINVAL, "%s holds rates; leave --pps and --ns out", m->from->file);
	if (!given && !g)
		return diag_set(d, -EINVAL, "what did a packet cost? give --pps or --ns");
	m->npps = given ? 1 : g->n;
	m->pps = calloc(m->npps, sizeof(*m->pps));
	if (!m->pps)
		return diag_set(d, -ENOMEM, "out of memory");
	if (given) {
		m->pps[0] = m->from->pps > 0 ? m->from->pps : 1e9 / m->from->ns;
		return 0;
	}
	if (g->why)
		return diag_set(d, -EINVAL, "%s: %s", m->from->file, g->why);
	if (g->cut > 0)
		snprintf(m->left_out, sizeof(m->left_out),
			 "%.0f packets/s are left out: they are of a second that the traffic did not fill", g->cut);
	sends = run_variant_is_layer(&v) && run_layer_sends(&v);
	onward = import_goes_on(&v);
	for (size_t i = 0; i < g->n; i++) {
		const struct rates_reading *one = &g->readings[i];

		m->pps[i] = sends ? one->sent : isnan(one->received) && onward ? one->sent : one->received;
		if (!(m->pps[i] > 0))
			return diag_set(
				d, -EINVAL, "%s: %s counted only what was %s, and a packet of %s is one that was %s",
				m->from->file, g->tool, sends ? "received" : "sent", v.id, sends ? "sent" : "received");
		received += one->received;
		sent += one->sent;
	}
	if (onward && sent == 0)
		return diag_set(d, -EINVAL,
				"%s: 0 of %.0f packets a second were sent on, so there is no cost of a packet that was",
				m->from->file, received / (double)g->n);
	if (onward && run_variant_is_layer(&v) && sent < SAME * received) /* no gate of a layer would see it */
		return diag_set(d, -EINVAL, "%s: only %.0f %% of the packets were sent on", m->from->file,
				100 * sent / received);
	return 0;
}

/* Returns true without memory. */
static bool import_put(json_t *o, const char *name, const char *text)
{
	return text && json_object_set_new(o, name, json_text_string(text));
}

static int import_add_window(struct run_block *b, enum run_window_kind kind, unsigned int verdict, double pps)
{
	struct run_window *w = run_add_window(b);
	struct run_cpu *cpu;

	if (!w)
		return -ENOMEM;
	w->kind = kind;
	w->from_ns = b->nwindows > 1 ? b->windows[b->nwindows - 2].to_ns : 0;
	w->to_ns = w->from_ns + 1000000000; /* a rate is the packets of one second */
	cpu = run_add_cpu(w, 0);
	if (!cpu)
		return -ENOMEM;
	cpu->verdicts[verdict] = (uint64_t)llround(pps);
	return 0;
}

static int import_add_blocks(struct run *r, const struct import *m)
{
	const struct run_variant *v = &r->variants[0];
	unsigned int verdict = run_verdict_of(v);

	for (size_t i = 0; i < m->npps; i++) {
		const struct rates_reading *one = m->rates ? &m->rates->readings[i] : NULL;
		struct run_block *b = run_add_block(r);

		if (!b)
			return -ENOMEM;
		b->index = b->round = (int)i;
		b->mode_found = v->mode;
		/* What was not sent on is missing: the gates of frames that did not leave see it. */
		if (one && import_goes_on(v) && !isnan(one->received) && !isnan(one->sent)) {
			int64_t received = llround(one->received);
			int64_t sent = one->sent < SAME * one->received ? llround(one->sent) : received;

			if (v->stage == RUN_STAGE_NONE) {
				b->totals.tx_verdicts = received;
				b->totals.tx_sent = sent;
			} else {
				b->totals.redirected = received;
				b->totals.consumer_frames = sent;
				b->totals.consumer_dropped = received - sent;
			}
		}
		if (import_add_window(b, RUN_BASE, verdict, m->pps[i]))
			return -ENOMEM;
		if (!m->part)
			continue;
		if (m->kind != TEXT_STAT) {
			snprintf(b->script, sizeof(b->script), "blocks/000.%s",
				 m->kind == TEXT_SCRIPT ? "script" : "report");
			if (import_add_window(b, RUN_PROFILE, verdict, m->pps[i]))
				return -ENOMEM;
			continue;
		}
		/* Packets while perf stat counted: the rate, for that time. Did perf slow them down? Not known. */
		if (import_add_window(b, RUN_COUNT, verdict, m->pps[0] * m->stat.elapsed_s))
			return -ENOMEM;
		struct run_window *w = &b->windows[b->nwindows - 1];
		w->to_ns = w->from_ns + (uint64_t)(m->stat.elapsed_s * 1e9);
		for (size_t k = 0; k < m->stat.ncounts; k++) {
			const struct perfstat_count *c = &m->stat.counts[k];
			struct run_event *e = run_add_event(w);

			if (!e)
				return -ENOMEM;
			snprintf(e->name, sizeof(e->name), "%s", c->event);
			snprintf(e->unit, sizeof(e->unit), "%s", c->unit);
			e->count = c->state == PERFSTAT_COUNTED ? c->value : e->count;
			e->running_pct = c->state == PERFSTAT_COUNTED ? c->running_pct : e->running_pct;
		}
	}
	return 0;
}

static int fill_run(struct run *r, const struct import *m, json_t *command, struct diag *d)
{
	const struct import_from *a = m->from;
	struct run_variant *v = run_add_variant(r);
	int err = v ? run_variant_parse(v, a->variant, d) : diag_set(d, -ENOMEM, "out of memory");
	bool failed = false;

	if (err)
		return err;
	if (m->rates && v->stage != RUN_STAGE_NONE)
		snprintf(v->stage_text, sizeof(v->stage_text), "%s%sby %s", m->rates->stream,
			 *m->rates->stream ? ", " : "", m->rates->tool);
	snprintf(r->version, sizeof(r->version), "%s", XDPZOOM_VERSION);
	snprintf(r->started, sizeof(r->started), "%s", a->date ? a->date : NOT_KNOWN);
	snprintf(r->event, sizeof(r->event), "%s", m->event);
	snprintf(r->order, sizeof(r->order), "%s", "imported");
	snprintf(r->ended, sizeof(r->ended), "%s", "complete");
	/* The seed makes two imports different runs for a history: it is a hash of what was imported. */
	r->seed = (uint64_t)hash_bytes(m->pps, m->npps * sizeof(*m->pps), 1) << 32 |
		  (m->part ? hash_bytes(m->part, m->part_len, 2) : 0);
	r->command = json_incref(command);
	r->environment = json_object();
	r->device = json_object();
	r->load = json_object();
	failed |= import_put(r->environment, "kernel",
			     a->kernel                      ? a->kernel
			     : a->data && *a->data->release ? a->data->release
							    : NULL);
	failed |= a->data && a->data->text && import_put(r->environment, "perf", a->data->version);
	failed |= import_put(r->environment, "cpu_model", a->cpu_model);
	failed |= import_put(r->environment, "imported_from", a->source ? a->source : a->file);
	failed |= import_put(r->device, "name", a->nic || !m->rates || !*m->rates->device ? a->nic : m->rates->device);
	failed |= import_put(r->device, "driver",
			     a->driver || !m->rates || !*m->rates->driver ? a->driver : m->rates->driver);
	return failed || import_add_blocks(r, m) ? diag_set(d, -ENOMEM, "out of memory") : 0;
}

int import_read(struct import *m, const struct import_from *from, struct diag *d)
{
	const struct text_pick all = {.cpu = -1, .event = from->event, .list = &m->tables};
	struct undress worn = {};
	struct text_lines all_lines = {};
	struct linescan lines;
	const char *foreign;
	struct profile p;
	FILE *in;
	bool data;
	size_t got;
	int failed, err;

	*m = (struct import){.from = from};
	if (!from->file)
		return 0;
	data = from->data && from->data->text;
	in = data ? from->data->text : fopen(from->file, "re");
	if (!in)
		return diag_set(d, -errno, "%s: %s", from->file, strerror(errno));
	m->text = malloc(TEXT_MAX_BYTES + 1);
	got = m->text ? fread(m->text, 1, TEXT_MAX_BYTES + 1, in) : 0;
	failed = ferror(in);
	if (!data)
		fclose(in);
	if (failed)
		return diag_set(d, -EIO, "%s cannot be read", from->file);
	if (!m->text)
		return diag_set(d, -ENOMEM, "out of memory");
	if (got > TEXT_MAX_BYTES)
		return diag_set(d, -EFBIG, "%s is larger than 64 MiB", from->file);
	m->len = got;
	failed = !text_lines_add(&all_lines, m->text, 0, got) || !undress_lines(&worn, m->text, &m->len, &all_lines) ||
		 !undress_join(&worn, m->text, &m->len, &all_lines);
	free(all_lines.ends);
	if (failed)
		return diag_set(d, -ENOMEM, "out of memory");
	undress_words(&worn, m->undressed, sizeof(m->undressed));
	if (!got)
		return diag_set(d, -EINVAL, "%s is empty", from->file);
	foreign = text_kind_foreign(m->text, m->len);
	if (foreign)
		return diag_set(d, -EINVAL, "%s: %s", from->file, foreign);
	m->kind = text_kind_guess(m->text, m->len);
	if (rates_find(&m->found, m->text, m->len))
		return diag_set(d, -ENOMEM, "out of memory");
	if (m->kind == TEXT_SCRIPT || m->kind == TEXT_DIFF || m->kind == TEXT_FOLDED || m->kind == TEXT_ANNOTATE)
		return 0;
	/* The tables of a text that is not as a whole of one command, by perfparse's reader. */
	in = import_open(m, &lines, d);
	if (!in)
		return name_file(m, -ENOMEM, d);
	err = report_read(&p, &lines, &all, d);
	linescan_release(&lines);
	fclose(in);
	if (err && err != -ENOMEM && (m->kind != TEXT_REPORT || m->tables.n)) /* what was read before stays */
		err = 0;
	return name_file(m, err, d);
}

int import_write(struct import *m, const struct run_dir *dir, json_t *command, struct diag *d)
{
	int err = m->from->file ? choose_part(m, d) : 0;
	char path[4200];
	struct run r;
	FILE *out;

	if (!err)
		err = take_rate(m, d) ?: check_profile(m, d);
	/* A run holds no larger numbers. */
	bool counts = !err && m->kind == TEXT_STAT && m->part;
	if (counts && m->pps[0] * m->stat.elapsed_s > FIELD_MOST)
		err = diag_set(d, -EINVAL, "%s: at this rate, there were more than 2^53 packets in its time",
			       m->from->file);
	for (size_t i = 0; counts && i < m->stat.ncounts && !err; i++)
		if (m->stat.counts[i].value > FIELD_REAL_MOST)
			err = diag_set(d, -EINVAL, "%s: the count of %s is larger than 10^18", m->from->file,
				       m->stat.counts[i].event);
	if (err)
		return err;
	run_init(&r);
	err = fill_run(&r, m, command, d);
	if (!err && m->part && m->kind != TEXT_STAT) {
		snprintf(path, sizeof(path), "%s/%s", dir->at, r.blocks[0].script);
		out = fopen(path, "we");
		if (out && m->kind != TEXT_SCRIPT && m->from->samples)
			printable_printf(out, "# Samples: %d  of event '%s'\n", m->from->samples,
					 *m->event ? m->event : NOT_KNOWN);
		if (out)
			printable_lines(out, m->part, m->part_len);
		if (!out || fputc('\n', out) == EOF || fflush(out) || ferror(out))
			err = diag_set(d, -errno, "%s: %s", path, strerror(errno));
		if (out)
			fclose(out);
	}
	for (size_t i = 0; i < r.nblocks && !err; i++)
		err = run_seal_script(&r.blocks[i], dir->at, d);
	if (!err)
		err = run_write(&r, dir->at, d);
	run_dir_tell(dir, d);
	run_release(&r);
	return err;
}

void import_release(struct import *m)
{
	free(m->tables.list);
	m->tables = (struct report_tables){};
	free(m->kept.text);
	m->kept = (struct report_text){};
	rates_release(&m->found);
	perfstat_release(&m->stat);
	free(m->pps);
	m->pps = NULL;
	free(m->text);
	m->text = NULL;
}
