// SPDX-License-Identifier: GPL-2.0-or-later
/* A map as a tree of text, and the way through one of its devices. */
#include "user/map/map.h"

#define LINE  1024
#define DEPTH 8 /* of devices upon devices */

static bool is(const json_t *o, const char *name, const char *value)
{
	return !strcmp(json_text_of(o, name), value);
}

static long long whole(const json_t *o, const char *name)
{
	return json_integer_value(json_object_get(o, name));
}

struct tree {
	const struct text *t;
	const json_t *map;
	/*
	 * Rows of the map by what they are to an id. "below": of devices in its namespace that are a part of it;
	 * "inside": it is below another one; "leads": edges that go out; "peers": edges that come in from a peer;
	 * "devices", "attachments", "hooks", "programs"; "open": the program is being shown
	 */
	json_t *index;
};

static json_t *rows_of(const struct tree *v, const char *what, const char *id)
{
	return json_object_get(json_object_get(v->index, what), id);
}

static void add_row(const struct tree *v, const char *what, const char *id, json_t *row)
{
	json_t *list = rows_of(v, what, id);

	if (!list) {
		list = json_array();
		json_object_set_new(json_object_get(v->index, what), id, list);
	}
	json_array_append(list, row);
}

static void index_of(const struct tree *v, const char *array, const char *key)
{
	json_t *o;
	size_t i;

	json_array_foreach (json_object_get(v->map, array), i, o)
		add_row(v, array, json_text_of(o, key), o);
}

