// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/exact/exact.h"
#include "reports/run/fields.h"

#define MAX_VARIANTS 256
#define MAX_OPTIONS  4096 /* of the kernel's configuration */
#define MAX_OPTION   128  /* bytes */

bool exact_is(const char *dir)
{
	char path[4200], head[256] = "";
	FILE *in;
	size_t n;

	snprintf(path, sizeof(path), "%s/" EXACT_FILE, dir);
	if (foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, NULL))
		return false;
	n = fread(head, 1, sizeof(head) - 1, in);
	head[n] = '\0';
	fclose(in);
	return strstr(head, "\"xdpzoom.exact/") != NULL;
}

const struct exact_variant *exact_find(const struct exact *e, const char *id, struct diag *d)
{
	char names[512] = "";

	for (size_t i = 0; i < e->nvariants; i++)
		if (id ? !strcmp(e->variants[i].id, id) : e->nvariants == 1)
			return &e->variants[i];
	for (size_t i = 0; i < e->nvariants; i++)
		listed_add(names, sizeof(names), ", ", "%s", e->variants[i].id);
	if (id)
		diag_set(d, -ENOENT, "no variant %.64s in this run; it has %s", id, names);
	else
		diag_set(d, -ENOENT, "name a variant; this run has %s", names);
	return NULL;
}

void exact_cost_init(struct exact_cost *cost, const struct exact_variant *v)
{
	*cost = (struct exact_cost){.exact = true};
	for (int i = 0; i < EXACT_MEMORY; i++)
		cost->memory[i] = cost->memory_residual[i] = v && v->memory[i] ? 0 : NAN;
}

static void variant_release(struct exact_variant *v)
{
	free(v->windows);
	free(v->shared);
	free(v->rows);
	free(v->components);
	free(v->paths);
	free(v->places);
	free(v->spots);
	free(v->lines);
	free(v->drops);
	free(v->frames);
	profile_release(&v->names);
	memset(v, 0, sizeof(*v));
}

void exact_release(struct exact *e)
{
	for (size_t i = 0; i < e->nvariants; i++)
		variant_release(&e->variants[i]);
	free(e->variants);
	free(e->left_out);
	free(e->command);
	free(e->config);
	free(e->mitigations);
	memset(e, 0, sizeof(*e));
}

/* Sums of counts in each window, for a symbol, for a component or for all, before the model is applied. */
struct sums {
	struct exact_counts counts;
	double moved[EXACT_MAX_WINDOWS]; /* the instructions of the dispatcher, which are part of counts */
	bool any, moves;
};

/*
 * The kernel generates the dispatcher of XDP as a search among the addresses of the programs that are loaded
 * (kernel/bpf/dispatcher.c). How many comparisons a packet needs depends on where the programs were loaded, and all
 * windows of a variant have that in common.
 */
static void sums_add(struct sums *s, const struct exact_node *node, const struct profile *names)
{
	bool moves = !strcmp(names->symbols[node->symbol].name, "bpf_dispatcher_xdp");

	s->moves |= moves;
	for (size_t w = 0; w < EXACT_MAX_WINDOWS; w++) {
		s->counts.instructions[w] += node->counts.instructions[w];
		s->counts.calls[w] += node->counts.calls[w];
		for (int m = 0; m < EXACT_MEMORY; m++)
			s->counts.memory[m][w] += node->counts.memory[m][w];
		if (moves)
			s->moved[w] += node->counts.instructions[w];
	}
	s->any = true;
}

/* The cost of a sum. No sum with the dispatcher is exact; all of the dispatcher's instructions are its deviation. */
static void sums_cost(const struct sums *s, const struct exact_fit *fit, const struct exact_variant *v,
		      struct exact_cost *cost)
{
	struct exact_counts moved = {};
	struct exact_cost of_moved;

	exact_apply(fit, v, &s->counts, cost);
	if (!s->moves)
		return;
	memcpy(moved.instructions, s->moved, sizeof(s->moved));
	exact_apply(fit, v, &moved, &of_moved);
	cost->exact = false;
	cost->residual += of_moved.instructions[EXACT_PACKET];
}

static int exact_by_cost(const void *a, const void *b)
{
	const struct exact_row *x = a, *y = b;
	const double *of_x = x->cost.instructions, *of_y = y->cost.instructions;

	return ORDER(of_y[EXACT_PACKET], of_x[EXACT_PACKET]) ?: ORDER(of_y[EXACT_POLL], of_x[EXACT_POLL])
							    ?: strcmp(x->name, y->name);
}

