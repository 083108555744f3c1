// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define FIRST (WATCH_BACKLOG + 1)

void devices_init(struct devices *ds)
{
	memset(ds, 0, sizeof(*ds));
	ds->sysfs_fd = -1;
}

bool watched_is(const struct watched *w)
{
	return w->nd.name[0] && !w->gone_ns;
}

static void forget_threads(struct watched *w, struct probe *p)
{
	for (size_t i = 0; i < w->ntids; i++)
		probe_drop_thread(p, w->tids[i]);
	w->ntids = 0;
}

static bool knows_thread(const struct watched *w, pid_t tid)
{
	for (size_t i = 0; i < w->ntids; i++)
		if (w->tids[i] == tid)
			return true;
	return false;
}

static int add_thread(struct watched *w, unsigned int slot, pid_t tid, struct probe *p, struct diag *d)
{
	int err;

	if (knows_thread(w, tid) || w->ntids == WATCH_THREADS)
		return 0;
	w->tids[w->ntids++] = tid;
	err = probe_add_thread(p, tid, slot, d);
	if (err == -EEXIST)
		complain("%s: its NAPI thread %d is not timed: another one has its entry", w->nd.name, (int)tid);
	return err == -EEXIST ? 0 : err;
}

/* A device that finds no place is counted in ds->nleft. */
static int add_device(struct devices *ds, const char *name, struct probe *p, struct diag *d)
{
	struct watched *w = NULL; /* a slot that was never used, else the one that is free for longest */
	struct netdev nd;
	int err = netdev_open(&nd, name, d);

	if (err)
		return err;
	for (size_t i = FIRST; i < WATCH_SLOTS && (!w || w->nd.name[0]); i++) {
		struct watched *one = &ds->list[i];

		if (!one->nd.name[0] || (one->gone_ns && (!w || one->gone_ns < w->gone_ns)))
			w = one;
	}
	if (w && probe_add_device(p, nd.ifindex, (unsigned int)(w - ds->list)))
		w = NULL; /* another device has its entry in the table */
	ds->nleft += !w;
	if (!w)
		return 0;
	*w = (struct watched){.nd = nd, .since_ns = now_ns()};
	for (int cpu = 0; cpu < p->ncpus; cpu++) /* the function by which another device is polled is not known */
		p->counts[(size_t)cpu * WATCH_SLOTS + (size_t)(w - ds->list)].poll_ip = 0;
	device_counters_open(&w->reader, &nd);
	return device_counters_read(&w->reader, &w->before) ? diag_set(d, -ENOMEM, "no memory") : 0;
}

struct watched *devices_find(const struct devices *ds, int ifindex)
{
	for (const struct watched *w = ds->list + FIRST; w < ds->list + WATCH_SLOTS; w++)
		if (watched_is(w) && w->nd.ifindex == ifindex)
			return (struct watched *)w;
	return NULL;
}

unsigned int devices_slot_of(const struct devices *ds, pid_t tid)
{
	for (unsigned int slot = FIRST; slot < WATCH_SLOTS; slot++)
		if (knows_thread(&ds->list[slot], tid))
			return slot;
	return WATCH_OTHER;
}

/* Devices that are there and have no slot get one; one that has another name by now keeps its slot. */
static int find_devices(struct devices *ds, struct probe *p, bool told[WATCH_SLOTS], struct diag *d)
{
	struct if_nameindex *all = if_nameindex();
	size_t left = ds->nleft;
	bool here[WATCH_SLOTS] = {false};
	int err = all ? 0 : diag_set(d, -errno, "the devices cannot be listed: %s", strerror(errno));

	ds->nleft = 0;
	for (size_t i = 0; all && all[i].if_index && !err; i++) {
		struct watched *w = devices_find(ds, (int)all[i].if_index);
		/* lo has no NAPI: its packets are the backlog's */
		bool wanted = !ds->nnames && strcmp(all[i].if_name, "lo") != 0;

		for (size_t k = 0; k < ds->nnames; k++)
			wanted |= !strcmp(ds->names[k], all[i].if_name);
		if (!w && wanted) {
			err = add_device(ds, all[i].if_name, p, d);
			w = devices_find(ds, (int)all[i].if_index);
			err = err == -ENODEV ? 0 : err; /* it went in this moment */
		}
		if (!w)
			continue;
		here[w - ds->list] = true;
		told[w - ds->list] &= !strcmp(w->nd.name, all[i].if_name);
		snprintf(w->nd.name, sizeof(w->nd.name), "%s", all[i].if_name);
		memcpy(w->reader.name, w->nd.name, sizeof(w->reader.name));
	}
	for (size_t i = FIRST; i < WATCH_SLOTS && all && !err; i++)
		if (watched_is(&ds->list[i]) && !here[i]) {
			probe_drop_device(p, ds->list[i].nd.ifindex);
			forget_threads(&ds->list[i], p);
			device_counters_release(&ds->list[i].reader);
			counters_release(&ds->list[i].before);
			counters_release(&ds->list[i].grown);
			ds->list[i].nprograms = 0;
			ds->list[i].gone_ns = now_ns();
		}
	if (ds->nleft && !left)
		complain("%zu devices are not watched: %d can be at a time; name those that matter", ds->nleft,
			 WATCH_SLOTS - FIRST);
	if (all)
		if_freenameindex(all);
	return err;
}

