// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#include <linux/bpf.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <netlink/msg.h>

void sides_release(struct sides *s)
{
	for (size_t i = 0; i < PAST_S; i++) {
		free(s->intervals[i].amounts);
		free(s->intervals[i].queues);
	}
	free(s->keys);
	free(s->cpus);
	nl_socket_free(s->route);
	*s = (struct sides){};
}

/* ---- keys --------------------------------------------------------------------------------------- */

/* They come in the same order each time, so the next one is looked at first. -1: no memory. */
static int64_t key_of(struct sides *s, const char *of, const char *name)
{
	struct sides_key wanted = {.used = s->number, .total = NAN}, *key;

	snprintf(wanted.of, sizeof(wanted.of), "%s", of);
	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	json_text_in_place(wanted.of);
	json_text_in_place(wanted.name);
	for (size_t i = 0; i < s->nkeys; i++) {
		size_t at = (s->hint + i) % s->nkeys;

		if (!strcmp(s->keys[at].name, wanted.name) && !strcmp(s->keys[at].of, wanted.of)) {
			s->hint = at + 1;
			s->keys[at].used = s->number;
			return (int64_t)at;
		}
	}
	key = array_add(&s->keys, &s->nkeys, sizeof(*key));
	if (!key)
		return -1;
	*key = wanted;
	s->hint = s->nkeys;
	return (int64_t)s->nkeys - 1;
}

/* Keys that no interval has any more go, as those of devices that went: names are never told all. */
static void forget_keys(struct sides *s)
{
	uint32_t *to = calloc(s->nkeys + 1, sizeof(*to));
	struct sides_key *keys = NULL;
	size_t n = 0;

	for (size_t i = 0; to && i < s->nkeys; i++) {
		struct sides_key *key;

		if (s->keys[i].used + PAST_S < s->number)
			continue;
		key = array_add(&keys, &n, sizeof(*keys));
		if (!key) {
			free(keys);
			free(to);
			return; /* all stay, until there is memory */
		}
		*key = s->keys[i];
		to[i] = (uint32_t)n - 1;
	}
	for (size_t i = 0; to && i < s->n; i++) {
		struct sides_interval *in = &s->intervals[(s->first + i) % PAST_S];

		for (size_t k = 0; k < in->n; k++)
			in->amounts[k].key = to[in->amounts[k].key];
	}
	if (to) {
		free(s->keys);
		s->keys = keys;
		s->nkeys = n;
	}
	free(to);
}

static struct sides_interval *last_of(struct sides *s)
{
	return &s->intervals[(s->first + s->n - 1) % PAST_S];
}

/* A growth in this interval. What did not grow takes no memory. */
static int grew(struct sides *s, const char *of, const char *name, double value)
{
	struct sides_interval *now = last_of(s);
	int64_t key = value != 0 ? key_of(s, of, name) : 0;

	if (!(value != 0))
		return 0;
	if (key < 0 || !array_grow(&now->amounts, &now->cap, now->n, 1, sizeof(*now->amounts)))
		return -ENOMEM;
	now->amounts[now->n++] = (struct sides_amount){(uint32_t)key, value};
	return 0;
}

/* A total, whose growth since the interval before counts. */
static int total_is(struct sides *s, const char *of, const char *name, double total)
{
	int64_t key = key_of(s, of, name);
	double before = key < 0 ? 0 : s->keys[key].total;

	if (key < 0)
		return -ENOMEM;
	s->keys[key].total = total;
	return isnan(before) ? 0 : grew(s, of, name, total - before);
}

/* ---- what is read ------------------------------------------------------------------------------- */

static int add_polls(struct sides *s, const struct watcher *w, unsigned int slot, const char *of)
{
	struct watch_polls sum = {};
	char name[32];
	int err = 0;

	for (int cpu = 0; cpu < w->probe.ncpus && !err; cpu++) {
		const struct watch_polls *p = &w->interval[(size_t)cpu * WATCH_SLOTS + slot];

		polled_add(&sum, p);
		snprintf(name, sizeof(name), "packets on cpu %d", cpu);
		err = grew(s, of, name, (double)p->packets);
	}
	if (!err)
		err = grew(s, of, "packets", (double)sum.packets) ?: grew(s, of, "busy ns", polled_busy_ns(&sum));
	if (!err)
		err = grew(s, of, "polls", (double)sum.polls) ?: grew(s, of, "empty polls", (double)sum.empty);
	if (!err) /* of looks in which nothing was counted */
		err = grew(s, of, "packets estimated",
			   (double)sum.packets * (1 - (double)w->ncounted / (double)w->nlooks));
	return err ? err : grew(s, of, "full polls", (double)sum.full);
}