/* Fills v->paths: the frames of each node and the component of its path. */
static int build_paths(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit,
		       struct components *f, struct diag *d)
{
	uint32_t *frame;

	v->paths = calloc(t->n + 1, sizeof(*v->paths));
	v->frames = calloc(t->n + 1, EXACT_MAX_DEPTH * sizeof(*v->frames));
	if (!v->paths || !v->frames)
		return diag_set(d, -ENOMEM, "no memory");
	v->npaths = t->n;
	frame = v->frames;
	for (size_t i = 0; i < t->n; i++) {
		struct exact_path *p = &v->paths[i];
		struct exact_cost cost;

		p->frames = frame;
		for (uint32_t n = (uint32_t)i; n != EXACT_NO_NODE && p->depth < EXACT_MAX_DEPTH;
		     n = t->nodes[n].parent) {
			*frame++ = t->nodes[n].symbol;
			p->depth++;
		}
		exact_apply(fit, v, &t->nodes[i].counts, &cost);
		p->parent = t->nodes[i].parent == EXACT_NO_NODE ? SIZE_MAX : t->nodes[i].parent;
		for (size_t w = 0; w < v->nwindows; w++) {
			p->counted += (uint64_t)t->nodes[i].counts.instructions[w];
			p->called += (uint64_t)t->nodes[i].counts.calls[w];
		}
		p->instructions = cost.instructions[EXACT_PACKET];
		p->calls = cost.calls;
		if (profile_add_stack(&v->names, p->frames, p->depth, 1, 1))
			return diag_set(d, -ENOMEM, "no memory");
		/* No two nodes have the same frames, so stack number i is that of node i. */
		p->component = f->list[components_of_stack(f, &v->names, &v->names.stacks[i])].name;
	}
	return 0;
}

/* Makes one row per symbol. A symbol that is in several components is put into the one where it costs most. */
static int build_rows(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit, struct diag *d)
{
	struct sums *of = calloc(v->names.nsymbols + 1, sizeof(*of));
	double *most = calloc(v->names.nsymbols + 1, sizeof(*most));
	const char **component = calloc(v->names.nsymbols + 1, sizeof(*component));

	v->rows = calloc(v->names.nsymbols + 1, sizeof(*v->rows));
	if (!of || !most || !component || !v->rows) {
		free(of);
		free(most);
		free(component);
		return diag_set(d, -ENOMEM, "no memory");
	}
	for (size_t i = 0; i < t->n; i++) {
		uint32_t s = t->nodes[i].symbol;

		sums_add(&of[s], &t->nodes[i], &v->names);
		if (!component[s] || v->paths[i].instructions > most[s]) {
			component[s] = v->paths[i].component;
			most[s] = v->paths[i].instructions;
		}
	}
	for (size_t s = 0; s < v->names.nsymbols; s++) {
		struct exact_row *row = &v->rows[v->nrows];

		if (!of[s].any)
			continue;
		*row = (struct exact_row){v->names.symbols[s].name, v->names.symbols[s].dso, component[s], {}};
		sums_cost(&of[s], fit, v, &row->cost);
		v->nrows++;
	}
	qsort(v->rows, v->nrows, sizeof(*v->rows), exact_by_cost);
	free(of);
	free(most);
	free(component);
	return 0;
}

static int build_components(struct exact_variant *v, const struct exact_tree *t, const struct exact_fit *fit,
			    const struct components *f, struct diag *d)
{
	unsigned int n = (unsigned int)f->n;

	v->components = calloc(n + 1, sizeof(*v->components));
	if (!v->components)
		return diag_set(d, -ENOMEM, "no memory");
	for (unsigned int id = 0; id < n; id++) {
		struct exact_row *row = &v->components[v->ncomponents];
		struct sums sums = {};

		for (size_t i = 0; i < t->n; i++)
			if (v->paths[i].component == f->list[id].name)
				sums_add(&sums, &t->nodes[i], &v->names);
		if (!sums.any)
			continue;
		*row = (struct exact_row){f->list[id].name, "", f->list[id].name, {}};
		sums_cost(&sums, fit, v, &row->cost);
		v->ncomponents++;
	}
	qsort(v->components, v->ncomponents, sizeof(*v->components), exact_by_cost);
	return 0;
}

