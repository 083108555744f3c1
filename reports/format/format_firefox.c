// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file for https://profiler.firefox.com: its processed profile, one thread per variant and one per second stage.
 * That profiler knows no unit below a millisecond, so that the weights are ms per million packets: as many as ns per
 * packet. Version 60 of its format is the first with tables that all threads share; it upgrades older files itself.
 * src: https://github.com/firefox-devtools/profiler, src/types/profile.ts, docs-developer/CHANGELOG-formats.md and,
 *      for the columns of version 60, src/profile-logic/processed-profile-versioning.ts
 */
#include <string.h>
#include "base/json_text.h"
#include "base/sheet/json_out.h"
#include "perfparse/profile.h"
#include "reports/format/format.h"

#define FIREFOX_VERSION       60
#define FIREFOX_GECKO_VERSION 30 /* of the recordings that Firefox itself makes; the profiler wants a number */
#define FIREFOX_LIBRARY       1  /* its type of a resource */

struct firefox {
	struct json_out out;
	struct profile symbols, dsos; /* of all threads, interned; functions and frames have the indices of symbols */
	json_t *threads, *stack_frames, *stack_prefixes;
};

static uint32_t intern(struct firefox *f, struct profile *p, const char *name, const char *dso,
		       enum profile_space space)
{
	uint32_t index = 0;

	if (profile_add_symbol(p, name, strlen(name), dso, strlen(dso), space, &index))
		f->out.failed = true;
	return index;
}

/* Adds the call path, which shares its stacks with no other, and returns its innermost stack. */
static json_t *stack_json(struct firefox *f, const struct profile_symbol *symbols, const struct stacks_row *row)
{
	for (unsigned int i = 0; i < row->depth; i++) {
		const struct profile_symbol *y = &symbols[row->frames[i]];
		json_int_t caller = (json_int_t)json_array_size(f->stack_frames) - 1;

		json_out_add(&f->out, f->stack_frames, json_integer(intern(f, &f->symbols, y->name, y->dso, y->space)));
		json_out_add(&f->out, f->stack_prefixes, i ? json_integer(caller) : json_null());
	}
	return json_integer((json_int_t)json_array_size(f->stack_frames) - 1);
}

/* Samples stand one behind the other in time, each as long as it is heavy. */
static json_t *samples_json(struct firefox *f, const struct analysis_variant *v)
{
	static const struct profile_symbol rest = {"[unattributed]", "", SPACE_UNKNOWN};
	const struct stacks_row rest_row = {.frames = &(uint32_t){0}, .depth = 1, .cost = v->unattributed_ns};
	json_t *o = json_object(), *stacks = json_array(), *times = json_array(), *weights = json_array();
	size_t n = v->stacks.nrows + (v->unattributed_ns > 0);
	double at = 0;

	for (size_t i = 0; i < n; i++) {
		bool named = i < v->stacks.nrows;
		const struct stacks_row *row = named ? &v->stacks.rows[i] : &rest_row;

		json_out_add(&f->out, stacks, stack_json(f, named ? v->stacks.symbols : &rest, row));
		json_out_add(&f->out, times, json_out_value(at));
		json_out_add(&f->out, weights, json_out_value(row->cost));
		at += row->cost;
	}
	json_out_put(&f->out, o, "stack", stacks);
	json_out_put(&f->out, o, "time", times);
	json_out_put(&f->out, o, "weight", weights);
	json_out_text(&f->out, o, "weightType", "tracing-ms");
	json_out_whole(&f->out, o, "length", (int64_t)n);
	return o;
}

/* A process of its own, so that the profiler shows it as a track of its own. */
static void add_thread(struct firefox *f, const struct analysis_variant *v)
{
	int id = (int)json_array_size(f->threads) + 1;
	char name[RUN_ID_BYTES + 40], pid[12];
	json_t *o = json_pack("{s:s, s:i, s:n, s:i, s:n, s:[], s:b, s:i, s:{s:[], s:[], s:[], s:[], s:[], s:[], s:i}}",
			      "processType", "default", "processStartupTime", 0, "processShutdownTime", "registerTime",
			      0, "unregisterTime", "pausedRanges", "isMainThread", 1, "tid", id, "markers", "data",
			      "name", "startTime", "endTime", "phase", "category", "length", 0);

	snprintf(pid, sizeof(pid), "%d", id);
	snprintf(name, sizeof(name), "%s%s", v->variant->id,
		 v->is_task ? ", second stage, a million frames" : ", a million packets");
	json_out_text(&f->out, o, "name", name);
	json_out_text(&f->out, o, "processName", name);
	json_out_text(&f->out, o, "pid", pid);
	json_out_put(&f->out, o, "samples", samples_json(f, v));
	json_out_add(&f->out, f->threads, o);
}

/* Columns with the same value in all rows. Takes value over. */
static void put_constants(struct firefox *f, json_t *table, size_t n, json_t *value, const char *const *names)
{
	for (; *names; names++) {
		json_t *column = json_array();

		for (size_t i = 0; i < n; i++)
			json_out_add(&f->out, column, json_incref(value));
		json_out_put(&f->out, table, *names, column);
	}
	json_decref(value);
}

