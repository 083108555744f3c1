// SPDX-License-Identifier: GPL-2.0-or-later
/* What event.json holds, as facts about a device. A stranger may have written it: a wrong type is not known. */
#include <fnmatch.h>
#include "reports/why/why.h"

#define MOMENT_BYTES (1LL << 26)

int why_load(json_t **moment, const char *dir, struct diag *d)
{
	char path[4200];
	struct diag why = {};
	const char *schema;
	FILE *f;
	int err;

	*moment = NULL;
	snprintf(path, sizeof(path), "%.4100s/" RUN_MOMENT, dir);
	err = foreign_file_open(&f, AT_FDCWD, path, true, MOMENT_BYTES, &why);
	if (err)
		return err == -ENOENT || err == -ENOTDIR ? 0 : diag_set(d, err, "%s", why.text);
	*moment = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
	fclose(f);
	schema = json_string_value(json_object_get(*moment, "schema"));
	if (schema && !strcmp(schema, RUN_MOMENT_SCHEMA) && json_is_array(json_object_get(*moment, "sides")))
		return 0;
	json_decref(*moment);
	*moment = NULL;
	return diag_set(d, -EINVAL, "%s: not what xdpzoom watch writes", path);
}

/* ---- values ------------------------------------------------------------------------------------- */

static double number_in(const json_t *o, const char *name)
{
	const json_t *value = json_object_get(o, name);
	double number = json_is_number(value) ? json_number_value(value) : NAN;

	return isfinite(number) ? number : NAN;
}

static int64_t whole_in(const json_t *o, const char *name)
{
	const json_t *value = json_object_get(o, name);

	return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -1;
}