const struct exact_window *exact_footprint(const struct exact_variant *v, unsigned int batch)
{
	for (size_t w = 0; w < v->nwindows + v->nfootprints; w++)
		if (v->windows[w].batch == batch && v->windows[w].memory[EXACT_FOOT_LINES])
			return &v->windows[w];
	return NULL;
}

bool exact_footprint_words(const struct exact *e, const struct exact_variant *v, const struct exact_variant *base,
			   char *text, size_t size)
{
	const double *n = v->total.memory, *of_base = base ? base->total.memory : n;
	int at;

	text[0] = '\0';
	if (isnan(n[EXACT_FOOT_LINES] + n[EXACT_FOOT_PAGES] + of_base[EXACT_FOOT_LINES] + of_base[EXACT_FOOT_PAGES]))
		return false;
	at = snprintf(text, size, "%u frames touch %.0f lines and %.0f pages", e->footprint_frames, n[EXACT_FOOT_LINES],
		      n[EXACT_FOOT_PAGES]);
	if (base)
		snprintf(text + at, size - (size_t)at, ", against %.0f and %.0f", of_base[EXACT_FOOT_LINES],
			 of_base[EXACT_FOOT_PAGES]);
	return true;
}

void exact_pmu_words(const struct exact *e, const struct exact_variant *v, double *counted, char *text, size_t size)
{
	const double *n = v->total.instructions;

	*counted = NAN;
	text[0] = '\0';
	if (!(v->pmu > 0))
		return;
	if (strcmp(e->kernel, e->pmu_kernel) != 0) {
		snprintf(text, size, "not comparable: the PMU counted on Linux %s", e->pmu_kernel);
		return;
	}
	*counted = n[EXACT_PACKET] + (v->pmu_packets_per_poll > 0 ? n[EXACT_POLL] / v->pmu_packets_per_poll : 0);
	snprintf(text, size, "%.1f ± %.1f instructions by the PMU, %.1f counted: %+.1f, %.3f times", v->pmu,
		 v->pmu_half, *counted, v->pmu - *counted, v->pmu / *counted);
}

/* mean: v holds the windows of the machine with two CPUs, which have one mean and no terms. */
static int variant_build(struct exact_variant *v, const struct exact_tree *t, bool mean, struct components *f,
			 struct diag *d)
{
	struct exact_fit fit;
	double packets = 0;
	int err;

	if (mean)
		fit = (struct exact_fit){.terms = {[EXACT_PACKET] = true}};
	for (size_t i = 0; i < v->nwindows; i++)
		packets += (double)v->windows[i].packets;
	for (size_t i = 0; i < v->nwindows && packets > 0 && mean; i++)
		fit.map[EXACT_PACKET][i] = 1 / packets;
	err = !mean ? exact_fit(&fit, v, -1) : packets > 0 ? 0 : -ERANGE;
	if (err)
		return diag_set(d, err, err == -ENOMEM ? "no memory" : "%s: no packets were counted", v->id);
	memcpy(v->terms, fit.terms, sizeof(v->terms));
	for (int m = 0; m < EXACT_MEMORY; m++) {
		const struct exact_window *of = exact_footprint(v, EXACT_FOOTPRINT_BATCH);

		v->memory[m] = m < EXACT_FOOT_LINES || of;
		if (m >= EXACT_FOOT_LINES) {
			v->footprint = of ? (size_t)(of - v->windows) : 0;
			continue;
		}
		for (size_t w = 0; w < v->nwindows; w++)
			v->memory[m] &= v->windows[w].memory[m];
	}
	err = exact_close(v, t, mean, d);
	if (err)
		return err;
	err = build_paths(v, t, &fit, f, d) ?: build_rows(v, t, &fit, d) ?: build_components(v, t, &fit, f, d);
	if (!err && (exact_build_places(v, t, &fit) || exact_build_lines(v, t, &fit)))
		err = diag_set(d, -ENOMEM, "no memory");
	if (!err) {
		struct exact_fit half;
		struct exact_cost cost;
		struct sums all = {};

		for (size_t i = 0; i < t->n; i++)
			sums_add(&all, &t->nodes[i], &v->names);
		sums_cost(&all, &fit, v, &v->total);
		for (int parity = 0; parity < 2; parity++) {
			v->halves[parity] = NAN;
			if (exact_fit(&half, v, parity) || memcmp(half.terms, fit.terms, sizeof(half.terms)))
				continue;
			exact_apply(&half, v, &all.counts, &cost);
			v->halves[parity] = cost.instructions[EXACT_PACKET];
		}
		for (size_t w = 0; w < v->nwindows; w++) {
			v->packets += v->windows[w].packets;
			v->polls += v->windows[w].polls;
			v->wakeups += v->windows[w].wakeups;
			v->summed += v->windows[w].summed;
			v->between += v->windows[w].between;
			for (int m = 0; m < EXACT_MEMORY; m++) {
				v->memory_summed[m] += v->windows[w].memory_summed[m];
				v->memory_between[m] += v->windows[w].memory_between[m];
				v->memory_placed[m] += v->windows[w].memory_placed[m];
			}
		}
	}
	return err;
}

