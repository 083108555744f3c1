// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/fields.h"
#include "reports/run/run.h"

const char *const run_view_words[] = {"blocks", "work", "crossing", "turns", "watch", NULL};

void run_init(struct run *r)
{
	memset(r, 0, sizeof(*r));
	fields_init(r, &run_head_fields);
	fields_init(r, &run_tail_fields);
	run_take_facts(r);
}

void run_block_release(struct run_block *b)
{
	for (struct run_window *w = b->windows; w < b->windows + b->nwindows; w++) {
		free(w->cpus);
		free(w->events);
		counters_release(&w->counters.changed);
	}
	free(b->windows);
	free(b->speeds);
	counters_release(&b->counters.changed);
	b->windows = NULL;
	b->speeds = NULL;
	b->nwindows = b->nspeeds = 0;
}

void run_release(struct run *r)
{
	for (size_t i = 0; i < r->nblocks; i++)
		run_block_release(&r->blocks[i]);
	free(r->blocks);
	spill_release(&r->spilled);
	free(r->variants);
	free(r->tracers);
	json_decref(r->command);
	json_decref(r->environment);
	json_decref(r->device);
	json_decref(r->load);
	run_init(r);
}

void run_take_facts(struct run *r)
{
	const json_t *cpu = json_object_get(r->load, "cpu");
	json_int_t number = json_is_integer(cpu) ? json_integer_value(cpu) : -1;

	r->facts = (struct run_facts){
		.device = json_string_value(json_object_get(r->device, "name")),
		.driver = json_string_value(json_object_get(r->device, "driver")),
		.kernel = json_string_value(json_object_get(r->environment, "kernel")),
		.kernel_version = json_string_value(json_object_get(r->environment, "kernel_version")),
		.machine = json_string_value(json_object_get(r->environment, "machine")),
		.compiler = json_string_value(json_object_get(r->environment, "compiler")),
		.cpu_model = json_string_value(json_object_get(r->environment, "cpu_model")),
		.load_cpu = number >= 0 && number <= INT_MAX ? (int)number : -1,
		.load_rate_pps = json_number_value(json_object_get(r->load, "rate_pps")),
		.load_bytes = json_text_number(r->load, "bytes"),
		.load_batch = json_text_number(r->load, "batch"),
		.load_flows = json_text_number(r->load, "flows"),
		.tx_ring_frames = json_text_number(json_object_get(r->device, "rings"), "tx"),
	};
}

void run_identity(const struct run *r, char text[RUN_IDENTITY_BYTES])
{
	uint64_t first_ns = r->nblocks && r->blocks[0].nwindows ? r->blocks[0].windows[0].from_ns : 0;

	snprintf(text, RUN_IDENTITY_BYTES, "%s %llu %llu", r->started, (unsigned long long)r->seed,
		 (unsigned long long)first_ns);
}

bool run_has_inject_clock(const struct run_variant *v)
{
	return v->inject != RUN_INJECT_NONE && v->inject != RUN_INJECT_AGAIN;
}

double run_window_packets(const struct run_window *w)
{
	uint64_t packets = 0;

	for (size_t i = 0; i < w->ncpus; i++)
		for (int v = 0; v < RUN_VERDICTS; v++)
			packets += w->cpus[i].verdicts[v];
	return (double)packets;
}

double run_window_ns(const struct run_window *w)
{
	return isnan(w->own_ns) ? (double)(w->to_ns - w->from_ns) : w->own_ns;
}

const char *const run_action_words[] = {"",    "drop", "pass",  "tx",   "aborted", "redirect", "redirect-cpu",
					"xsk", "prog", "layer", "watch"};
const char *const run_operation_words[] = {"",     "no-touch", "read-data", "parse-ip", "swap-macs",
					   "bare", "all",      "before",    "after"};
const char *const run_mode_words[] = {"none", "native", "skb", "hw", "stack", "tcx", "clsact", "netkit", "netkit-peer"};
const char *const run_inject_words[] = {"", "chain", "walk", "again"};
const char *const run_observer_words[] = {"",           "bpf-stats", "packet-socket", "fexit",
					  "dispatcher", "tc",        "ftrace",        "watch"};