/* The numbers first, first + 1, ... */
static json_t *indices_json(struct firefox *f, size_t n, size_t first)
{
	json_t *column = json_array();

	for (size_t i = 0; i < n; i++)
		json_out_add(&f->out, column, json_integer((json_int_t)(first + i)));
	return column;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static json_t *frames_json(struct firefox *f)
{
	json_t *o = json_object();
	size_t n = f->symbols.nsymbols;

	json_out_whole(&f->out, o, "length", (int64_t)n);
	json_out_put(&f->out, o, "func", indices_json(f, n, 0));
	put_constants(f, o, n, json_integer(-1), NAMES("address"));
	put_constants(f, o, n, json_integer(0), NAMES("inlineDepth", "category", "subcategory"));
	put_constants(f, o, n, json_null(), NAMES("nativeSymbol", "innerWindowID", "line", "column"));
	return o;
}

/* Strings are the names of the functions, then those of the DSOs, which are the resources. */
static json_t *format_firefox_functions_json(struct firefox *f)
{
	json_t *o = json_object(), *resources = json_array();
	size_t n = f->symbols.nsymbols;

	json_out_whole(&f->out, o, "length", (int64_t)n);
	json_out_put(&f->out, o, "name", indices_json(f, n, 0));
	for (size_t i = 0; i < n; i++) {
		const char *dso = f->symbols.symbols[i].dso;

		json_out_add(&f->out, resources,
			     json_integer(*dso ? (json_int_t)intern(f, &f->dsos, dso, "", SPACE_UNKNOWN) : -1));
	}
	json_out_put(&f->out, o, "resource", resources);
	put_constants(f, o, n, json_false(), NAMES("isJS", "relevantForJS"));
	put_constants(f, o, n, json_null(), NAMES("source", "lineNumber", "columnNumber"));
	return o;
}

static json_t *resources_json(struct firefox *f)
{
	json_t *o = json_object();
	size_t n = f->dsos.nsymbols;

	json_out_whole(&f->out, o, "length", (int64_t)n);
	json_out_put(&f->out, o, "name", indices_json(f, n, f->symbols.nsymbols));
	put_constants(f, o, n, json_integer(FIREFOX_LIBRARY), NAMES("type"));
	put_constants(f, o, n, json_null(), NAMES("lib", "host"));
	return o;
}

static void add_names(struct firefox *f, json_t *strings, const struct profile *p)
{
	for (size_t i = 0; i < p->nsymbols; i++)
		json_out_add(&f->out, strings, json_text_string(p->symbols[i].name));
}

/* After the threads, which fill f. Takes the stacks over. */
static json_t *shared_json(struct firefox *f)
{
	json_t *o = json_pack("{s:{s:[], s:[], s:[], s:[], s:i}, s:{s:[], s:[], s:i}}", "nativeSymbols", "libIndex",
			      "address", "name", "functionSize", "length", 0, "sources", "id", "filename", "length", 0);
	json_t *stacks = json_object(), *strings = json_array();

	json_out_whole(&f->out, stacks, "length", (int64_t)json_array_size(f->stack_frames));
	json_out_put(&f->out, stacks, "frame", f->stack_frames);
	json_out_put(&f->out, stacks, "prefix", f->stack_prefixes);
	json_out_put(&f->out, o, "stackTable", stacks);
	json_out_put(&f->out, o, "frameTable", frames_json(f));
	json_out_put(&f->out, o, "funcTable", format_firefox_functions_json(f)); /* fills dsos */
	json_out_put(&f->out, o, "resourceTable", resources_json(f));
	add_names(f, strings, &f->symbols);
	add_names(f, strings, &f->dsos);
	json_out_put(&f->out, o, "stringArray", strings);
	return o;
}

static json_t *meta_json(struct firefox *f, const struct run *r)
{
	char product[128];
	json_t *o =
		json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:[], s:b, s:b, s:b, s:b, s:[{s:s, s:s, s:[s]}]}", "interval",
			  1, "startTime", 0, "processType", 0, "stackwalk", 1, "version", FIREFOX_GECKO_VERSION,
			  "preprocessedProfileVersion", FIREFOX_VERSION, "markerSchema", "symbolicated", 1,
			  "usesOnlyOneStackType", 1, "sourceCodeIsNotOnSearchfox", 1, "keepProfileThreadOrder", 1,
			  "categories", "name", "Other", "color", "grey", "subcategories", "Other");

	snprintf(product, sizeof(product), "xdpzoom %s, ms per million packets are ns per packet", r->started);
	json_out_text(&f->out, o, "product", product);
	json_out_put(&f->out, o, "initialVisibleThreads", indices_json(f, json_array_size(f->threads), 0));
	return o;
}

int format_firefox(FILE *out, const struct document *d, const struct render_options *o)
{
	struct firefox f = {.threads = json_array(), .stack_frames = json_array(), .stack_prefixes = json_array()};
	json_t *file = json_object();
	int err;

	(void)o;
	for (size_t i = 1; i < d->nsections; i++) {
		const struct analysis_variant *v = d->sections[i].measured;

		if (!v->nused)
			continue;
		add_thread(&f, v);
		if (v->stage.task)
			add_thread(&f, v->stage.task);
	}
	json_out_put(&f.out, file, "meta", meta_json(&f, d->analysis->run));
	json_out_put(&f.out, file, "libs", json_array());
	json_out_put(&f.out, file, "threads", f.threads);
	json_out_put(&f.out, file, "shared", shared_json(&f));
	err = json_out_write(&f.out, file, out, JSON_COMPACT);
	profile_release(&f.symbols);
	profile_release(&f.dsos);
	return err;
}