/* The windows of a machine, and what they add up to. with_shared: of that with two CPUs. */
static int build_machine(struct exact_variant *v, bool shared, struct json_in *rd, const char *dir,
			 struct components *f)
{
	struct exact_tree t = {.names = &v->names, .first = EXACT_NO_NODE};

	v->names = (struct profile){};
	for (size_t i = 0; i < v->nwindows && !rd->err; i++) {
		char path[4300];

		snprintf(path, sizeof(path), "%s/blocks/%u.paths", dir, v->windows[i].file);
		rd->err = exact_window_read(&t, v, i, path, rd->d);
	}
	v->nfootprints = v->nwindows > 1 && v->windows[v->nwindows - 1].batch == 1;
	v->nwindows -= v->nfootprints;
	if (!rd->err)
		rd->err = variant_build(v, &t, shared, f, rd->d);
	exact_tree_release(&t);
	return rd->err;
}

struct made exact_made(const struct exact *e, const struct exact_variant *v)
{
	return (struct made){e->compiler, e->kernel, v->made, e->config, e->mitigations};
}

static void read_config(struct json_in *rd, const json_t *root, void *s)
{
	const json_t *list = json_object_get(root, "configuration"), *o;
	struct exact *e = s;
	size_t i, n = 0;

	if (!list || json_is_null(list))
		return;
	if (!json_is_array(list) || json_array_size(list) > MAX_OPTIONS)
		return fields_refuse(rd, "configuration", "is not an array");
	e->config = calloc(json_array_size(list) + 1, MAX_OPTION);
	if (!e->config)
		rd->err = diag_set(rd->d, -ENOMEM, "no memory");
	json_array_foreach (list, i, o) {
		const char *option = json_string_value(o);

		if (rd->err)
			return;
		if (!option || strlen(option) >= MAX_OPTION || !made_is_option(option))
			fields_refuse(rd, "configuration", "is no list of options");
		else
			n += (size_t)sprintf(e->config + n, "%s\n", option);
	}
}