static int add_device(struct sides *s, const struct watcher *w, unsigned int slot)
{
	const struct watched *dev = &w->devices.list[slot];
	char name[96], of[16];
	int err = add_polls(s, w, slot, run_watch_device(of, dev->nd.name, dev->nd.ifindex));
	double runs = 0;
	int64_t key;

	for (size_t i = 0; i < dev->grown.n && !err; i++) {
		const struct counter *c = &dev->grown.list[i];

		snprintf(name, sizeof(name), "%s %s", counter_source_names[c->source], c->name);
		err = grew(s, of, name, c->known ? (double)c->value : NAN);
	}
	if (err)
		return err;
	/* Runs that the kernel's statistics of BPF programs counted. A program that goes takes its own away. */
	key = key_of(s, of, "program runs");
	for (size_t i = 0; i < dev->nprograms; i++)
		runs += (double)attached_info(dev->programs[i].id).run_cnt;
	if (key >= 0 && runs < s->keys[key].total)
		s->keys[key].total = NAN;
	return total_is(s, of, "program runs", runs);
}

static int add_cpus(struct sides *s, const struct watcher *w)
{
	int n = w->probe.ncpus, err = 0;
	struct cpu_times *now = calloc((size_t)n, sizeof(*now));
	char of[24];

	if (!now || facts_all_cpu_times(&facts_here, now, n)) {
		free(now);
		return now ? 0 : -ENOMEM;
	}
	for (int cpu = 0; cpu < n && s->cpus && !err; cpu++) {
		const struct cpu_times *a = &s->cpus[cpu], *b = &now[cpu];
		const struct softnet *x = &w->softnet_before[cpu], *y = &w->softnet[cpu];

		snprintf(of, sizeof(of), "cpu %d", cpu);
		err = grew(s, of, "user ns", b->user_ns - a->user_ns) ?:
		      grew(s, of, "system ns", b->system_ns - a->system_ns) ?:
		      grew(s, of, "irq ns", b->irq_ns - a->irq_ns) ?:
		      grew(s, of, "idle ns", b->idle_ns - a->idle_ns) ?:
		      grew(s, of, "steal ns", b->steal_ns - a->steal_ns) ?:
		      grew(s, of, "backlog dropped", (double)(y->dropped - x->dropped)) ?:
		      grew(s, of, "squeezed", (double)(y->squeezed - x->squeezed));
	}
	free(s->cpus);
	s->cpus = now;
	return err;
}

/* /proc/net/snmp and netstat: a line of names, and one of numbers, both behind "Udp:". */
static int add_protocols(struct sides *s, const char *path)
{
	char names[4096], values[4096], *name, *value, *more_names, *more_values, key[80];
	FILE *f = facts_file(&facts_here, "%s", path);
	int err = 0;

	while (f && !err && fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f)) {
		const char *head = strtok_r(names, ": \n", &more_names);

		strtok_r(values, ": \n", &more_values);
		while (head && !err && (name = strtok_r(NULL, " \n", &more_names)) &&
		       (value = strtok_r(NULL, " \n", &more_values))) {
			snprintf(key, sizeof(key), "%.20s.%.56s", head, name);
			err = total_is(s, "", key, strtod(value, NULL));
		}
	}
	if (f)
		fclose(f);
	return err;
}

struct qdiscs {
	struct sides *s;
	const struct watcher *w;
	int err;
};

/* A root qdisc has the sums of those below. */
static int take_qdisc(struct nl_msg *msg, void *arg)
{
	struct qdiscs *q = arg;
	const struct tcmsg *head = nlmsg_data(nlmsg_hdr(msg));
	const struct watched *device = devices_find(&q->w->devices, head->tcm_ifindex);
	char name[16];
	const char *of = device ? run_watch_device(name, device->nd.name, device->nd.ifindex) : NULL;
	struct nlattr *attrs[TCA_MAX + 1], *stats[TCA_STATS_MAX + 1];
	const struct gnet_stats_basic *basic;
	const struct gnet_stats_queue *queue;

	if (!of || head->tcm_parent != TC_H_ROOT || q->err ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(*head), attrs, TCA_MAX, NULL) || !attrs[TCA_STATS2] ||
	    nla_parse_nested(stats, TCA_STATS_MAX, attrs[TCA_STATS2], NULL) || !stats[TCA_STATS_BASIC] ||
	    !stats[TCA_STATS_QUEUE] || nla_len(stats[TCA_STATS_QUEUE]) < (int)sizeof(*queue) ||
	    nla_len(stats[TCA_STATS_BASIC]) < 12)
		return NL_OK;
	basic = nla_data(stats[TCA_STATS_BASIC]);
	queue = nla_data(stats[TCA_STATS_QUEUE]);
	q->err = total_is(q->s, of, "qdisc packets", basic->packets) ?:
		 total_is(q->s, of, "qdisc waiting", queue->qlen) ?:
		 total_is(q->s, of, "qdisc drops", queue->drops) ?:
		 total_is(q->s, of, "qdisc requeues", queue->requeues);
	return NL_OK;
}

