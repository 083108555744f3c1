// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "user/programs/programs.h"

/* ---- fillers ---- */

/* Together some pages of code: costs repeat with the address in a page, and places are found from the first one on. */
#define MOST_AT_ONCE 24
#define SHORTEST     8 /* instructions: no more than a program under test has */
#define LONGEST      40

void fillers_load(struct fillers *f, uint64_t seed)
{
	uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	struct bpf_insn code[LONGEST + 1];
	size_t n;

	for (int i = 0; i < 8; i++) /* seeds next to each other are alike at first */
		random_below(&random, 2);
	n = random_below(&random, MOST_AT_ONCE);
	for (size_t i = 0; i < n && f->n < FILLERS_MOST; i++) {
		size_t length = SHORTEST + random_below(&random, LONGEST - SHORTEST);

		for (size_t k = 0; k < length; k++)
			code[k] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1};
		code[length] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
		f->fds[f->n] = bpf_prog_load(BPF_PROG_TYPE_XDP, "filler", "GPL", code, length + 1, NULL);
		if (f->fds[f->n] < 0)
			return;
		f->n++;
	}
}

void fillers_release(struct fillers *f)
{
	while (f->n)
		close(f->fds[--f->n]);
}

/* ---- source_lines ---- */

/* What the kernel tells of a program; the arrays are in one block of memory, at lines. */
struct told {
	struct bpf_prog_info info;
	struct bpf_line_info *lines;
	uint64_t *addresses, *functions; /* where each line begins, and each function */
	uint32_t *lengths;               /* of the functions */
};

/* False: it is no program for XDP or tc, or has no such line information. */
static bool read_info(struct told *t, int fd)
{
	struct bpf_prog_info *info = &t->info;
	__u32 len = sizeof(*info), n, functions;

	memset(t, 0, sizeof(*t));
	if (bpf_obj_get_info_by_fd(fd, info, &len) ||
	    (info->type != BPF_PROG_TYPE_XDP && info->type != BPF_PROG_TYPE_SCHED_CLS) || !info->btf_id ||
	    !info->nr_line_info || info->nr_line_info != info->nr_jited_line_info ||
	    info->nr_jited_ksyms != info->nr_jited_func_lens)
		return false;
	n = info->nr_line_info;
	functions = info->nr_jited_ksyms;
	t->addresses = calloc(1, n * (sizeof(*t->lines) + sizeof(*t->addresses)) +
					 functions * (sizeof(*t->functions) + sizeof(*t->lengths)));
	if (!t->addresses)
		return false;
	t->functions = t->addresses + n;
	t->lines = (struct bpf_line_info *)(t->functions + functions);
	t->lengths = (uint32_t *)(t->lines + n);
	memset(info, 0, sizeof(*info));
	info->nr_line_info = info->nr_jited_line_info = n;
	info->nr_jited_ksyms = info->nr_jited_func_lens = functions;
	info->line_info_rec_size = sizeof(*t->lines);
	info->jited_line_info_rec_size = sizeof(*t->addresses);
	info->line_info = (uintptr_t)t->lines;
	info->jited_line_info = (uintptr_t)t->addresses;
	info->jited_ksyms = (uintptr_t)t->functions;
	info->jited_func_lens = (uintptr_t)t->lengths;
	len = sizeof(*info);
	if (!bpf_obj_get_info_by_fd(fd, info, &len) && info->nr_jited_line_info == n &&
	    info->nr_jited_ksyms == functions)
		return true;
	free(t->addresses);
	return false;
}

static int add_line(struct source_lines *all, const struct btf *btf, const struct told *t, __u32 i)
{
	const struct bpf_line_info *info = &t->lines[i];
	const char *file = btf__name_by_offset(btf, info->file_name_off);
	const char *text = btf__name_by_offset(btf, info->line_off);
	struct source_line *l;
	size_t tab;

	if (!array_grow(&all->list, &all->cap, all->n, 1, sizeof(*all->list)))
		return -ENOMEM;
	l = &all->list[all->n++];
	l->address = t->addresses[i];
	l->end = l->address; /* in no function */
	for (__u32 k = 0; k < t->info.nr_jited_ksyms && l->end == l->address; k++)
		if (l->address >= t->functions[k] && l->address < t->functions[k] + t->lengths[k])
			l->end = t->functions[k] + t->lengths[k];
	text = text ? text + strspn(text, " \t") : "";
	snprintf(l->words, sizeof(l->words), "%u %.*s", BPF_LINE_INFO_LINE_NUM(info->line_col), 200,
		 file && *file ? file : "-");
	printable_in_place(l->words); /* the tab below is the only one */
	tab = strlen(l->words);
	snprintf(l->words + tab, sizeof(l->words) - tab, "\t%s", text);
	for (char *c = l->words + tab + 1; *c; c++)
		if (*c == '\t')
			*c = ' ';
	printable_in_place(l->words + tab + 1);
	return 0;
}