__attribute__((format(printf, 3, 4))) static void line(const struct tree *v, int indent, const char *fmt, ...)
{
	char words[LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	fprintf(v->t->out, "%*s", indent, "");
	text_last(v->t, words, v->t->columns > (size_t)indent ? v->t->columns - indent : 0);
	fputc('\n', v->t->out);
}

/* What calls each other in a circle is shown once, and then as "...". */
static void show_program(const struct tree *v, const char *id, const char *hook, int indent)
{
	const json_t *program = json_array_get(rows_of(v, "programs", id), 0);
	json_t *open = json_object_get(v->index, "open"), *edge, *pin;
	bool again = json_object_get(open, id);
	size_t i;

	line(v, indent, "%s: %s%s%s%s", hook, json_text_of(program, "name"), *json_text_of(program, "name") ? " " : "",
	     id, again ? " ..." : "");
	if (again)
		return;
	json_object_set_new(open, id, json_true());
	json_array_foreach (json_object_get(program, "pinned"), i, pin)
		line(v, indent + 2, "pinned at %s", json_string_value(pin) ?: "");
	json_array_foreach (rows_of(v, "leads", id), i, edge)
		if (is(edge, "kind", "dispatch"))
			show_program(v, json_text_of(edge, "to"), "calls", indent + 2);
		else if (is(edge, "kind", "tail-call"))
			show_program(v, json_text_of(edge, "to"), "may call", indent + 2);
		else
			line(v, indent + 2, "-> %s by %s[%lld]", json_text_of(edge, "to"), json_text_of(edge, "map"),
			     whole(edge, "key"));
	json_object_del(open, id);
}

/* In the order of a packet's way. */
static const char *const hook_order[] = {"xdp-hw",      "xdp-native", "xdp-skb",    "netkit-primary", "netkit-peer",
					 "tcx-ingress", "tc-ingress", "tcx-egress", "tc-egress"};
static const char *const nft_order[] = {"ingress", "prerouting", "input", "forward", "output", "postrouting", "egress"};

static void show_device(const struct tree *v, const json_t *device, int indent, int depth)
{
	const char *id = json_text_of(device, "device");
	static const struct {
		const char *name, *word;
	} lists[] = {{"rx_queues", "RX "}, {"tx_queues", "TX "}};
	json_t *o, *child;
	size_t i, c;

	/* "eth0  veth, down, mtu 9000, 4 RX queues, fq_codel" */
	long long queues = whole(device, "rx_queues"), mtu = whole(device, "mtu");
	const char *kind = json_text_of(device, "kind"), *qdisc = json_text_of(device, "qdisc");
	char words[LINE], vlan[24] = "", rx[32] = "";
	if (json_object_get(device, "vlan"))
		snprintf(vlan, sizeof(vlan), " %lld", whole(device, "vlan"));
	if (queues > 1)
		snprintf(rx, sizeof(rx), ", %lld RX queues", queues);
	snprintf(words, sizeof(words), "%s%s%s%s, mtu %lld%s%s%s", kind, vlan, *kind ? ", " : "",
		 !json_is_true(json_object_get(device, "up"))       ? "down"
		 : json_is_true(json_object_get(device, "carrier")) ? "up"
								    : "no carrier",
		 mtu, rx, *qdisc && strcmp(qdisc, "noqueue") ? ", " : "", strcmp(qdisc, "noqueue") ? qdisc : "");
	line(v, indent, "%-*s %s", 18 - indent, json_text_of(device, "name"), words);
	indent += 2;
	json_array_foreach (json_object_get(device, "napis"), i, o) {
		/* "NAPI 513, IRQ 24 on CPU 1, RX 0, TX 0" */
		snprintf(words, sizeof(words), "NAPI %lld", whole(o, "id"));
		if (json_is_integer(json_object_get(o, "irq")))
			listed_add(words, sizeof(words), ", ", "IRQ %lld on CPU %s", whole(o, "irq"),
				   json_text_of(o, "irq_cpus"));
		if (json_is_integer(json_object_get(o, "thread")))
			listed_add(words, sizeof(words), ", ", "thread %lld", whole(o, "thread"));
		for (int k = 0; k < 2; k++)
			json_array_foreach (json_object_get(o, lists[k].name), c, child)
				listed_add(words, sizeof(words), c ? " " : ", ", "%s%lld", c ? "" : lists[k].word,
					   json_integer_value(child));
		line(v, indent, "%s", words);
	}
	for (size_t k = 0; k < sizeof(hook_order) / sizeof(*hook_order); k++)
		json_array_foreach (rows_of(v, "attachments", id), i, o)
			if (is(o, "hook", hook_order[k]))
				show_program(v, json_text_of(o, "program"), hook_order[k], indent);
	json_array_foreach (rows_of(v, "hooks", id), i, o)
		line(v, indent, "%s: %s", json_text_of(o, "kind"), json_text_of(o, "name"));
	json_array_foreach (rows_of(v, "peers", id), i, o)
		line(v, indent, "<-> %s", json_text_of(o, "from"));
	json_array_foreach (rows_of(v, "leads", id), i, o)
		if (is(o, "kind", "peer"))
			line(v, indent, "<-> %s", json_text_of(o, "to"));
		else if (is(o, "kind", "xsk"))
			line(v, indent, "AF_XDP socket on queue %s",
			     strrchr(json_text_of(o, "to"), ':') ? strrchr(json_text_of(o, "to"), ':') + 1 : "");
		else if (is(o, "kind", "process"))
			line(v, indent, "%s, %s%s%s", json_text_of(o, "to"), json_text_of(o, "command"),
			     *json_text_of(o, "owner") ? ", " : "", json_text_of(o, "owner"));
		else
			line(v, indent, "%s %s", json_text_of(o, "kind"), json_text_of(o, "to"));
	json_array_foreach (depth < DEPTH ? rows_of(v, "below", id) : NULL, i, o)
		json_array_foreach (rows_of(v, "devices", json_text_of(o, "from")), c, child)
			show_device(v, child, indent, depth + 1);
}

static void show_space(const struct tree *v, const json_t *space)
{
	const char *name = json_text_of(space, "namespace");
	json_t *o, *dev, *child;
	size_t i, k;

	text_styled(v->t, TEXT_TITLE, "%s%s", name, json_is_true(json_object_get(space, "here")) ? " (here)" : "");
	if (!strncmp(name, "process:", 8))
		printable_printf(v->t->out, ", %s", json_text_of(space, "command"));
	else if (*json_text_of(space, "command"))
		printable_printf(v->t->out, ", process %lld %s%s%s", whole(space, "process"),
				 json_text_of(space, "command"), *json_text_of(space, "owner") ? ", " : "",
				 json_text_of(space, "owner"));
	fputc('\n', v->t->out);
	json_array_foreach (json_object_get(v->map, "devices"), i, dev)
		if (is(dev, "namespace", name) && !rows_of(v, "inside", json_text_of(dev, "device")))
			show_device(v, dev, 2, 0);
	for (size_t h = 0; h < sizeof(nft_order) / sizeof(*nft_order); h++)
		json_array_foreach (json_object_get(v->map, "hooks"), i, o) {
			char devices[LINE / 2] = "";

			if (!is(o, "namespace", name) || !is(o, "hook", nft_order[h]))
				continue;
			dev = json_object_get(o, "devices");
			if (json_is_string(dev))
				listed_add(devices, sizeof(devices), ", ", "%s", json_string_value(dev));
			json_array_foreach (dev, k, child)
				listed_add(devices, sizeof(devices), ", ", "%s", json_string_value(child) ?: "");
			line(v, 2, "%s %s %s %s: %s%s%s, priority %lld", json_text_of(o, "kind"),
			     json_text_of(o, "family"), json_text_of(o, "table"), json_text_of(o, "name"),
			     json_text_of(o, "hook"), *devices ? " of " : "", devices, whole(o, "priority"));
		}
}

void map_text(const struct text *t, const json_t *map)
{
	struct tree v = {t, map,
			 json_pack("{s:{}, s:{}, s:{}, s:{}, s:{}, s:{}, s:{}, s:{}, s:{}}", "below", "inside", "leads",
				   "peers", "devices", "attachments", "hooks", "programs", "open")};
	json_t *o;
	size_t i;

	json_array_foreach (json_object_get(map, "edges"), i, o) {
		const char *from = json_text_of(o, "from"), *to = json_text_of(o, "to");
		size_t n = strcspn(from, "/"); /* the namespace */

		if ((is(o, "kind", "port") || is(o, "kind", "upon")) && n == strcspn(to, "/") &&
		    !strncmp(from, to, n) && !rows_of(&v, "inside", from)) {
			add_row(&v, "below", to, o);
			add_row(&v, "inside", from, o);
		} else {
			add_row(&v, "leads", from, o);
			if (is(o, "kind", "peer"))
				add_row(&v, "peers", to, o);
		}
	}
	index_of(&v, "devices", "device");
	index_of(&v, "attachments", "device");
	index_of(&v, "hooks", "device");
	index_of(&v, "programs", "program");
	json_array_foreach (json_object_get(map, "namespaces"), i, o) {
		if (i)
			fputc('\n', t->out);
		show_space(&v, o);
	}
	json_array_foreach (json_object_get(map, "unknown"), i, o) {
		if (!i)
			fputc('\n', t->out);
		text_labelled(t, TEXT_FAINT, "not visible:", json_string_value(o));
	}
	json_decref(v.index);
}

/* ---- the way through one device -------------------------------------------------------------------------------- */

static void keep(json_t *kept, const char *id)
{
	json_object_set_new(kept, id, json_true());
}

/* Leaves the rows of a list of which one of two members is kept. */
static void drop_rest(json_t *map, const char *list, const json_t *kept, const char *key, const char *other)
{
	json_t *rows = json_object_get(map, list);

	for (size_t i = json_array_size(rows); i-- > 0;) {
		const json_t *o = json_array_get(rows, i);

		if (!json_object_get(kept, json_text_of(o, key)) &&
		    !(other && json_object_get(kept, json_text_of(o, other))))
			json_array_remove(rows, i);
	}
}

int map_keep_way(json_t *map, const char *device)
{
	json_t *kept = json_object(), *o;
	char first[LINE] = "";
	size_t i, n, alike = 0;

	json_array_foreach (json_object_get(map, "devices"), i, o)
		if (is(o, "device", device) || is(o, "name", device)) {
			alike += *first != '\0';
			snprintf(first, sizeof(first), "%s", json_text_of(o, "device"));
		}
	if (!*first || alike) {
		json_decref(kept);
		return alike ? -ENOTUNIQ : -ENODEV;
	}
	keep(kept, first);
	do {
		n = json_object_size(kept);
		json_array_foreach (json_object_get(map, "attachments"), i, o)
			if (json_object_get(kept, json_text_of(o, "device")))
				keep(kept, json_text_of(o, "program"));
		json_array_foreach (json_object_get(map, "edges"), i, o)
			if (json_object_get(kept, json_text_of(o, "from")))
				keep(kept, json_text_of(o, "to"));
			else if (is(o, "to", first) ||
				 (is(o, "kind", "peer") && json_object_get(kept, json_text_of(o, "to"))))
				keep(kept, json_text_of(o, "from"));
	} while (json_object_size(kept) > n);
	drop_rest(map, "devices", kept, "device", NULL);
	drop_rest(map, "attachments", kept, "device", NULL);
	drop_rest(map, "edges", kept, "from", NULL);
	drop_rest(map, "programs", kept, "program", NULL);
	drop_rest(map, "sockets", kept, "socket", NULL);
	json_array_foreach (json_object_get(map, "devices"), i, o)
		keep(kept, json_text_of(o, "namespace"));
	drop_rest(map, "namespaces", kept, "namespace", NULL);
	drop_rest(map, "hooks", kept, "device", "namespace");
	json_decref(kept);
	return 0;
}