int devices_refresh(struct devices *ds, struct probe *p, bool told[WATCH_SLOTS], struct diag *d)
{
	struct attached programs[ATTACHED_MAX];
	pid_t tids[WATCH_THREADS], unknown;
	int err = find_devices(ds, p, told, d);

	for (size_t i = FIRST; i < WATCH_SLOTS && !err; i++) {
		struct watched *w = &ds->list[i];
		size_t n, kept;

		if (!watched_is(w))
			continue;
		n = attached_find(w->nd.ifindex, programs);
		told[i] &= n == w->nprograms; /* the same ones, in the same order */
		for (size_t k = 0; k < n && told[i]; k++)
			told[i] = programs[k].id == w->programs[k].id && !strcmp(programs[k].hook, w->programs[k].hook);
		memcpy(w->programs, programs, n * sizeof(*programs));
		w->nprograms = n;
		/* Which of its NAPI threads have ended, and which are new? */
		unknown = probe_unknown_thread(p, (unsigned int)i);
		kept = n = 0;
		if (facts_is_kthread(&facts_here, 2)) { /* kthreadd */
			for (size_t k = 0; k < w->ntids; k++)
				if (kill(w->tids[k], 0) && errno == ESRCH)
					probe_drop_thread(p, w->tids[k]);
				else
					w->tids[kept++] = w->tids[k];
			w->ntids = kept;
		} else if (w->ntids == WATCH_THREADS) {
			/* A program takes no process for a thread that has ended: where none is seen, they may stay. */
			forget_threads(w, p);
		}
		if (knows_thread(w, unknown))
			unknown = 0;
		/* All processes are looked at where there is no thread yet, or where a new one polled. */
		if (unknown || (!w->ntids && napi_threaded(w->nd.name, ds->sysfs_fd) > 0))
			n = napi_kthreads(w->nd.name, tids, WATCH_THREADS);
		for (size_t k = 0; k < n && k < WATCH_THREADS && !err; k++)
			err = add_thread(w, (unsigned int)i, tids[k], p, d);
		if (!err && unknown) /* its name may be one that the device had before */
			err = add_thread(w, (unsigned int)i, unknown, p, d);
	}
	return err;
}

int devices_open(struct devices *ds, const char *const *names, size_t n, struct probe *p, struct diag *d)
{
	struct netdev nd;
	bool told[WATCH_SLOTS] = {false};
	int err = 0;

	ds->names = names;
	ds->nnames = n;
	for (size_t i = 0; i < n && !err; i++)
		err = netdev_open(&nd, names[i], d);
	if (err)
		return err;
	ds->sysfs_fd = netns_sysfs(d);
	return ds->sysfs_fd < 0 ? ds->sysfs_fd : devices_refresh(ds, p, told, d);
}

int devices_count(struct devices *ds)
{
	int err = 0;

	for (size_t i = FIRST; i < WATCH_SLOTS && !err; i++) {
		struct watched *w = &ds->list[i];
		struct counters now = {};

		if (!watched_is(w))
			continue;
		counters_release(&w->grown);
		err = device_counters_read(&w->reader, &now) ?: counters_growth(&w->grown, &w->before, &now, false);
		counters_release(&w->before);
		w->before = now;
	}
	return err;
}

void devices_release(struct devices *ds)
{
	for (size_t i = FIRST; i < WATCH_SLOTS; i++) {
		device_counters_release(&ds->list[i].reader);
		counters_release(&ds->list[i].before);
		counters_release(&ds->list[i].grown);
	}
	fd_close(ds->sysfs_fd);
	devices_init(ds);
}