static int source_lines_by_address(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	return ORDER(x->address, y->address);
}

/* All of them, as a program may call others through an array of programs. */
int source_lines_read(struct source_lines *s, struct diag *d)
{
	__u32 id = 0;
	int err = 0, fd;

	*s = (struct source_lines){};
	while (!err && !bpf_prog_get_next_id(id, &id)) {
		struct told t;

		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		if (read_info(&t, fd)) {
			struct btf *btf = btf__load_from_kernel_by_id(t.info.btf_id);

			for (__u32 i = 0; btf && i < t.info.nr_line_info && !err; i++)
				if (t.addresses[i])
					err = add_line(s, btf, &t, i);
			btf__free(btf);
			free(t.addresses);
		}
		close(fd);
	}
	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), source_lines_by_address);
	if (!err)
		return 0;
	source_lines_release(s);
	return diag_set(d, err, "no memory");
}

void source_lines_release(struct source_lines *s)
{
	free(s->list);
	*s = (struct source_lines){};
}

const char *source_lines_find(const void *of, uint64_t address)
{
	const struct source_lines *s = of;
	size_t low = 0, high = s->n;

	while (low < high) { /* the first line that begins after the address */
		size_t middle = low + (high - low) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < s->list[low - 1].end ? s->list[low - 1].words : NULL;
}

/* ---- inject ---- */

#define FRAME_BYTES 64
#define CALL_NS     2e6 /* length of one call: many runs, but over before a virtual CPU moves to another core */
#define TURNS       8   /* of two calls each, which wait some 25 ms for an RCU grace period in the kernel */
#define MOST_TURNS  32  /* while the difference is not known to what is near enough */
#define FIRST_RUNS  100
#define FIRST_STEPS 400 /* a packet; some 500 ns of the chain: long enough to measure the time of a step well */
#define AT_ONCE_NS  500 /* the most that is injected at once */
#define CORRECTIONS 6   /* at most: the first steps of a chain hide behind the work around it */
#define NEAR        0.05
#define MOST_KNOWN  64

/* What this process has calibrated, as several recordings may have the same injections. */
static struct run_variant calibrated[MOST_KNOWN];
static size_t ncalibrated;

/* Input and result of the thread that calibrates on the RX CPU. */
struct calibration {
	struct run_variant *variants;
	size_t n;
	int cpu, err;
	struct diag *d;
};

/*
 * The loaded program, many times back to back, by BPF_PROG_TEST_RUN on the calling thread's CPU: CPU time of a run, and
 * what the clock around its injection read in a run.
 */
static int inject_run(const struct bench *b, unsigned int repeat, double *run_ns, double *inject_ns)
{
	char frame[FRAME_BYTES] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = repeat);
	double before_ns = bench_injected_ns(b);
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int err = bpf_prog_test_run_opts(b->prog_fd, &opts);

	*run_ns = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / repeat;
	*inject_ns = (bench_injected_ns(b) - before_ns) / repeat;
	return err;
}

/*
 * How much more the clock around v's injection reads than the one around no injection: both programs run in turns, *ns
 * is the median difference, and *error its standard error as if differences were normal. More turns are taken while
 * that is above near_ns.
 */
static int inject_measure(const struct run_variant *v, double near_ns, double *ns, double *error, struct diag *d)
{
	struct run_variant none = *v;
	struct bench plain, injected;
	double diff[MOST_TURNS], values[MOST_TURNS], a = 0, b = 0, run_ns = 0, of_turn_ns;
	unsigned int repeat, at_once = v->inject_at_once ? INJECT_AT_ONCE : 1;
	int err;

	none.inject_steps = 0;
	bench_init(&plain);
	bench_init(&injected);
	err = bench_load(&plain, &none, NULL, d) ?: bench_load(&injected, v, NULL, d);
	if (err)
		goto out;
	err = inject_run(&injected, v->inject_at_once ? at_once : FIRST_RUNS, &run_ns, &b);
	repeat = (unsigned int)ceil(fmax(FIRST_RUNS, CALL_NS / fmax(1, run_ns)) / at_once) * at_once;
	for (size_t i = 0; i < MOST_TURNS && (i < TURNS || *error > near_ns) && !err; i++) {
		err = inject_run(&plain, repeat, &of_turn_ns, &a) ?: inject_run(&injected, repeat, &of_turn_ns, &b);
		diff[i] = b - a;
		if ((i + 1) % TURNS != 0)
			continue;
		memcpy(values, diff, (i + 1) * sizeof(*diff));
		*ns = stats_median(values, i + 1);
		for (size_t k = 0; k <= i; k++)
			values[k] = fabs(diff[k] - *ns);
		*error = 1.86 * stats_median(values, i + 1) / sqrt((double)(i + 1));
	}
	if (err)
		diag_set(d, err, "BPF_PROG_TEST_RUN of an XDP program: %s", strerror(-err));
out:
	bench_release(&plain);
	bench_release(&injected);
	return err;
}