static const char *const socket_kinds[] = {"copy", "zero-copy"};
#define RUN_CPU_MAX 65535
#define TARGET_MAX  15 /* characters of a device's name */

/*
 * *found: which of the words, from `first` to `last`, the len bytes at text are. Otherwise -EINVAL with a sentence that
 * lists the words.
 */
static int take_word(int *found, const char *text, size_t len, const char *const words[], int first, int last,
		     const char *what, struct diag *d)
{
	char known[sizeof(d->text)] = "", asked[65];
	struct nearest near = {};

	snprintf(asked, sizeof(asked), "%.*s", (int)(len > 64 ? 64 : len), text);
	for (*found = first; *found <= last; (*found)++) {
		if (strlen(words[*found]) == len && !memcmp(words[*found], text, len))
			return 0;
		listed_add(known, sizeof(known), " ", "%s", words[*found]);
		nearest_try(&near, asked, words[*found]);
	}
	return near.word ? diag_set(d, -EINVAL, "unknown %s \"%s\"; did you mean %s? Known: %s", what, asked, near.word,
				    known)
			 : diag_set(d, -EINVAL, "unknown %s \"%s\"; known: %s", what, asked, known);
}

#define UMEM_LEAST 128
#define UMEM_MOST  65536
#define UMEM_WORDS 48

static const char *const umem_flags[] = {"huge", "nowakeup", "poll", "busy"}; /* RUN_UMEM_*, in this order */

static int check_umem(const struct run_umem *m, struct diag *d)
{
	if (m->frames < UMEM_LEAST || m->frames > UMEM_MOST || m->frames & (m->frames - 1))
		return diag_set(d, -EINVAL, "the memory of an AF_XDP socket has %d to %d frames, a power of two",
				UMEM_LEAST, UMEM_MOST);
	if (m->bytes && m->bytes != 2048 && m->bytes != 4096)
		return diag_set(d, -EINVAL, "a frame in the memory of an AF_XDP socket has 2048 or 4096 bytes");
	if (m->ring && (m->ring < UMEM_LEAST || m->ring > m->frames || m->ring & (m->ring - 1)))
		return diag_set(d, -EINVAL, "the ring of an AF_XDP socket has %d to FRAMES entries, a power of two",
				UMEM_LEAST);
	return 0;
}

/* Parses "256", "256x2048" or "4096x2048x512hugenowakeup", which ends at end. */
static int take_umem(struct run_variant *v, const char *text, const char *end, struct diag *d)
{
	unsigned int *const numbers[] = {&v->umem.frames, &v->umem.bytes, &v->umem.ring};
	char words[UMEM_WORDS];
	int at = 0;

	snprintf(words, sizeof(words), "%.*s", (int)(end - text), text);
	for (int i = 0; i < 3 && (!i || words[at] == 'x'); i++) {
		int digits = (int)strspn(words + at + !!i, "0123456789");

		*numbers[i] = digits && digits < 7 ? (unsigned int)atoi(words + at + !!i) : 0;
		at = *numbers[i] ? at + !!i + digits : (int)strlen(words) - 1;
	}
	v->umem.flags = 0;
	for (int i = 0; i < 4; i++) {
		bool has = !strncmp(words + at, umem_flags[i], strlen(umem_flags[i]));

		v->umem.flags |= (unsigned int)has << i;
		at += has ? (int)strlen(umem_flags[i]) : 0;
	}
	if (!v->umem.frames || words[at] || (v->umem.flags & RUN_UMEM_POLL && v->umem.flags & RUN_UMEM_BUSY))
		return diag_set(d, -EINVAL,
				"%s: write FRAMES[xBYTES[xRING]][huge][nowakeup][poll|busy], such as 256x2048", words);
	return check_umem(&v->umem, d);
}