static const char *why_words(const json_t *value, char *words, size_t size)
{
	if (json_is_string(value))
		snprintf(words, size, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(words, size, "%lld", (long long)json_integer_value(value));
	else if (json_is_number(value))
		snprintf(words, size, "%g", json_number_value(value));
	else if (json_is_boolean(value))
		snprintf(words, size, "%s", json_is_true(value) ? "on" : "off");
	else
		snprintf(words, size, "none");
	return words;
}

double why_amount(const json_t *side, const char *of, const char *name)
{
	const json_t *o = json_object_get(json_object_get(side, "amounts"), of), *value = json_object_get(o, name);

	if (!side)
		return NAN;
	return value ? number_in(o, name) : 0;
}

static double rate(const json_t *side, const char *of, const char *name)
{
	double seconds = number_in(side, "seconds");

	return seconds > 0 ? why_amount(side, of, name) / seconds : NAN;
}

/* ---- losses ------------------------------------------------------------------------------------- */

static int add_loss(struct why_facts *f, const char *of, const char *name, enum why_hop hop, const char *meaning,
		    const struct why_moments *m)
{
	struct why_loss *l;
	char words[sizeof(l->name)];

	snprintf(words, sizeof(words), "%.30s%s%.62s", of, *of ? " " : "", name);
	for (size_t i = 0; i < f->nlosses; i++)
		if (!strcmp(f->losses[i].name, words))
			return 0;
	l = array_add(&f->losses, &f->nlosses, sizeof(*l));
	if (!l)
		return -ENOMEM;
	*l = (struct why_loss){.hop = hop};
	snprintf(l->name, sizeof(l->name), "%s", words);
	snprintf(l->meaning, sizeof(l->meaning), "%s", meaning);
	for (int side = 0; side < WHY_SIDES; side++)
		l->per_s[side] = rate(m->side[side], of, name);
	return 0;
}

static int read_losses(struct why_facts *f, const struct why_moments *m, const json_t *side)
{
	/* Counters of the stack, of packets that came in and got lost. */
	static const struct {
		const char *glob;
		enum why_hop hop;
	} losses[] = {
		{"Ip.@(InHdrErrors|InAddrErrors|InUnknownProtos|InDiscards|ReasmFails|FragFails)", WHY_IP},
		{"Ip.@(OutDiscards|OutNoRoutes)", WHY_QDISC},
		{"IpExt.@(InNoRoutes|InTruncatedPkts)", WHY_IP},
		{"@(Udp|UdpLite).@(NoPorts|RcvbufErrors|InCsumErrors|MemErrors)", WHY_SOCKET},
		{"TcpExt.@(ListenDrops|TCPBacklogDrop|TCPRcvQDrop|PruneCalled|RcvPruned|TCPOFODrop|TCPZeroWindowDrop)",
		 WHY_SOCKET},
		{"TcpExt.IPReversePathFilter", WHY_IP},
	};
	const char *of, *name;
	json_t *o, *value;
	int err = 0;

	json_object_foreach (json_object_get(side, "amounts"), of, o)
		json_object_foreach (o, name, value) {
			const char *blank = strchr(name, ' '), *meaning = "";
			enum why_hop hop = WHY_HOPS;
			struct counter c = {};

			for (size_t i = 0; !*of && hop == WHY_HOPS && i < sizeof(losses) / sizeof(*losses); i++)
				if (!fnmatch(losses[i].glob, name, FNM_EXTMATCH))
					hop = losses[i].hop;
			if (hop == WHY_HOPS && !strncmp(of, "cpu ", 4) && !strcmp(name, "backlog dropped")) {
				hop = WHY_BACKLOG;
				meaning = "a CPU's queue of the stack was full";
			} else if (hop == WHY_HOPS && !strcmp(name, "qdisc drops")) {
				hop = WHY_QDISC;
				meaning = "dropped by the qdisc";
			} else if (hop == WHY_HOPS && blank && !strcmp(of, f->device)) {
				/* "ethtool rx_queue_0_drops" */
				while (c.source < COUNTER_SOURCES &&
				       (strlen(counter_source_names[c.source]) != (size_t)(blank - name) ||
					strncmp(counter_source_names[c.source], name, (size_t)(blank - name)) != 0))
					c.source++;
				snprintf(c.name, sizeof(c.name), "%s", blank + 1);
				meaning = counter_meaning(&c);
				if (c.source < COUNTER_SOURCES && counter_is_loss(&c))
					hop = strstr(name, " tx") ? WHY_QDISC : WHY_DEVICE;
			}
			if (hop != WHY_HOPS && !err)
				err = add_loss(f, of, name, hop, meaning, m);
		}
	return err;
}

/* ---- queues ------------------------------------------------------------------------------------- */

enum why_hop why_hop_of_queue(const char *kind)
{
	if (!strcmp(kind, "ring"))
		return WHY_DEVICE;
	if (!strcmp(kind, "backlog"))
		return WHY_BACKLOG;
	if (!strcmp(kind, "qdisc") || !strcmp(kind, "bql") || !strcmp(kind, "af_xdp tx"))
		return WHY_QDISC;
	return !strcmp(kind, "cpumap") ? WHY_REDIRECT : WHY_SOCKET;
}

static int read_queues(struct why_facts *f, const json_t *moment, int side)
{
	json_t *o;
	size_t i;

	json_array_foreach (json_object_get(moment, "queues"), i, o) {
		const char *kind = json_text_of(o, "kind"), *device = json_text_of(o, "device");
		struct why_queue q = {.hop = why_hop_of_queue(kind),
				      .socket = whole_in(o, "socket"),
				      .map = whole_in(o, "map"),
				      .number = whole_in(o, "number")},
				 *found = NULL;

		if (!strcmp(kind, "udp socket"))
			snprintf(q.name, sizeof(q.name), "udp socket at port %lld", (long long)q.number);
		else if (!strcmp(kind, "cpumap"))
			snprintf(q.name, sizeof(q.name), "cpumap %lld on CPU %lld", (long long)q.map,
				 (long long)q.number);
		else if (!strcmp(kind, "backlog"))
			snprintf(q.name, sizeof(q.name), "backlog of CPU %lld", (long long)q.number);
		else
			snprintf(q.name, sizeof(q.name), "%.15s%s%.20s %lld", device, *device ? " " : "", kind,
				 (long long)q.number);
		for (size_t k = 0; k < f->nqueues && !found; k++)
			if (!strcmp(f->queues[k].name, q.name) && f->queues[k].socket == q.socket)
				found = &f->queues[k];
		if (!found) {
			found = array_add(&f->queues, &f->nqueues, sizeof(*found));
			if (!found)
				return -ENOMEM;
			snprintf(q.unit, sizeof(q.unit), "%s", json_text_of(o, "unit"));
			snprintf(q.not_known, sizeof(q.not_known), "%s", json_text_of(o, "not_known"));
			if (!strcmp(kind, "tap"))
				snprintf(q.tap, sizeof(q.tap), "%s", device);
			for (int k = 0; k < WHY_SIDES; k++)
				q.size[k] = q.p50[k] = q.p99[k] = q.full_pct[k] = q.near_pct[k] = q.wait_us[k] = NAN;
			*found = q;
		}
		found->size[side] = number_in(o, "size");
		found->p50[side] = number_in(o, "p50");
		found->p99[side] = number_in(o, "p99");
		found->full_pct[side] = number_in(o, "full_pct");
		found->near_pct[side] = number_in(o, "near_pct");
		found->wait_us[side] = number_in(o, "wait_us");
	}
	return 0;
}

/* ---- CPUs --------------------------------------------------------------------------------------- */

static int read_cpus(struct why_facts *f, const struct why_moments *m, const json_t *side)
{
	const char *of;
	json_t *o;

	json_object_foreach (json_object_get(side, "amounts"), of, o) {
		struct why_cpu *c;
		int cpu;

		if (sscanf(of, "cpu %d", &cpu) != 1 || cpu < 0)
			continue;
		for (size_t i = 0; i < f->ncpus; i++)
			if (f->cpus[i].cpu == cpu)
				cpu = -1;
		if (cpu < 0)
			continue;
		c = array_add(&f->cpus, &f->ncpus, sizeof(*c));
		if (!c)
			return -ENOMEM;
		c->cpu = cpu;
		for (int k = 0; k < WHY_SIDES; k++) {
			char words[24], name[40];
			double all, packets = why_amount(m->side[k], f->device, "packets");

			snprintf(words, sizeof(words), "cpu %d", cpu);
			snprintf(name, sizeof(name), "packets on cpu %d", c->cpu);
			c->user_pct[k] = why_amount(m->side[k], words, "user ns");
			c->system_pct[k] = why_amount(m->side[k], words, "system ns");
			c->irq_pct[k] = why_amount(m->side[k], words, "irq ns");
			c->idle_pct[k] = why_amount(m->side[k], words, "idle ns");
			c->steal_pct[k] = why_amount(m->side[k], words, "steal ns");
			all = (c->user_pct[k] + c->system_pct[k] + c->irq_pct[k] + c->idle_pct[k] + c->steal_pct[k]) /
			      100;
			c->user_pct[k] /= all;
			c->system_pct[k] /= all;
			c->irq_pct[k] /= all;
			c->idle_pct[k] /= all;
			c->steal_pct[k] /= all;
			c->packets_pct[k] = packets > 0 ? 100 * why_amount(m->side[k], f->device, name) / packets : NAN;
		}
	}
	return 0;
}

/* "ethtool rx_queue_3_xdp_packets", "ethtool rx3_packets": by the names that drivers give to such counters */
static int why_moment_queue_of(const char *name)
{
	static const char *const forms[] = {"ethtool rx_queue_%d_%n", "ethtool rx%d_%n", "ethtool rx-%d.%n"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		int queue = -1, end = 0;

		if (sscanf(name, forms[i], &queue, &end) == 1 && end &&
		    (!strcmp(name + end, "packets") || !strcmp(name + end, "xdp_packets")))
			return queue;
	}
	return -1;
}

static int read_shares(struct why_facts *f, const json_t *side, int k)
{
	json_t *o = json_object_get(json_object_get(side, "amounts"), f->device), *value;
	double sum = 0;
	const char *name;

	json_object_foreach (o, name, value)
		sum += why_moment_queue_of(name) >= 0 ? number_in(o, name) : 0;
	json_object_foreach (o, name, value) {
		struct why_queue_share *one = NULL;
		int queue = why_moment_queue_of(name);

		if (queue < 0 || !(sum > 0))
			continue;
		for (size_t i = 0; i < f->nqueue_shares; i++)
			one = f->queue_shares[i].queue == queue ? &f->queue_shares[i] : one;
		if (!one)
			one = array_add(&f->queue_shares, &f->nqueue_shares, sizeof(*one));
		if (!one)
			return -ENOMEM;
		one->queue = queue;
		one->pct[k] = 100 * number_in(o, name) / sum;
	}
	return 0;
}

/* ---- tasks -------------------------------------------------------------------------------------- */

#define NEAR_S 1.0

static int read_tasks(struct why_facts *f, const json_t *state, int side)
{
	json_t *first = NULL, *last = NULL, *o;
	const char *name;
	size_t i;

	/* The readings that bound a side: one near the moment belongs to both sides. */
	json_array_foreach (json_object_get(state, "readings"), i, o) {
		double at_s = number_in(o, "at_s");

		if (f->two_sides && !f->two_runs && (side == WHY_BEFORE ? !(at_s < NEAR_S) : !(at_s > -NEAR_S)))
			continue;
		first = first ?: o;
		last = o;
	}
	json_object_foreach (json_object_get(last, "tasks"), name, o) {
		const json_t *then = first != last ? json_object_get(json_object_get(first, "tasks"), name) : NULL;
		struct why_task *t = NULL;

		for (i = 0; i < f->ntasks && !t; i++)
			t = strcmp(f->tasks[i].name, name) ? NULL : &f->tasks[i];
		if (!t) {
			t = array_add(&f->tasks, &f->ntasks, sizeof(*t));
			if (!t)
				return -ENOMEM;
			snprintf(t->name, sizeof(t->name), "%s", name);
			for (int k = 0; k < WHY_SIDES; k++)
				t->on_cpu_pct[k] = t->waited_pct[k] = t->throttled_pct[k] = t->quota[k] = NAN;
		}

		/*
		 * What somebody can change is that of the first reading before: the last one may be later than the
		 * change.
		 */
		double seconds = number_in(last, "at_s") - number_in(first, "at_s");
		const json_t *set = side == WHY_BEFORE && then ? then : o;
		json_t *sockets = json_object_get(o, "sockets"), *taps = json_object_get(o, "taps"), *one;
		double pct = seconds > 0 && then ? 100 / (seconds * 1e9) : NAN;

		t->there[side] = true;
		t->cpu = (int)whole_in(o, "cpu");
		snprintf(t->role, sizeof(t->role), "%s", json_text_of(o, "role"));
		snprintf(t->state[side], sizeof(t->state[side]), "%s", json_text_of(set, "state"));
		snprintf(t->affinity[side], sizeof(t->affinity[side]), "%s", json_text_of(set, "affinity"));
		snprintf(t->group, sizeof(t->group), "%s", json_text_of(o, "group"));
		t->quota[side] = number_in(set, "quota");
		t->on_cpu_pct[side] = (number_in(o, "on_cpu_ns") - number_in(then, "on_cpu_ns")) * pct;
		t->waited_pct[side] = (number_in(o, "waited_ns") - number_in(then, "waited_ns")) * pct;
		t->throttled_pct[side] = (number_in(o, "throttled_ns") - number_in(then, "throttled_ns")) * pct;
		json_array_foreach (sockets, i, one)
			if (json_is_integer(one) && t->nsockets < sizeof(t->sockets) / sizeof(*t->sockets))
				t->sockets[t->nsockets++] = json_integer_value(one);
		json_array_foreach (taps, i, one)
			if (json_is_string(one) && t->ntaps < sizeof(t->taps) / sizeof(*t->taps))
				snprintf(t->taps[t->ntaps++], sizeof(t->taps[0]), "%s", json_string_value(one));
	}
	return 0;
}

/* ---- changes ------------------------------------------------------------------------------------ */

int why_add_change(struct why_facts *f, const char *of, const char *name, const char *from, const char *to)
{
	struct why_change *c = array_add(&f->changes, &f->nchanges, sizeof(*c));

	if (!c)
		return -ENOMEM;
	snprintf(c->of, sizeof(c->of), "%s", of);
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->from, sizeof(c->from), "%s", from);
	snprintf(c->to, sizeof(c->to), "%s", to);
	c->after_s = c->before_s = NAN;
	return 0;
}

