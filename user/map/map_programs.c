// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs at hooks, and what their maps lead to: devices, CPUs, sockets, other programs. */
#include <bpf/bpf.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

#define KEYS_MAX  65536 /* of one map */
#define MAPS_MAX  64    /* of one program, as the kernel has it (MAX_USED_MAPS) */
#define PINS_DEEP 8     /* directories below /sys/fs/bpf */

void map_reach(struct map *m, uint32_t id, size_t space)
{
	struct map_program *p;

	for (size_t i = 0; i < m->nreached; i++)
		if (m->reached[i].id == id)
			return;
	p = array_add(&m->reached, &m->nreached, sizeof(*p));
	if (p)
		*p = (struct map_program){id, space};
	else
		m->json.failed = true;
}

static const char *program_id(uint32_t id, char *text, size_t size)
{
	snprintf(text, size, "prog:%u", id);
	return text;
}

/* ---- maps ----------------------------------------------------------------------------------------------------- */

struct entry {
	const struct map_program *from;
	const struct bpf_map_info *info;
	uint32_t key, value[4]; /* value: the first words of it */
};

static void map_programs_put_entry(struct map *m, const struct entry *e, const char *kind, const char *to)
{
	char from[32];
	json_t *o = map_edge(m, kind, program_id(e->from->id, from, sizeof(from)), to);

	m->json.failed |= json_object_update_new(
		o, json_pack("{s:o, s:I}", "map", json_text_string(e->info->name), "key", (json_int_t)e->key));
}

/* A number of a device says nothing of its namespace: it is that of who wrote it into the map. */
static void put_device(struct map *m, const struct entry *e)
{
	const struct map_device *v = map_find(m, e->from->space, (int)e->value[0]);
	size_t found = 0;
	char id[MAP_ID];

	for (size_t i = 0; i < m->nspaces; i++) {
		const struct map_device *o = map_find(m, i, (int)e->value[0]);

		found += o != NULL;
		v = v ?: o;
	}
	if (!v || (found > 1 && v->space != e->from->space)) {
		map_unseen(m, "which device number %u of map %s is", e->value[0], e->info->name);
		return;
	}
	map_programs_put_entry(m, e, "devmap", map_device_id(m, v, id, sizeof(id)));
}

static void put_cpu(struct map *m, const struct entry *e)
{
	char id[32];

	if (!e->value[0]) /* the size of its queue */
		return;
	snprintf(id, sizeof(id), "cpu:%u", e->key);
	map_programs_put_entry(m, e, "cpumap", id);
}

static void put_call(struct map *m, const struct entry *e)
{
	char id[32];

	map_programs_put_entry(m, e, "tail-call", program_id(e->value[0], id, sizeof(id)));
	map_reach(m, e->value[0], e->from->space);
}

static void read_entries(struct map *m, int fd, struct entry *e, void (*put)(struct map *, const struct entry *))
{
	uint32_t *last = NULL, next, keys = 0;

	if (e->info->key_size != sizeof(next) || e->info->value_size > sizeof(e->value))
		return;
	while (keys++ < KEYS_MAX && !bpf_map_get_next_key(fd, last, &next)) {
		e->key = next;
		last = &e->key;
		memset(e->value, 0, sizeof(e->value));
		if (!bpf_map_lookup_elem(fd, &next, e->value))
			put(m, e);
	}
	if (keys > KEYS_MAX)
		map_unseen(m, "entries of map %s beyond the first %d", e->info->name, KEYS_MAX);
}

static void read_map(struct map *m, const struct map_program *from, uint32_t id)
{
	struct bpf_map_info info = {};
	struct entry e = {.from = from, .info = &info};
	uint32_t len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return; /* it is gone */
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		switch (info.type) {
		case BPF_MAP_TYPE_DEVMAP:
		case BPF_MAP_TYPE_DEVMAP_HASH:
			read_entries(m, fd, &e, put_device);
			break;
		case BPF_MAP_TYPE_CPUMAP:
			read_entries(m, fd, &e, put_cpu);
			break;
		case BPF_MAP_TYPE_PROG_ARRAY:
			read_entries(m, fd, &e, put_call);
			break;
		case BPF_MAP_TYPE_XSKMAP:
			map_unseen(m,
				   "the entries of map %s: the kernel shows those of no XSKMAP; the AF_XDP sockets of "
				   "each device are here",
				   info.name);
			break;
		default:
			break;
		}
	close(fd);
}