/* ":256x2048"; "" where it is the usual one. */
static void umem_words(const struct run_umem *m, char words[UMEM_WORDS])
{
	const unsigned int numbers[] = {m->frames, m->bytes, m->ring};
	bool usual = !m->bytes && !m->flags && m->frames == RUN_UMEM_FRAMES;
	int n = 0;

	words[0] = '\0';
	for (int i = 0; i < 3 && numbers[i] && !usual; i++)
		n += snprintf(words + n, UMEM_WORDS - (size_t)n, "%c%u", i ? 'x' : ':', numbers[i]);
	for (int i = 0; i < 4; i++)
		n += snprintf(words + n, UMEM_WORDS - (size_t)n, "%s", m->flags >> i & 1 ? umem_flags[i] : "");
}

/* Parses "redirect:eth1", "redirect-cpu:1" or "xsk:copy", len bytes at text. */
static int take_action(struct run_variant *v, const char *text, size_t len, struct diag *d)
{
	const char *colon = memchr(text, ':', len);
	size_t first = colon ? (size_t)(colon - text) : len;
	int action,
		err = take_word(&action, text, first, run_action_words, RUN_ACTION_DROP, RUN_ACTION_XSK, "action", d);
	char *end = NULL;
	long cpu;

	if (err)
		return err;
	v->action = action;
	v->stage = action == RUN_ACTION_REDIRECT       ? RUN_STAGE_DEVICE
		   : action == RUN_ACTION_REDIRECT_CPU ? RUN_STAGE_CPU
		   : action == RUN_ACTION_XSK          ? RUN_STAGE_SOCKET
						       : RUN_STAGE_NONE;
	v->umem.frames = v->stage == RUN_STAGE_SOCKET ? RUN_UMEM_FRAMES : 0;
	if (!colon)
		return 0;
	text = colon + 1;
	len -= first + 1;

	if (v->stage == RUN_STAGE_SOCKET) {
		/* "copy", "zero-copy:256" or "256x2048". */
		bool no_kind = isdigit((unsigned char)*text);
		size_t word = no_kind ? 0 : strcspn(text, ":/");
		int kind;

		if (!no_kind)
			err = take_word(&kind, text, word, socket_kinds, 0, 1, "kind of AF_XDP socket", d);

		snprintf(v->target, sizeof(v->target), "%.*s", (int)word, text);
		return err || word == len ? err : take_umem(v, text + word + !no_kind, text + len, d);
	}
	snprintf(v->target, sizeof(v->target), "%.*s", (int)len, text);
	if (v->stage == RUN_STAGE_NONE)
		return diag_set(d, -EINVAL, "%s has no target, so it takes no colon", run_action_words[v->action]);
	if (!len || len > TARGET_MAX)
		return diag_set(d, -EINVAL, "%s:%.*s: name a %s", run_action_words[v->action],
				(int)(len > 64 ? 64 : len), text, v->stage == RUN_STAGE_CPU ? "CPU" : "device");
	for (const char *c = v->target; v->stage == RUN_STAGE_DEVICE && *c; c++)
		if (!isgraph((unsigned char)*c) || strchr("/\"'\\", *c))
			return diag_set(d, -EINVAL, "redirect:%s: no device has such a name", v->target);
	if (v->stage == RUN_STAGE_DEVICE)
		return 0;
	cpu = strtol(v->target, &end, 10);
	if (v->target[0] < '0' || v->target[0] > '9' || *end || cpu > RUN_CPU_MAX)
		return diag_set(d, -EINVAL, "redirect-cpu:%s: name a CPU by its number", v->target);
	v->stage_cpu = (int)cpu;
	snprintf(v->target, sizeof(v->target), "%d", v->stage_cpu); /* "01" becomes "1" */
	return 0;
}

#define LAYER "layer:"

