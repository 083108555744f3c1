// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/map/map.h"

#include <sys/utsname.h>
#include "user/machine/machine.h"

#define MAP_BYTES (1LL << 28) /* of a file that is read */

void map_unseen(struct map *m, const char *fmt, ...)
{
	json_t *old, *new;
	char text[512];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	new = json_text_string(text);
	json_array_foreach (m->unknown, i, old)
		if (json_equal(old, new)) {
			json_decref(new);
			return;
		}
	json_out_add(&m->json, m->unknown, new);
}

const char *map_device_id(const struct map *m, const struct map_device *v, char *id, size_t size)
{
	snprintf(id, size, "%s/%s", m->spaces[v->space].label, v->shown);
	return id;
}

/* Devices stand in the order of their namespaces, and there as the kernel lists them: by number, most of the time. */
struct map_device *map_find(const struct map *m, size_t space, int ifindex)
{
	for (size_t i = m->spaces[space].first; i < m->spaces[space].end; i++)
		if (m->devices[i].ifindex == ifindex)
			return &m->devices[i];
	return NULL;
}

json_t *map_edge(struct map *m, const char *kind, const char *from, const char *to)
{
	json_t *o =
		json_pack("{s:s, s:o, s:o}", "kind", kind, "from", json_text_string(from), "to", json_text_string(to));

	json_out_add(&m->json, m->edges, o);
	return o;
}

void map_attach(struct map *m, const struct map_device *v, uint32_t program, const char *hook)
{
	char id[MAP_ID], name[32];

	snprintf(name, sizeof(name), "prog:%u", program);
	json_out_add(&m->json, m->attachments,
		     json_pack("{s:o, s:s, s:s}", "device", json_text_string(map_device_id(m, v, id, sizeof(id))),
			       "hook", hook, "program", name));
	map_reach(m, program, v->space);
}

/* ---- NAPI instances ------------------------------------------------------------------------------------------- */

static void take_napi(const struct netdev_napi *n, int ifindex, void *arg)
{
	struct map *m = arg;
	const struct map_device *v = map_find(m, m->space, ifindex);
	char cpus[64] = "";

	if (!v)
		return;
	if (n->irq >= 0)
		facts_line(&facts_here, cpus, sizeof(cpus), "proc/irq/%d/effective_affinity_list", n->irq);
	if (!json_object_get(v->json, "napis"))
		json_out_put(&m->json, v->json, "napis", json_array());
	json_out_add(&m->json, json_object_get(v->json, "napis"),
		     json_pack("{s:I, s:o, s:o, s:o, s:[], s:[]}", "id", (json_int_t)n->id, "irq",
			       json_out_whole_value(n->irq), "irq_cpus", json_out_known(cpus), "thread",
			       json_out_whole_value(n->pid), "rx_queues", "tx_queues"));
}