int sides_add(struct sides *s, const struct watcher *w, const struct queues *q)
{
	struct tcmsg head = {.tcm_family = AF_UNSPEC};
	struct qdiscs qdiscs = {s, w, 0};
	struct sides_interval *now;
	int err = 0;

	if (s->n == PAST_S)
		s->first = (s->first + 1) % PAST_S;
	else
		s->n++;
	now = last_of(s);
	now->n = now->nqueues = 0;
	now->from_ns = w->interval_ns;
	now->to_ns = w->look_ns;
	s->hint = 0;
	if (++s->number % PAST_S == 0)
		forget_keys(s);
	for (unsigned int slot = WATCH_BACKLOG + 1; slot < WATCH_SLOTS && !err; slot++)
		if (watched_is(&w->devices.list[slot]))
			err = add_device(s, w, slot);
	if (!err)
		err = add_polls(s, w, WATCH_BACKLOG, "(backlog)") ?: add_cpus(s, w);
	if (!s->route)
		s->route = netlink_open(NETLINK_ROUTE);
	if (!err && s->route)
		netlink_ask(s->route, RTM_GETQDISC, &head, sizeof(head), take_qdisc, &qdiscs);
	err = err ?: qdiscs.err; /* of what does not answer nothing is known */
	if (!err)
		err = add_protocols(s, "proc/net/snmp") ?: add_protocols(s, "proc/net/netstat");
	for (int empty = 0; empty < 2; empty++)
		for (size_t i = 0; i < q->nseen && now->nqueues < SIDES_QUEUES && !err; i++) {
			if ((q->seen[i].most > 0) == (empty == 1))
				continue;
			if (array_grow(&now->queues, &now->queues_cap, now->nqueues, 1, sizeof(*q->seen)))
				now->queues[now->nqueues++] = q->seen[i];
			else
				err = -ENOMEM;
		}
	if (!err && q->nseen > SIDES_QUEUES)
		err = grew(s, "", "queues left out", (double)(q->nseen - SIDES_QUEUES));
	return err;
}

/* ---- sums --------------------------------------------------------------------------------------- */

/* Means over looks, which are summed up weighted by looks. */
static const size_t means[] = {offsetof(struct queue_seen, p50),      offsetof(struct queue_seen, p99),
			       offsetof(struct queue_seen, mean),     offsetof(struct queue_seen, full_pct),
			       offsetof(struct queue_seen, near_pct), offsetof(struct queue_seen, held),
			       offsetof(struct queue_seen, rate)};
#define MEANS 5 /* the last two are known together, and make the wait: it is that of the sums */

static double *mean_at(const struct queue_seen *s, size_t i)
{
	return (void *)((char *)s + means[i]);
}

/* Sums, to be divided by looks. */
static void merge(struct queue_seen *sum, const struct queue_seen *more)
{
	size_t n = isnan(more->rate) || isnan(more->held) ? MEANS : MEANS + 2;

	sum->looks += more->looks;
	sum->size = more->size;
	sum->why = more->why;
	sum->most = fmax(sum->most, more->most);
	sum->passed += more->passed; /* not known, if one of them is not */
	for (size_t i = 0; i < n; i++)
		if (!isnan(*mean_at(more, i)))
			*mean_at(sum, i) = (isnan(*mean_at(sum, i)) ? 0 : *mean_at(sum, i)) +
					   *mean_at(more, i) * (double)more->looks;
}

/* The interval with this number, the oldest first, if it lies in that time; NULL. */
static const struct sides_interval *interval_in(const struct sides *s, size_t i, uint64_t from_ns, uint64_t to_ns)
{
	const struct sides_interval *in = &s->intervals[(s->first + i) % PAST_S];

	return in->from_ns >= from_ns && in->to_ns <= to_ns ? in : NULL;
}

static json_t *queues_between(struct json_out *w, const struct sides *s, uint64_t from_ns, uint64_t to_ns)
{
	struct queue_seen *list = NULL, *one;
	json_t *o = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct sides_interval *in = interval_in(s, i, from_ns, to_ns);

		for (size_t k = 0; in && k < in->nqueues; k++) {
			const struct queue_seen *q = &in->queues[k];
			size_t at = 0;

			while (at < n && (list[at].kind != q->kind || list[at].ifindex != q->ifindex ||
					  list[at].number != q->number || list[at].object != q->object))
				at++;
			if (at == n) {
				one = array_add(&list, &n, sizeof(*one));
				if (!one)
					goto out;
				*one = queue_unseen(q->kind, q->ifindex, q->number, q->object);
				one->passed = 0;
			}
			merge(&list[at], q);
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < MEANS; k++)
			*mean_at(&list[i], k) /= (double)list[i].looks;
		if (list[i].rate > 0)
			list[i].wait_us = list[i].held * 1e6 / list[i].rate;
	}
	o = json_array();
	for (size_t i = 0; i < n && o; i++)
		json_out_add(w, o, show_queue_object(&list[i]));