static int parse_layer(struct run_variant *v, const char *id, struct diag *d)
{
	const char *word = id + strlen(LAYER), *colon = strchr(word, ':'), *words[RUN_LAYERS];
	size_t len = colon ? (size_t)(colon - word) : strlen(word);
	char umem[UMEM_WORDS];
	int layer, err;

	for (int i = 0; i < RUN_LAYERS; i++)
		words[i] = run_layers[i].word;
	err = take_word(&layer, word, len, words, RUN_LAYER_NONE + 1, RUN_LAYERS - 1, "layer", d);
	if (err)
		return err;
	v->action = RUN_ACTION_LAYER;
	v->mode = RUN_MODE_STACK;
	v->layer = layer;
	v->stage = run_layers[layer].reader ? RUN_STAGE_READER : RUN_STAGE_NONE;
	v->umem.frames = layer == RUN_LAYER_XSK_COPY ? RUN_UMEM_FRAMES : 0;
	snprintf(v->target, sizeof(v->target), "%s", words[layer]);
	if (colon && !v->umem.frames)
		return diag_set(d, -EINVAL, LAYER "%s has no AF_XDP socket, so it takes no second colon", v->target);
	err = colon ? take_umem(v, colon + 1, word + strlen(word), d) : 0;
	if (!err && v->umem.flags & RUN_UMEM_BUSY)
		return diag_set(d, -EINVAL, LAYER "%s: the NAPI thread of the lab polls; busy: of xsk:copy on a NIC",
				word);
	umem_words(&v->umem, umem);
	snprintf(v->id, sizeof(v->id), LAYER "%s%s", v->target, umem);
	return err;
}

int run_variant_set_umem(struct run_variant *v, unsigned int frames, struct diag *d)
{
	char id[RUN_ID_BYTES], umem[UMEM_WORDS], was[UMEM_WORDS];
	struct run_umem new = v->umem;
	const char *at;
	int err;

	if (!v->umem.frames)
		return 0;
	new.frames = frames;
	err = check_umem(&new, d);
	if (err)
		return err;
	umem_words(&v->umem, was);
	umem_words(&new, umem);
	at = strchr(v->id, '/') ?: v->id + strlen(v->id);
	/* xsk:256 has no kind before its memory */
	snprintf(id, sizeof(id), "%.*s%s%s", (int)(at - v->id - (int)strlen(was)), v->id, umem, at);
	return run_variant_parse(v, id, d);
}