static const struct field window_list[] = {
	{"batch", 0, WHOLE(exact_window, batch), .least = 1, .most = 4096},
	{"packets", 0, WHOLE(exact_window, arrived)},
	{"sent", 0, WHOLE(exact_window, sent)},
	{"file", 0, WHOLE(exact_window, file), .most = 99999},
};
static const struct fields window_fields = {FIELDS(window_list)};
static const struct field drop_list[] = {
	{"reason", 0, TEXT(exact_drop, reason)},
	{"frames", 0, WHOLE(exact_drop, frames)},
};
static const struct fields drop_fields = {FIELDS(drop_list)};
/* The windows of the machine with one CPU, and of that with two. */
static const struct field variant_list[] = {
	{"id", 0, TEXT(exact_variant, id)},
	{"program", 0, TEXT(exact_variant, program)},
	{"program_instructions", OPTIONAL | NULLABLE, WHOLE(exact_variant, made.instructions), .most = MADE_MOST},
	{"program_bytes", OPTIONAL | NULLABLE, WHOLE(exact_variant, made.bytes), .most = MADE_MOST},
	{"windows", 0, LIST(exact_variant, windows, nwindows, &window_fields), .most = EXACT_MAX_WINDOWS},
	{"shared_windows", OPTIONAL, LIST(exact_variant, shared, nshared, &window_fields), .most = EXACT_MAX_WINDOWS},
	{"pmu_instructions", OPTIONAL, REAL(exact_variant, pmu)},
	{"pmu_half", OPTIONAL, REAL(exact_variant, pmu_half)},
	{"pmu_packets_per_poll", OPTIONAL, REAL(exact_variant, pmu_packets_per_poll)},
	{"drop_reasons", OPTIONAL, LIST(exact_variant, drops, ndrops, &drop_fields), .most = 1024},
};
static const struct fields variant_fields = {FIELDS(variant_list)};
static const struct field left_out_list[] = {
	{"id", 0, TEXT(exact_left_out, id)},
	{"why", 0, TEXT(exact_left_out, why)},
};
static const struct fields left_out_fields = {FIELDS(left_out_list)};
static const struct field exact_list[] = {
	{"schema", 0, TEXT(exact, schema)},
	{"kernel", 0, TEXT(exact, kernel)},
	{"nic", 0, TEXT(exact, nic)},
	{"compiler", OPTIONAL | NULLABLE, TEXT(exact, compiler)},
	{"source", OPTIONAL | NULLABLE, TEXT(exact, source)},
	{"configuration", 0, OWN(read_config, NULL)},
	{"append", OPTIONAL, TEXT(exact, append)},
	{"footprint_frames", OPTIONAL, WHOLE(exact, footprint_frames), .most = 1 << 20},
	{"pmu_kernel", OPTIONAL, TEXT(exact, pmu_kernel)},
	{"pmu_cpu", OPTIONAL | NULLABLE, TEXT(exact, pmu_cpu)},
	{"pmu_started", OPTIONAL, TEXT(exact, pmu_started)},
	{"emulator", 0, TEXT(exact, emulator)},
	{"time", 0, TEXT(exact, time)},
	{"made_by", 0, TEXT(exact, made_by)},
	{"variants", 0, LIST(exact, variants, nvariants, &variant_fields), .most = MAX_VARIANTS},
	{"left_out", OPTIONAL, LIST(exact, left_out, nleft_out, &left_out_fields), .most = MAX_VARIANTS},
};
static const struct fields exact_fields = {FIELDS(exact_list)};

int exact_read(struct exact *e, const char *dir, struct components *f, struct diag *d)
{
	char path[4200];
	struct json_in rd = {.path = path, .d = d};

	json_error_t je;
	json_t *root;
	FILE *in;

	memset(e, 0, sizeof(*e));
	snprintf(path, sizeof(path), "%s/" EXACT_FILE, dir);
	rd.err = foreign_file_open(&in, AT_FDCWD, path, true, RUN_MAX_BYTES, d);
	if (rd.err)
		return rd.err;
	root = json_loadf(in, JSON_REJECT_DUPLICATES, &je);
	fclose(in);
	if (!root)
		return diag_set(d, -EINVAL, "%s, line %d: %s", path, je.line, je.text);
	fields_read(&rd, root, e, &exact_fields);
	if (*e->schema && strcmp(e->schema, EXACT_SCHEMA)) {
		rd.err = 0;
		fields_refuse(&rd, "schema", "not " EXACT_SCHEMA);
	}
	e->mitigations = made_mitigations(json_object_get(root, "mitigations"));
	e->command = shell_line(json_object_get(root, "command"));
	if (!e->command && json_array_size(json_object_get(root, "command")) && !rd.err)
		rd.err = diag_set(d, -ENOMEM, "no memory");
	json_decref(root);
	for (size_t i = 0; i < e->nvariants && !rd.err; i++) {
		struct exact_variant *v = &e->variants[i];
		struct exact_variant shared = *v;

		shared.windows = v->shared;
		shared.nwindows = v->nshared;
		v->shared = shared.shared = NULL;
		shared.drops = NULL; /* they stay with v */
		/* The tag is in the name of a program's symbol, "bpf_prog_8c434fd23c482af9_xdp_bench". */
		const char *tag = v->program + strlen("bpf_prog_");
		if (!strncmp(v->program, "bpf_prog_", strlen("bpf_prog_")) && strspn(tag, "0123456789abcdef") == 16)
			snprintf(v->made.tag, sizeof(v->made.tag), "%.16s", tag);
		if (!build_machine(v, false, &rd, dir, f) && shared.windows &&
		    !build_machine(&shared, true, &rd, dir, f) && exact_take_transfers(v, &shared))
			rd.err = diag_set(rd.d, -ENOMEM, "no memory");
		variant_release(&shared);
	}
	if (rd.err)
		exact_release(e);
	return rd.err;
}
