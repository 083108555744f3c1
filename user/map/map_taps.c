// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that hold a tun or tap device: a packet that the device sends goes to one of them. */
#include <sys/pidfd.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

struct map_holder {
	struct map *m;
	int pid, pidfd;
	const char *comm;
	size_t first; /* of its edges */
};

static const struct map_device *find_named(const struct map *m, unsigned int netns, const char *name)
{
	for (const struct map_device *v = m->devices; v < m->devices + m->ndevices; v++)
		if (m->spaces[v->space].inum == netns && !strcmp(v->name, name))
			return v;
	return NULL;
}

static bool leads_to_process(const struct map *m, size_t first, const char *device)
{
	for (size_t i = first; i < json_array_size(m->edges); i++) {
		const json_t *o = json_array_get(m->edges, i);

		if (!strcmp(json_text_of(o, "kind"), "process") && !strcmp(json_text_of(o, "from"), device))
			return true;
	}
	return false;
}

/* Each queue of a device has a descriptor of its own. */
static bool take_descriptor(int fd, const char *link, void *arg)
{
	const struct map_holder *h = arg;
	char name[IFNAMSIZ], device[MAP_ID], to[32], owner[288];
	json_t *edge;
	const struct map_device *v;
	unsigned int netns;

	if (strcmp(link, FD_TAP) || !fd_owner_tap(h->pidfd, fd, name, &netns))
		return true;
	v = find_named(h->m, netns, name);
	if (!v || leads_to_process(h->m, h->first, map_device_id(h->m, v, device, sizeof(device))))
		return true;
	snprintf(to, sizeof(to), "process:%d", h->pid);
	edge = map_edge(h->m, "process", device, to);
	json_out_text(&h->m->json, edge, "command", h->comm);
	json_out_text(&h->m->json, edge, "owner", map_owner(h->pid, owner, sizeof(owner)));
	return true;
}

void map_read_taps(struct map *m)
{
	bool taps = false;
	char comm[80], device[MAP_ID];
	int pid;

	for (size_t i = 0; i < m->ndevices; i++)
		taps |= !strcmp(m->devices[i].kind, "tun");
	if (!taps)
		return;
	process_scan (&facts_here, pid, comm) {
		struct map_holder h = {m, pid, pidfd_open(pid, 0), comm, json_array_size(m->edges)};

		if (h.pidfd < 0)
			continue;
		fd_owner_each(pid, take_descriptor, &h);
		close(h.pidfd);
	}
	/* A device without a holder has no carrier. */
	for (const struct map_device *v = m->devices; v < m->devices + m->ndevices; v++)
		if (!strcmp(v->kind, "tun") && json_is_true(json_object_get(v->json, "carrier")) &&
		    !leads_to_process(m, 0, map_device_id(m, v, device, sizeof(device))))
			map_unseen(m, "the process that holds %s: %s", device,
				   geteuid() ? "only root may read it" : "not readable from here");
}