static int parse_bench(struct run_variant *v, const char *id, struct diag *d)
{
	const char *slash = strchr(id, '/'), *at = slash ? strchr(slash, '@') : NULL, *plus;
	int operation = 0, mode = 0, err;

	if (!at)
		return diag_set(d, -EINVAL,
				"\"%.64s\" is not a variant; one is written ACTION/OPERATION@MODE, "
				"for instance drop/no-touch@native, prog:FILE.o@MODE, or layer:PLACE",
				id);
	plus = memchr(slash, '+', (size_t)(at - slash));
	err = take_action(v, id, (size_t)(slash - id), d);
	if (!err)
		err = take_word(&operation, slash + 1, (size_t)((plus ? plus : at) - slash - 1), run_operation_words,
				RUN_NO_TOUCH, RUN_BARE, "operation", d);
	v->operation = operation;
	if (!err && plus) { /* "chain50" or "again", which ends at the at sign */
		const char *text = plus + 1;
		size_t word = strcspn(text, "0123456789@");
		char *end = NULL;
		int inject = RUN_INJECT_NONE;

		err = take_word(&inject, text, word, run_inject_words, RUN_INJECT_CHAIN, RUN_INJECT_AGAIN,
				"injected cost", d);
		v->inject = inject;
		text += word;
		bool again = inject == RUN_INJECT_AGAIN;
		if (!err && !(again && text == at)) {
			v->inject_asked_ns = strtod(text, &end);
			if (again)
				err = diag_set(d, -EINVAL, "+again is the same program once more and takes no number");
			else if (text == at || end != at || !(v->inject_asked_ns <= RUN_INJECT_MAX_NS))
				err = diag_set(d, -EINVAL, "+%s: give a number of ns, 0 to %d, for instance +%s50",
					       run_inject_words[inject], RUN_INJECT_MAX_NS, run_inject_words[inject]);
			else if (v->operation == RUN_BARE)
				err = diag_set(d, -EINVAL, "bare cannot carry an injected cost; use no-touch");
		}
	}
	if (!err)
		err = take_word(&mode, at + 1, strlen(at + 1), run_mode_words, RUN_MODE_NATIVE, RUN_MODE_HW, "mode", d);
	v->mode = mode;
	/* Pairs of known words that do not make a variant. */
	if (!err && v->action == RUN_ACTION_TX && v->operation != RUN_SWAP_MACS)
		err = diag_set(d, -EINVAL,
			       "tx/%s: use tx/swap-macs; the NIC may discard a frame sent back with its own source "
			       "address, so nothing would reach the wire and the number would be wrong",
			       run_operation_words[v->operation]);
	else if (!err && v->stage != RUN_STAGE_NONE && v->operation == RUN_BARE)
		err = diag_set(d, -EINVAL, "%s/bare: bare only drops; use %s/no-touch", run_action_words[v->action],
			       run_action_words[v->action]);
	else if (!err && v->stage == RUN_STAGE_SOCKET && !strcmp(v->target, "zero-copy") && v->mode != RUN_MODE_NATIVE)
		err = diag_set(d, -EINVAL, "xsk:zero-copy@%s: only native XDP has zero-copy", run_mode_words[v->mode]);
	if (!err) {
		char inject[32] = "", umem[UMEM_WORDS];

		umem_words(&v->umem, umem);
		if (v->inject == RUN_INJECT_AGAIN)
			snprintf(inject, sizeof(inject), "+again");
		else if (v->inject)
			snprintf(inject, sizeof(inject), "+%s%.9g", run_inject_words[v->inject], v->inject_asked_ns);
		snprintf(v->id, sizeof(v->id), "%s%s%s%s/%s%s@%s", run_action_words[v->action], v->target[0] ? ":" : "",
			 v->target, umem, run_operation_words[v->operation], inject, run_mode_words[v->mode]);
	}
	return err;
}

#define OBSERVER "+observer:"

/*
 * What people write, spelled out: "drop" is drop/no-touch@native, "tx@drv" tx/swap-macs@native,
 * "drop/read-data@generic" drop/read-data@skb, "fw.o" prog:fw.o@native, "prog:id:7" prog:id:7@native. All else stays.
 */
static const char *spell_out(const char *id, char full[RUN_ID_BYTES])
{
	const char *at = strrchr(id, '@'), *mode = at ? at + 1 : "native", *prefix = "", *operation = "";
	size_t len = at ? (size_t)(at - id) : strlen(id), word = len;
	bool own = !strncmp(id, RUN_OWN_WORD, strlen(RUN_OWN_WORD));
	bool file = len > 2 && !memcmp(id + len - 2, ".o", 2) && (own || !memchr(id, ':', len));

	bool action = false; /* is the whole text up to its colon or its plus the name of an action of ours? */
	size_t first = strcspn(id, ":+@/");

	if (!strncmp(id, LAYER, strlen(LAYER)) || !strncmp(id, RUN_WATCH_WORD, strlen(RUN_WATCH_WORD)))
		return id;
	for (int i = RUN_ACTION_DROP; i <= RUN_ACTION_XSK; i++)
		action |=
			strlen(run_action_words[i]) == first && first <= len && !memcmp(run_action_words[i], id, first);
	if (file && !own)
		prefix = RUN_OWN_WORD;
	else if (!own && (action || !memchr(id, ':', len))) {
		const char *plus = memchr(id, '+', len);

		word = plus ? (size_t)(plus - id) : len;
		operation = memchr(id, '/', word) ? "" : !strncmp(id, "tx", 2) ? "/swap-macs" : "/no-touch";
	} else if (!at && !file && !own) {
		return id;
	}
	if (!strcmp(mode, "drv") || !strcmp(mode, "generic"))
		mode = *mode == 'd' ? "native" : "skb";
	if (snprintf(full, RUN_ID_BYTES, "%s%.*s%s%.*s@%s", prefix, (int)word, id, operation, (int)(len - word),
		     id + word, mode) >= RUN_ID_BYTES)
		return id;
	return full;
}