static void take_queue(const struct netdev_queue *q, void *arg)
{
	struct map *m = arg;
	const struct map_device *v = map_find(m, m->space, q->ifindex);
	json_t *napi;
	size_t i;

	json_array_foreach (v ? json_object_get(v->json, "napis") : NULL, i, napi)
		if (json_integer_value(json_object_get(napi, "id")) == q->napi)
			json_out_add(&m->json, json_object_get(napi, q->rx ? "rx_queues" : "tx_queues"),
				     json_integer(q->id));
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static int read_space(struct map *m, struct map_space *s, struct diag *d)
{
	int saved, err = netns_visit_fd(s->fd, &saved, NULL);

	if (err && s->here)
		return diag_set(d, err, "cannot read this network namespace: %s", strerror(-err));
	if (err) {
		map_unseen(m, "what is in namespace %s: %s", s->label, strerror(-err));
		return 0;
	}
	s->first = m->ndevices;
	s->end = (size_t)-1;
	err = map_read_links(m, d);
	s->end = m->ndevices;
	if (!err) {
		if (netdev_genl_each(0, take_napi, take_queue, m))
			map_unseen(m, "queues and NAPI instances: this kernel does not list them (Linux 6.8 does)");
		map_read_filters(m);
		map_read_sockets(m);
		map_read_nft(m);
	}
	netns_back(&saved);
	return err;
}

struct sorted {
	json_t *o;
	char *text;
};

static int map_by_text(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	return strcmp(x->text ?: "", y->text ?: "");
}

/* Edges and the like come in the order of the kernel's tables, which differs from time to time. */
static void sort(struct map *m, json_t *array)
{
	size_t n = json_array_size(array);
	struct sorted *all = calloc(n + 1, sizeof(*all));

	for (size_t i = 0; all && i < n; i++) {
		all[i].o = json_incref(json_array_get(array, i));
		all[i].text = json_dumps(all[i].o, JSON_COMPACT | JSON_ENCODE_ANY);
	}
	if (all) {
		qsort(all, n, sizeof(*all), map_by_text);
		json_array_clear(array);
	}
	for (size_t i = 0; all && i < n; i++) {
		json_out_add(&m->json, array, all[i].o);
		free(all[i].text);
	}
	m->json.failed |= !all;
	free(all);
}

static json_t *put_array(struct map *m, const char *name)
{
	json_t *array = json_array();

	json_out_put(&m->json, m->root, name, array);
	return array;
}

static int map_read_all(struct map *m, struct diag *d)
{
	json_t *spaces = put_array(m, "namespaces"), *devices = put_array(m, "devices");
	int err;

	m->programs = put_array(m, "programs");
	m->attachments = put_array(m, "attachments");
	m->edges = put_array(m, "edges");
	m->sockets = put_array(m, "sockets");
	m->hooks = put_array(m, "hooks");
	m->unknown = put_array(m, "unknown");
	err = m->json.failed ? -ENOMEM : map_spaces_open(m, d);
	for (m->space = 0; m->space < m->nspaces && !err; m->space++)
		err = read_space(m, &m->spaces[m->space], d);
	for (m->space = 0; m->space < m->nspaces && !err; m->space++) {
		const struct map_space *s = &m->spaces[m->space];
		int saved;

		if (s->first == s->end)
			continue;
		err = netns_visit_fd(s->fd, &saved, d);
		if (err)
			break;
		map_join_links(m);
		netns_back(&saved);
	}
	if (!err)
		map_read_taps(m);
	for (size_t i = 0; i < m->ndevices; i++)
		json_out_add(&m->json, devices, m->devices[i].json);
	if (!err)
		map_read_programs(m);
	for (const struct map_space *s = m->spaces; s < m->spaces + m->nspaces; s++) {
		json_t *o = json_pack("{s:o, s:I, s:b}", "namespace", json_text_string(s->label), "inode",
				      (json_int_t)s->inum, "here", s->here);
		char command[80], owner[288];

		if (s->pid && facts_line(&facts_here, command, sizeof(command), "proc/%d/comm", s->pid) == 0) {
			json_out_put(&m->json, o, "process", json_integer(s->pid));
			json_out_text(&m->json, o, "command", command);
			json_out_text(&m->json, o, "owner", map_owner(s->pid, owner, sizeof(owner)));
		}
		json_out_add(&m->json, spaces, o);
	}
	for (json_t **list = (json_t *[]){m->attachments, m->edges, m->sockets, m->hooks, m->unknown, NULL}; *list;
	     list++)
		sort(m, *list);
	return err;
}

int map_read(json_t **map, struct diag *d)
{
	struct map m = {.root = json_object()};
	struct utsname u;
	int err;

	json_out_text(&m.json, m.root, "schema", MAP_SCHEMA);
	json_out_put(&m.json, m.root, "kernel", uname(&u) ? json_null() : json_text_string(u.release));
	err = map_read_all(&m, d);
	if (!err && m.json.failed)
		err = diag_set(d, -ENOMEM, "no memory for the map");
	for (size_t i = 0; i < m.nspaces; i++)
		close(m.spaces[i].fd);
	free(m.spaces);
	free(m.devices);
	free(m.reached);
	*map = err ? NULL : m.root;
	if (err)
		json_decref(m.root);
	return err;
}

/* ---- a map that was written before ---------------------------------------------------------------------------- */

/* Each member of the array has these texts. */
static bool has_texts(const json_t *map, const char *array, const char *const *names)
{
	json_t *all = json_object_get(map, array), *o;
	size_t i;

	json_array_foreach (all, i, o)
		for (const char *const *name = names; *name; name++)
			if (!json_is_string(json_object_get(o, *name)))
				return false;
	return json_is_array(all);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool is_map(const json_t *map)
{
	const char *schema = json_string_value(json_object_get(map, "schema"));
	json_t *o;
	size_t i;

	json_array_foreach (json_object_get(map, "unknown"), i, o)
		if (!json_is_string(o))
			return false;
	return schema && !strcmp(schema, MAP_SCHEMA) && has_texts(map, "namespaces", TEXTS("namespace")) &&
	       has_texts(map, "devices", TEXTS("device", "namespace", "name")) &&
	       has_texts(map, "programs", TEXTS("program")) &&
	       has_texts(map, "attachments", TEXTS("device", "hook", "program")) &&
	       has_texts(map, "edges", TEXTS("kind", "from", "to")) &&
	       has_texts(map, "sockets", TEXTS("socket", "device")) && has_texts(map, "hooks", TEXTS("kind", "name"));
}

int map_load(json_t **map, const char *path, struct diag *d)
{
	json_error_t error;
	FILE *f;
	int err = foreign_file_open(&f, AT_FDCWD, path, false, MAP_BYTES, d);

	*map = NULL;
	if (err)
		return err;
	*map = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	if (*map && is_map(*map))
		return 0;
	json_decref(*map);
	*map = NULL;
	return diag_set(d, -EINVAL, "%s: no map of xdpzoom map --format json", path);
}
