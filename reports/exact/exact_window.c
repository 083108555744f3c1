// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of the counting plugin: lines as vm/plugin/plugin.h describes them. */
#include "reports/exact/exact.h"

#define MAX_NODES 65536

struct window_reader {
	struct exact_tree *tree;
	struct exact_variant *v;
	size_t w;
	uint32_t path[EXACT_MAX_DEPTH]; /* the node at each depth */
	uint32_t symbol;                /* of the previous path */
	size_t depth;                   /* of the previous line, + 1; 0: there is no previous line */
	bool memory[EXACT_MEMORY];      /* counted, on the vCPU whose lines these are */
	bool first;                     /* no vCPU has been read */
	struct linescan lines;
	const char *file;
	struct diag *d;
};

void exact_tree_release(struct exact_tree *t)
{
	free(t->nodes);
	free(t->spots);
	free(t->sources);
	hash_table_release(&t->node_table);
	hash_table_release(&t->spot_table);
	hash_table_release(&t->source_table);
	*t = (struct exact_tree){.names = t->names, .first = EXACT_NO_NODE};
}

static int exact_window_refuse(struct window_reader *r, const char *why)
{
	return diag_set(r->d, -EINVAL, "%s, line %" PRIu64 ": %s", r->file, r->lines.line, why);
}

/*
 * The rest of a line: seven numbers, of which the last four may be "-", not known; or nothing. Older runs have fewer.
 * *rest: what follows them. false: anything else, or a number that reports cannot hold exactly.
 */
static bool read_numbers(const char *text, uint64_t counts[EXACT_MEMORY], bool known[EXACT_MEMORY], const char **rest)
{
	int n = 0;

	memset(counts, 0, EXACT_MEMORY * sizeof(*counts));
	memset(known, 0, EXACT_MEMORY * sizeof(*known));
	while (*text && n < EXACT_MEMORY) {
		char *end = NULL;

		if (*text != ' ')
			return false;
		known[n] = text[1] >= '0' && text[1] <= '9';
		if (known[n])
			counts[n] = strtoull(text + 1, &end, 10);
		else if (n >= EXACT_LINES_TRANSFERRED && text[1] == '-')
			end = (char *)text + 2;
		else if (n >= EXACT_LINES_DEVICE)
			break;
		else
			return false;
		if (counts[n++] > EXACT_MOST)
			return false;
		text = end;
	}
	*rest = text;
	return !n || n >= EXACT_LINES_DEVICE;
}

/* "at LOADS STORES LINES TRANSFERS DEVICE PLACE", behind the path whose function it was. */
static int read_place(struct window_reader *r, const char *line)
{
	uint64_t memory[EXACT_MEMORY];
	bool known[EXACT_MEMORY];
	const char *place;
	int err;

	if (!r->depth || !read_numbers(line + strlen("at"), memory, known, &place) || place[0] != ' ' || !place[1])
		return exact_window_refuse(r, "not a line of a data structure behind a path");
	if (memcmp(known, r->memory, sizeof(known)))
		return exact_window_refuse(r, "not the counts of memory that its vCPU has");
	err = exact_spot_add(r->tree, r->symbol, place + 1, r->w, memory);
	if (err)
		return err == -ENOMEM ? err : exact_window_refuse(r, "more data structures than fit");
	for (int m = 0; m < EXACT_MEMORY; m++)
		r->v->windows[r->w].memory_placed[m] += memory[m];
	return 0;
}

