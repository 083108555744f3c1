// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/observe/observe.h"

#include <bpf/bpf.h>

/* Returns whether all is known of the program: one that only a link can attach may get it later. */
static bool tracers_look_at(struct run *run, const struct bpf_prog_info *info)
{
	struct run_tracer t = {}, *added;
	bool linked = false, found;
	__u32 link = 0;
	char line[40];
	struct fd_owner owner;

	/* The program's link, with its raw tracepoint or "". */
	while (!linked && !bpf_link_get_next_id(link, &link)) {
		struct bpf_link_info of = {};
		__u32 len = sizeof(of);
		int fd = bpf_link_get_fd_by_id(link);

		linked = fd >= 0 && !bpf_obj_get_info_by_fd(fd, &of, &len) && of.prog_id == info->id;
		if (linked) { /* the name goes where other kinds of links expect more room: the kind is asked first */
			bool named = of.type == BPF_LINK_TYPE_RAW_TRACEPOINT;

			of = (struct bpf_link_info){
				.raw_tracepoint = {.tp_name = (uintptr_t)t.hook, .tp_name_len = sizeof(t.hook)}};
			if (!named || bpf_obj_get_info_by_fd(fd, &of, &len))
				*t.hook = '\0';
		}
		fd_close(fd);
	}
	link = linked ? link : 0;
	if (!link && info->type != BPF_PROG_TYPE_KPROBE && info->type != BPF_PROG_TYPE_TRACEPOINT &&
	    info->type != BPF_PROG_TYPE_PERF_EVENT)
		return false;
	if (run->ntracers == RUN_MAX_TRACERS)
		return true;
	snprintf(t.name, sizeof(t.name), "%.16s", info->name);
	for (size_t i = 0; i < sizeof(info->tag); i++)
		snprintf(t.tag + 2 * i, 3, "%02x", info->tag[i]);
	/* By a descriptor of the program itself, or of the link that keeps it attached. */
	snprintf(line, sizeof(line), "prog_id:\t%u", info->id);
	found = fd_owner_find("anon_inode:bpf-prog", line, &owner);
	snprintf(line, sizeof(line), "link_id:\t%u", link);
	if (!found)
		found = fd_owner_find("anon_inode:bpf_link", line, &owner);
	t.own = found && owner.own;
	snprintf(t.owner, sizeof(t.owner), "%s", found ? owner.comm : "");
	for (size_t i = 0; i < run->ntracers; i++)
		if (!memcmp(&run->tracers[i], &t, sizeof(t)))
			return true;
	added = array_add(&run->tracers, &run->ntracers, sizeof(*added));
	if (added)
		*added = t;
	return true;
}

void tracers_look(struct tracers *t, struct run *run)
{
	struct tracers now = {};
	__u32 id = 0, *seen;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info), type;
		bool known = false;
		int fd;

		for (size_t i = 0; i < t->n && !known; i++)
			known = t->seen[i] == id;
		if (!known) {
			fd = bpf_prog_get_fd_by_id(id);
			known = fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len); /* it is gone */
			fd_close(fd); /* or this process would hold the program */
			type = info.type;
			if (type != BPF_PROG_TYPE_KPROBE && type != BPF_PROG_TYPE_TRACEPOINT &&
			    type != BPF_PROG_TYPE_PERF_EVENT && type != BPF_PROG_TYPE_RAW_TRACEPOINT &&
			    type != BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE && type != BPF_PROG_TYPE_TRACING)
				known = true;
			known = known || tracers_look_at(run, &info);
		}
		seen = known ? array_add(&now.seen, &now.n, sizeof(*now.seen)) : NULL;
		if (seen)
			*seen = id;
	}
	run->tracers_known |= errno == ENOENT;
	free(t->seen);
	*t = now;
}