int run_variant_parse(struct run_variant *v, const char *id, struct diag *d)
{
	const char *plus = NULL, *word = "", *at;
	char full[RUN_ID_BYTES], plain[RUN_ID_BYTES];
	int observer = RUN_OBSERVER_NONE, n, err = 0;

	id = spell_out(id, full);
	/* The last "+observer:": a file's name may hold another one. */
	for (at = id; (at = strstr(at, OBSERVER)); at++)
		plus = at;
	memset(v, 0, sizeof(*v));
	v->stage_cpu = -1;
	if (plus) { /* "drop/no-touch+observer:tc@skb" is parsed as "drop/no-touch@skb" */
		word = plus + strlen(OBSERVER);
		at = strrchr(word, '@');
		err = take_word(&observer, word, at ? (size_t)(at - word) : strlen(word), run_observer_words,
				RUN_OBSERVER_NONE + 1, RUN_OBSERVERS - 1, "observer", d);
		word = err ? "" : run_observer_words[observer];
		if (!err && !at)
			err = diag_set(d, -EINVAL,
				       "%.64s: write the mode behind the observer, as in +observer:%s@native", id,
				       word);
		n = snprintf(plain, sizeof(plain), "%.*s%s", (int)(plus - id), id, at ? at : "");
		if (!err && n + strlen(OBSERVER) + strlen(word) >= sizeof(plain))
			err = diag_set(d, -EINVAL, "%.32s...: the name is too long", id);
	}
	const char *rest = plus ? plain : id;
	if (!err)
		err = !strncmp(rest, RUN_OWN_WORD, strlen(RUN_OWN_WORD))       ? run_own_variant(v, rest, d)
		      : !strncmp(rest, LAYER, strlen(LAYER))                   ? parse_layer(v, rest, d)
		      : !strncmp(rest, RUN_WATCH_WORD, strlen(RUN_WATCH_WORD)) ? run_watch_variant(v, rest, d)
									       : parse_bench(v, rest, d);
	if (!err && observer == RUN_OBSERVER_DISPATCHER && run_mode_is_tc(v->mode))
		err = diag_set(d, -EINVAL, "%.64s: a dispatcher calls XDP programs alone", id);
	if (!err && plus) {
		at = strrchr(v->id, '@');
		snprintf(plain, sizeof(plain), "%.*s" OBSERVER "%s%s", (int)(at - v->id), v->id, word, at);
		strcpy(v->id, plain);
		v->observer = observer;
	}
	if (err)
		memset(v, 0, sizeof(*v));
	v->verdicts.frames = v->object.bytes = -1;
	return err;
}

enum run_verdict run_verdict_of(const struct run_variant *v)
{
	switch (v->action) {
	case RUN_ACTION_ABORTED:
		return RUN_ABORTED;
	case RUN_ACTION_DROP:
		return RUN_DROP;
	case RUN_ACTION_PASS:
		return RUN_PASS;
	case RUN_ACTION_TX:
		return RUN_TX;
	case RUN_ACTION_REDIRECT:
	case RUN_ACTION_REDIRECT_CPU:
	case RUN_ACTION_XSK:
		return RUN_REDIRECT;
	case RUN_ACTION_LAYER:
		return run_layer_forwards(v) ? RUN_REDIRECT : RUN_DROP;
	case RUN_ACTION_PROG:
	case RUN_ACTION_WATCH:
	case RUN_ACTION_NONE:
		break;
	}
	return RUN_UNTOLD;
}

bool run_is_imported(const struct run *r)
{
	return !strcmp(r->order, "imported");
}

const char *run_chosen_event(const struct run *r)
{
	return run_is_imported(r) && r->event[0] && strlen(r->event) < sizeof(r->event) - 1 ? r->event : NULL;
}