static int read_path(struct window_reader *r, const char *line)
{
	struct exact_tree *t = r->tree;
	uint64_t memory[EXACT_MEMORY];
	char name[512], module[128];
	bool known[EXACT_MEMORY];
	uint64_t calls, instructions;
	const char *rest;
	unsigned int depth;
	uint32_t symbol, parent, h, *first;
	size_t slot, node;
	int end = 0;

	if (sscanf(line, "path %u %" SCNu64 " %" SCNu64 " %511s %127s%n", &depth, &calls, &instructions, name, module,
		   &end) != 5 ||
	    calls > EXACT_MOST || instructions > EXACT_MOST || !read_numbers(line + end, memory, known, &rest) || *rest)
		return exact_window_refuse(r, "not a line of a call path");
	if (memcmp(known, r->memory, sizeof(known)))
		return exact_window_refuse(r, "not the counts of memory that its vCPU has");
	if (depth > r->depth || depth >= EXACT_MAX_DEPTH)
		return exact_window_refuse(r, "a path without the one above it");
	if (!strcmp(module, "-"))
		module[0] = '\0';
	if (profile_add_symbol(t->names, span_of(name), span_of(module), SPACE_KERNEL, &symbol))
		return -ENOMEM;
	/* The node of this symbol below its parent, added if it is new. */
	parent = depth ? r->path[depth - 1] : EXACT_NO_NODE;
	h = (uint32_t)hash_pair(parent, symbol, 0);
	if (hash_table_reserve(&t->node_table, t->n))
		return exact_window_refuse(r, "more call paths than fit");
	slot = hash_table_first(&t->node_table, h, &node);
	while (t->node_table.slots[slot] && (t->nodes[node].symbol != symbol || t->nodes[node].parent != parent))
		slot = hash_table_next(&t->node_table, slot, h, &node);
	if (!t->node_table.slots[slot]) {
		if (t->n == MAX_NODES || !array_grow(&t->nodes, &t->cap, t->n, 1, sizeof(*t->nodes)))
			return exact_window_refuse(r, "more call paths than fit");
		first = parent == EXACT_NO_NODE ? &t->first : &t->nodes[parent].child;
		node = t->n++;
		t->nodes[node] = (struct exact_node){
			.symbol = symbol, .parent = parent, .child = EXACT_NO_NODE, .sibling = *first};
		*first = (uint32_t)node;
		hash_table_put(&t->node_table, slot, h, node);
	}
	t->instructions += instructions;
	t->calls += calls;
	if (t->instructions > EXACT_MOST || t->calls > EXACT_MOST)
		return exact_window_refuse(r, "more instructions or calls than fit");
	r->path[depth] = (uint32_t)node;
	r->depth = depth + 1;
	r->symbol = symbol;
	t->nodes[node].counts.instructions[r->w] += (double)instructions;
	t->nodes[node].counts.calls[r->w] += (double)calls;
	r->v->windows[r->w].summed += instructions;
	for (int m = 0; m < EXACT_MEMORY; m++) {
		t->nodes[node].counts.memory[m][r->w] += (double)memory[m];
		r->v->windows[r->w].memory_summed[m] += memory[m];
	}
	if (!strcmp(name, r->v->program))
		r->v->windows[r->w].packets += calls;
	if (!strcmp(name, strncmp(r->v->id, "layer:tx-", 9) ? "napi_complete_done" : "__napi_schedule"))
		r->v->windows[r->w].wakeups += calls;
	return 0;
}

static int exact_window_read_line(struct window_reader *r, const char *line)
{
	struct exact_window *w = &r->v->windows[r->w];
	uint64_t polls, between, total, user, outside, memory[EXACT_MEMORY];
	unsigned int cpu;
	char root[512];
	const char *rest;
	int end = 0;

	if (!strncmp(line, "path ", 5))
		return read_path(r, line);
	if (!strncmp(line, "at ", 3))
		return read_place(r, line);
	if (!strncmp(line, "line ", 5)) {
		int err = exact_line_add(r->tree, line + strlen("line "), r->w);

		r->depth = 0;
		if (!err || err == -ENOMEM)
			return err;
		return exact_window_refuse(r, err == -E2BIG ? "more source lines than fit"
							    : "not a line of a program's source");
	}
	if (sscanf(line, "cpu %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &cpu, &polls, &between, &total,
		   &user, &end) == 5 &&
	    polls <= EXACT_MOST && between <= EXACT_MOST && read_numbers(line + end, memory, r->memory, &rest) &&
	    !*rest) {
		w->polls += polls;
		w->between += between;
		for (int m = 0; m < EXACT_MEMORY; m++) {
			w->memory_between[m] += memory[m];
			w->memory[m] = r->memory[m] && (r->first || w->memory[m]);
		}
		r->first = false;
		r->depth = 0;
		return 0;
	}
	if (sscanf(line, "outside %" SCNu64 " %511s%n", &outside, root, &end) == 2 && outside <= EXACT_MOST &&
	    !line[end]) {
		enum exact_outside of = EXACT_OTHERS;

		if (!strncmp(root, "asm_", 4) || !strncmp(root, "irq_entries_start", 17))
			of = EXACT_INTERRUPTS;
		else if (!strncmp(root, "entry_SYSCALL", 13) || !strncmp(root, "syscall_", 8) ||
			 !strncmp(root, "do_syscall", 10) || strstr(root, "_sys_bpf") ||
			 !strncmp(root, "bpf_prog_test_run", 17))
			of = EXACT_SYSTEM_CALLS;
		else if (!strcmp(root, "consumer"))
			of = EXACT_BESIDE;
		else if (!strcmp(root, "warm-up"))
			of = EXACT_WARMUP;
		r->v->outside[of] += outside;
		r->depth = 0;
		return 0;
	}
	return exact_window_refuse(r, "not a line of the counting plugin");
}

int exact_window_read(struct exact_tree *t, struct exact_variant *v, size_t w, const char *path, struct diag *d)
{
	struct window_reader r = {.tree = t, .v = v, .w = w, .first = true, .file = path, .d = d};
	size_t len;
	char *line;
	FILE *in;
	int err = foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, d);

	if (err)
		return err;
	r.lines = (struct linescan){.in = in, .path = path};
	while ((err = linescan_next(&r.lines, &line, &len, d)) > 0) {
		err = exact_window_read_line(&r, line);
		if (err)
			break;
	}
	linescan_release(&r.lines);
	fclose(in);
	return err;
}