/*
 * Plants the number of steps for inject_asked_ns, measures the result and corrects the number, until the difference is
 * small or less than half a step. *step_ns: of this kind of injection; 0: not known, so a long injection is measured
 * first.
 */
static int calibrate_one(struct run_variant *v, double *step_ns, struct diag *d)
{
	double off_ns = v->inject_asked_ns, steps = 0, error_ns, near_ns;
	int err = 0;

	if (!*step_ns) {
		v->inject_steps = v->inject_at_once ? FIRST_STEPS * INJECT_AT_ONCE : FIRST_STEPS;
		err = inject_measure(v, INFINITY, step_ns, &error_ns, d);
		*step_ns /= v->inject_steps;
	}
	near_ns = fmax(NEAR * v->inject_asked_ns, *step_ns / 2);
	for (int i = 0; i < CORRECTIONS && !err && (!i || fabs(off_ns) > near_ns); i++) {
		if (!(*step_ns > 0))
			return diag_set(d, -ERANGE, "%s: cannot measure the injected work, the CPU is too busy", v->id);
		steps += off_ns / *step_ns;
		v->inject_steps = steps < 1 ? 1 : (uint32_t)round(steps);
		err = inject_measure(v, near_ns, &v->injected_ns, &error_ns, d);
		off_ns = v->inject_asked_ns - v->injected_ns;
	}
	if (!(v->injected_ns > 0)) /* it is lost in noise; the time of a step is known better */
		v->injected_ns = v->inject_steps * *step_ns;
	return err;
}

static void *calibrate_main(void *arg)
{
	struct calibration *c = arg;
	double step_ns[RUN_INJECT_AGAIN + 1] = {};

	c->err = cpu_pin(0, c->cpu);
	priority_realtime_begin(); /* each call takes 2 ms, and other tasks would be in it */
	if (c->err)
		diag_set(c->d, c->err, "CPU %d: %s", c->cpu, strerror(-c->err));
	for (struct run_variant *v = c->variants; v < c->variants + c->n && !c->err; v++) {
		const struct run_variant *of = calibrated;

		if (!v->inject || !(v->inject_asked_ns > 0))
			continue;
		while (of < calibrated + ncalibrated &&
		       (of->inject != v->inject || of->inject_at_once != v->inject_at_once ||
			of->inject_asked_ns != v->inject_asked_ns))
			of++;
		if (of < calibrated + ncalibrated) {
			v->inject_steps = of->inject_steps;
			v->injected_ns = of->injected_ns;
			continue;
		}
		c->err = calibrate_one(v, &step_ns[v->inject], c->d);
		if (!c->err && ncalibrated < MOST_KNOWN)
			calibrated[ncalibrated++] = *v;
	}
	return NULL;
}

int injects_calibrate(struct run_variant *v, size_t n, int cpu, bool at_once, struct diag *d)
{
	struct calibration c = {.variants = v, .n = n, .cpu = cpu, .d = d};
	bool any = false;
	pthread_t thread;

	for (size_t i = 0; i < n; i++) {
		any |= v[i].inject && v[i].inject_asked_ns > 0;
		at_once &= v[i].inject != RUN_INJECT_CHAIN || v[i].inject_asked_ns <= AT_ONCE_NS;
	}
	for (size_t i = 0; i < n; i++)
		v[i].inject_at_once = at_once && v[i].inject == RUN_INJECT_CHAIN;
	if (!any)
		return 0;
	if (pthread_create(&thread, NULL, calibrate_main, &c))
		return diag_set(d, -ENOMEM, "no memory for a thread");
	pthread_join(thread, NULL);
	return c.err;
}