int why_add_difference(void *facts, const char *of, const char *name, json_t *from, json_t *to)
{
	struct why_change *c;
	char was[sizeof(c->from)], is[sizeof(c->to)];

	return why_add_change(facts, of, name, why_words(from, was, sizeof(was)), why_words(to, is, sizeof(is)));
}

static int read_changes(struct why_facts *f, const json_t *state)
{
	json_t *o;
	size_t i;

	json_array_foreach (json_object_get(state, "changes"), i, o) {
		/* A setting that was changed again: from the first value to the last one. */
		bool again = false;

		for (size_t k = 0; k < f->nchanges && !again; k++) {
			struct why_change *c = &f->changes[k];

			if (strcmp(c->of, json_text_of(o, "object")) || strcmp(c->name, json_text_of(o, "name")))
				continue;
			why_words(json_object_get(o, "to"), c->to, sizeof(c->to));
			c->before_s = number_in(o, "before_s");
			if (!strcmp(c->from, c->to)) /* put back */
				*c = f->changes[--f->nchanges];
			again = true;
		}
		if (again)
			continue;
		if (why_add_difference(f, json_text_of(o, "object"), json_text_of(o, "name"),
				       json_object_get(o, "from"), json_object_get(o, "to")))
			return -ENOMEM;
		f->changes[f->nchanges - 1].after_s = number_in(o, "after_s");
		f->changes[f->nchanges - 1].before_s = number_in(o, "before_s");
	}
	return 0;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

#define SERIES 512

static size_t series_of(const struct why_facts *f, const json_t *side, const char *name, double *values)
{
	json_t *list = json_object_get(json_object_get(json_object_get(side, "series"), f->device), name), *value;
	size_t i, n = 0;

	json_array_foreach (list, i, value)
		if (json_is_number(value) && n < SERIES)
			values[n++] = json_number_value(value);
	return n;
}

/* By single intervals, of which there are more than blocks with samples. */
static void compare_series(struct why_facts *f, const struct why_moments *m)
{
	double x[SERIES], y[SERIES], busy[SERIES];
	size_t nx = series_of(f, m->side[0], "pps", x), ny = series_of(f, m->side[1], "pps", y);
	struct stats_difference d;

	if (nx < 4 || ny < 4)
		return;
	f->pps_p = stats_welch(x, nx, y, ny).p;
	if (!isnan(f->half_ns) || series_of(f, m->side[0], "busy_ns_per_s", busy) != nx)
		return;
	for (size_t i = 0; i < nx; i++)
		x[i] = busy[i] / x[i];
	if (series_of(f, m->side[1], "busy_ns_per_s", busy) != ny)
		return;
	for (size_t i = 0; i < ny; i++)
		y[i] = busy[i] / y[i];
	d = stats_welch(x, nx, y, ny);
	f->delta_ns = f->ns[1] - f->ns[0];
	f->half_ns = d.se * stats_t(d.df, 0.005);
}

static void read_polls(struct why_facts *f, const json_t *side, int k)
{
	double polls = why_amount(side, f->device, "polls");

	f->seconds[k] = number_in(side, "seconds");
	f->per_poll[k] = polls > 0 ? why_amount(side, f->device, "packets") / polls : NAN;
	f->full_pct[k] = polls > 0 ? 100 * why_amount(side, f->device, "full polls") / polls : NAN;
	if (f->seconds[k] > 0)
		f->pps[k] = rate(side, f->device, "packets");
	f->ip_per_s[k] = rate(side, "", "Ip.InReceives");
	f->queued_per_s[k] = rate(side, "(backlog)", "packets");
	f->counted_per_s[k] = rate(side, f->device, "program runs");
	double sum = 0, seconds = number_in(side, "seconds");
	const char *name;
	json_t *value;
	json_object_foreach (json_object_get(json_object_get(side, "amounts"), f->device), name, value)
		if (!fnmatch("ethtool *xdp_@(drop|tx|redirect)?(s)", name, FNM_EXTMATCH))
			sum += json_number_value(value);
	f->xdp_per_s[k] = seconds > 0 ? sum / seconds : NAN;
}

int why_read_moments(struct why_facts *f, const struct why_moments *m)
{
	int err = 0;

	for (int k = 0; k < WHY_SIDES && !err; k++) {
		if (!m->side[k])
			continue;
		read_polls(f, m->side[k], k);
		err = read_losses(f, m, m->side[k]) ?: read_queues(f, m->side[k], k);
		if (!err)
			err = read_cpus(f, m, m->side[k]) ?: read_shares(f, m->side[k], k);
	}
	for (int k = 0; k < WHY_SIDES && !err; k++)
		err = read_tasks(f, m->state[k], k);
	if (f->two_sides && !f->two_runs)
		compare_series(f, m);
	if (!err && m->side[WHY_AFTER])
		err = why_read_ledger(f, m->side[WHY_AFTER]);
	if (!err)
		err = f->two_runs ? json_differences_of_each(json_object_get(m->state[WHY_BEFORE], "objects"),
							     json_object_get(m->state[WHY_AFTER], "objects"),
							     why_add_difference, f)
				  : read_changes(f, m->state[WHY_AFTER]);
	/* A queue that has another size now, whoever changed it. */
	for (size_t i = 0; i < f->nqueues && !err; i++) {
		const struct why_queue *q = &f->queues[i];
		char name[96], from[32], to[32];

		if (!(q->size[0] > 0) || !(q->size[1] > 0) || q->size[0] == q->size[1] || strstr(q->name, "bql"))
			continue;
		snprintf(name, sizeof(name), "size of %.80s", q->name);
		snprintf(from, sizeof(from), "%g", q->size[0]);
		snprintf(to, sizeof(to), "%g", q->size[1]);
		err = why_add_change(f, "", name, from, to);
	}

	for (size_t i = 0; i < f->ncpus; i++) {
		char of[24];

		snprintf(of, sizeof(of), "cpu %d", f->cpus[i].cpu);
		for (int k = 0; k < WHY_SIDES; k++)
			if (f->cpus[i].packets_pct[k] > 0)
				f->squeezed_per_s[k] = (isnan(f->squeezed_per_s[k]) ? 0 : f->squeezed_per_s[k]) +
						       rate(m->side[k], of, "squeezed");
	}
	f->state_known = json_is_object(json_object_get(m->state[WHY_AFTER], "objects")) &&
			 (!f->two_runs || json_is_object(json_object_get(m->state[WHY_BEFORE], "objects")));
	return err;
}