out:
	free(list);
	return o;
}

json_t *sides_intervals(const struct sides *s, uint64_t from_ns, uint64_t to_ns)
{
	static const struct {
		const char *key, *name;
		double scale;
	} rates[] = {{"packets", "packets/s", 1}, {"polls", "polls/s", 1},         {"busy ns", "busy %", 1e-7},
		     {"user ns", "user %", 1e-7}, {"system ns", "system %", 1e-7}, {"irq ns", "irq %", 1e-7}};
	json_t *list = json_array(), *values;
	char name[160], queue[64];
	struct json_out w = {};
	double seconds, amount;
	size_t n, nrates = sizeof(rates) / sizeof(*rates);

	for (size_t i = 0; i < s->n; i++) {
		const struct sides_interval *in = interval_in(s, i, from_ns, to_ns);

		if (!in)
			continue;
		seconds = (double)(in->to_ns - in->from_ns) / 1e9;
		values = json_object();
		for (size_t k = 0; k < s->nkeys * nrates; k++) {
			size_t at = k / nrates, rate = k % nrates;

			if (strcmp(s->keys[at].name, rates[rate].key) || !s->keys[at].of[0])
				continue;
			for (amount = 0, n = 0; n < in->n && amount == 0; n++) /* what did not grow is not kept */
				if (in->amounts[n].key == at)
					amount = in->amounts[n].value;
			snprintf(name, sizeof(name), "%s %s", s->keys[at].of, rates[rate].name);
			json_out_put(&w, values, name, json_out_value(amount / seconds * rates[rate].scale));
		}
		for (size_t k = 0; k < in->nqueues; k++) {
			show_queue_name(&in->queues[k], queue, sizeof(queue));
			json_text_in_place(queue);
			snprintf(name, sizeof(name), "%s, %s", queue, queue_unit(in->queues[k].kind));
			json_out_put(&w, values, name, json_out_value(in->queues[k].mean));
		}
		json_out_add(&w, list,
			     json_pack("{s:I, s:I, s:o}", "from_ns", (json_int_t)in->from_ns, "to_ns",
				       (json_int_t)in->to_ns, "values", values));
	}
	return json_out_end(&w, list);
}

json_t *sides_between(const struct sides *s, uint64_t from_ns, uint64_t to_ns, const char *part)
{
	struct json_out w = {};
	json_t *amounts = json_object(), *series = json_object(), *queues;
	double *sums = calloc(s->nkeys + 1, sizeof(*sums)), seconds = 0;

	w.failed |= !sums;
	for (size_t i = 0; i < s->n && sums; i++) {
		const struct sides_interval *in = interval_in(s, i, from_ns, to_ns);

		if (!in)
			continue;
		double interval_s = (double)(in->to_ns - in->from_ns) / 1e9;
		seconds += interval_s;
		for (size_t k = 0; k < in->n; k++) {
			/* What was polled in an interval, and the time that it took, for the scatter of a side. */
			const struct sides_key *key = &s->keys[in->amounts[k].key];
			bool packets = !strcmp(key->name, "packets");
			json_t *o;

			sums[in->amounts[k].key] += in->amounts[k].value;
			if (!packets && strcmp(key->name, "busy ns"))
				continue;
			if (!json_object_get(series, key->of))
				json_out_put(&w, series, key->of, json_pack("{s:[], s:[]}", "pps", "busy_ns_per_s"));
			o = json_object_get(series, key->of);
			json_out_add(&w, json_object_get(o, packets ? "pps" : "busy_ns_per_s"),
				     json_out_value(in->amounts[k].value / interval_s));
		}
	}
	for (size_t i = 0; i < s->nkeys && sums; i++) {
		const struct sides_key *key = &s->keys[i];

		if (sums[i] == 0)
			continue;
		if (!json_object_get(amounts, key->of))
			json_out_put(&w, amounts, key->of, json_object());
		json_out_put(&w, json_object_get(amounts, key->of), key->name, json_out_value(sums[i]));
	}
	free(sums);
	queues = queues_between(&w, s, from_ns, to_ns);
	return json_out_end(&w, json_pack("{s:f, s:o, s:o, s:o, s:s}", "seconds", seconds, "amounts", amounts, "series",
					  series, "queues", queues, "part", part));
}