/* ---- links and pins ------------------------------------------------------------------------------------------- */

static void read_pins(struct map *m, const char *path, int deep)
{
	struct dirent *e;

	dir_scan (e, &facts_here, "%s", path + 1) {
		char below[4096];

		if (e->d_name[0] == '.' ||
		    snprintf(below, sizeof(below), "%s/%s", path, e->d_name) >= (int)sizeof(below))
			continue;
		if (e->d_type == DT_REG) {
			struct bpf_prog_info info = {};
			uint32_t len = sizeof(info);
			int fd = bpf_obj_get(below);
			json_t *program;
			char id[32];
			size_t i;

			if (fd >= 0) {
				/* of a map or a link the kernel fills another struct */
				if (!bpf_obj_get_info_by_fd(fd, &info, &len) && len == sizeof(info)) {
					program_id(info.id, id, sizeof(id));
					json_array_foreach (m->programs, i, program)
						if (!strcmp(json_string_value(json_object_get(program, "program")), id))
							json_out_add(&m->json, json_object_get(program, "pinned"),
								     json_text_string(below));
				}
				close(fd);
			}
		} else if (e->d_type == DT_DIR && deep)
			read_pins(m, below, deep - 1);
	}
}

void map_read_programs(struct map *m)
{
	/* Programs of type EXT stand in for functions of others: so a dispatcher calls the programs of a device. */
	uint32_t id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = {};
		uint32_t len = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);
		char from[32], to[32];

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.type == BPF_LINK_TYPE_TRACING &&
		    info.tracing.attach_type == 0) /* a program of type EXT has none */
			for (size_t i = 0, n = m->nreached; i < n; i++) {
				if (m->reached[i].id != info.tracing.target_obj_id)
					continue;
				map_edge(m, "dispatch", program_id(m->reached[i].id, from, sizeof(from)),
					 program_id(info.prog_id, to, sizeof(to)));
				map_reach(m, info.prog_id, m->reached[i].space);
			}
		close(fd);
	}
	for (size_t i = 0; i < m->nreached; i++) { /* grows while maps lead to more */
		const struct map_program r = m->reached[i];
		uint32_t maps[MAPS_MAX], len;
		struct bpf_prog_info info = {.nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)maps};
		int fd = bpf_prog_get_fd_by_id(r.id);
		char name[32], tag[2 * sizeof(info.tag) + 1];

		len = sizeof(info);
		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len)) {
			map_unseen(m, "name, tag and maps of programs: this needs CAP_SYS_ADMIN");
			memset(&info, 0, sizeof(info));
		}
		for (size_t k = 0; k < sizeof(info.tag); k++)
			snprintf(tag + 2 * k, 3, "%02x", info.tag[k]);
		json_out_add(&m->json, m->programs,
			     json_pack("{s:s, s:s?, s:o, s:s?, s:[]}", "program", program_id(r.id, name, sizeof(name)),
				       "type",
				       !info.type                             ? NULL
				       : info.type == BPF_PROG_TYPE_XDP       ? "xdp"
				       : info.type == BPF_PROG_TYPE_SCHED_CLS ? "tc"
				       : info.type == BPF_PROG_TYPE_EXT       ? "ext"
									      : "other",
				       "name", info.id ? json_text_string(info.name) : json_null(), "tag",
				       info.id ? tag : NULL, "pinned"));
		for (uint32_t k = 0; k < info.nr_map_ids && k < MAPS_MAX; k++)
			read_map(m, &r, maps[k]);
		fd_close(fd);
	}
	if (m->nreached)
		read_pins(m, "/sys/fs/bpf", PINS_DEEP);
}
