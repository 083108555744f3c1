// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay - the same frames through one program or two, by BPF_PROG_TEST_RUN
 *
 * units: bytes; verdicts in the kernel's numbering (enum xdp_action, TC_ACT_*), also numbers that are none
 * law:   each program gets each frame as it is in the list. What a program keeps in its maps it keeps from one frame to
 *        the next, and the other program has maps of its own
 */
#include <linux/pkt_cls.h>
#include <bpf/bpf.h>
#include "user/cli/cli.h"

#define GROWTH    512 /* by which a program may lengthen a frame; there is a headroom of 256 bytes */
#define MOST_ROWS 16  /* of verdicts, and of numbers that are none */

struct replay_args {
	const char *programs[2]; /* as on the command line; the second may be NULL */
	const char *format, *path;
	struct frame_source frames;
	struct own_options own;
	int most;
};

struct replay_row {
	uint32_t verdicts[2];
	struct frame after[2]; /* data NULL: not run */
	bool verdicts_differ, bytes_differ;
	uint32_t first_byte; /* the first that differs, or the length of the shorter frame */
};

struct replay {
	const struct replay_args *a;
	int nprograms;
	struct run_variant variants[2];
	struct frames frames;
	struct replay_row *rows; /* one for each frame */
	size_t differ;           /* rows that differ */
};

/* ---- the frames through the programs ---------------------------------------------------------------------------- */

static int run_frames(struct replay *r, const struct own_list *own, struct diag *d)
{
	const struct frame *a, *b;
	struct replay_row *row;
	uint32_t shorter;
	int err = 0;

	r->rows = calloc(r->frames.n + 1, sizeof(*r->rows));
	if (!r->rows)
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < r->frames.n && !err; i++) {
		for (int k = 0; k < r->nprograms && !err; k++) {
			const struct frame *in = &r->frames.list[i];
			struct frame *after = &r->rows[i].after[k];
			LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = in->data, .data_size_in = in->bytes, .repeat = 1);

			o.data_out = after->data = malloc(in->bytes + GROWTH);
			o.data_size_out = in->bytes + GROWTH;
			if (!after->data)
				return diag_set(d, -ENOMEM, "no memory");
			err = bpf_prog_test_run_opts(own->list[k].prog_fd, &o);
			if (err)
				return diag_set(d, err, "%s: the kernel does not run it on frame %zu of %u bytes: %s",
						r->a->programs[k], i + 1, in->bytes, strerror(-err));
			after->bytes = o.data_size_out;
			r->rows[i].verdicts[k] = o.retval;
		}
		if (err || r->nprograms < 2)
			continue;
		row = &r->rows[i];
		a = &row->after[0];
		b = &row->after[1];
		shorter = a->bytes < b->bytes ? a->bytes : b->bytes;
		while (row->first_byte < shorter && a->data[row->first_byte] == b->data[row->first_byte])
			row->first_byte++;
		row->bytes_differ = row->first_byte < shorter || a->bytes != b->bytes;
		row->verdicts_differ = row->verdicts[0] != row->verdicts[1];
		r->differ += row->verdicts_differ || row->bytes_differ;
	}
	return err;
}

/* ---- what is printed -------------------------------------------------------------------------------------------- */

/* "XDP_DROP", or "7 (no verdict)" in buf. */
static const char *verdict_name(const struct replay *r, uint32_t verdict, char *buf, size_t size)
{
	static const char *const names[][9] = {
		{"XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT"},
		{"TC_ACT_OK", "TC_ACT_RECLASSIFY", "TC_ACT_SHOT", "TC_ACT_PIPE", "TC_ACT_STOLEN", "TC_ACT_QUEUED",
		 "TC_ACT_REPEAT", "TC_ACT_REDIRECT", "TC_ACT_TRAP"},
		{[0] = "NETKIT_PASS", [2] = "NETKIT_DROP", [7] = "NETKIT_REDIRECT"}, /* the numbers of tc */
	};
	bool netkit = r->variants[0].mode >= RUN_MODE_NETKIT, of_tc = run_mode_is_tc(r->variants[0].mode);

	if (verdict < COUNT(names[0]) && names[of_tc + netkit][verdict])
		return names[of_tc + netkit][verdict];
	if (of_tc && verdict == (uint32_t)TC_ACT_UNSPEC)
		return netkit ? "NETKIT_NEXT" : "TC_ACT_UNSPEC";
	snprintf(buf, size, "%u (no verdict)", verdict);
	return buf;
}

/* A row of the frames with a verdict in from..to. */
static void print_count(const struct replay *r, const char *name, uint64_t from, uint64_t to, FILE *out)
{
	bool markdown = !strcmp(r->a->format, "markdown");

	fprintf(out, markdown ? "| %s |" : "  %-16s", name);
	for (int side = 0; side < r->nprograms; side++) {
		size_t n = 0;

		for (const struct replay_row *row = r->rows; row < r->rows + r->frames.n; row++)
			n += row->verdicts[side] >= from && row->verdicts[side] <= to;
		fprintf(out, markdown ? " %zu |" : " %10zu", n);
	}
	fputc('\n', out);
}

/* The smallest verdict of any frame that is not below from; more than UINT32_MAX: none. */
static uint64_t next_verdict(const struct replay *r, uint64_t from)
{
	uint64_t next = UINT64_MAX;

	for (const struct replay_row *row = r->rows; row < r->rows + r->frames.n; row++)
		for (int side = 0; side < r->nprograms; side++)
			if (row->verdicts[side] >= from && row->verdicts[side] < next)
				next = row->verdicts[side];
	return next;
}

static int print(const struct replay *r, struct diag *d)
{
	const char *const *names = r->a->programs, *frames = r->frames.n == 1 ? "frame" : "frames";
	uint64_t v = next_verdict(r, 0);
	char name[32];
	struct output out;
	FILE *to;
	int err = output_open(&out, r->a->path, d);

	if (err)
		return err;
	to = out.stream;
	if (strcmp(r->a->format, "markdown") && names[1])
		fprintf(to, "old: %s\nnew: %s\n%zu of %zu %s differ\n\n  verdict %19s %10s\n", names[0], names[1],
			r->differ, r->frames.n, frames, "old", "new");
	else if (strcmp(r->a->format, "markdown"))
		fprintf(to, "%s: %zu %s\n\n", names[0], r->frames.n, frames);
	else if (names[1])
		fprintf(to,
			"**%zu of %zu %s differ** between `%s` (old) and `%s` (new)\n\n| verdict | old | new |\n"
			"|---|---:|---:|\n",
			r->differ, r->frames.n, frames, names[0], names[1]);
	else
		fprintf(to, "`%s`: %zu %s\n\n| verdict | frames |\n|---|---:|\n", names[0], r->frames.n, frames);
	for (int n = 0; v <= UINT32_MAX && n < MOST_ROWS; n++, v = next_verdict(r, v + 1))
		print_count(r, verdict_name(r, (uint32_t)v, name, sizeof(name)), v, v, to);
	if (v <= UINT32_MAX)
		print_count(r, "other numbers", v, UINT32_MAX, to);
	/* The frames that differ: at most `most` of them. */
	bool markdown = !strcmp(r->a->format, "markdown");
	size_t printed = 0, most = (size_t)r->a->most;
	if (r->differ)
		fprintf(to,
			markdown ? "\n| frame | bytes | %s | %s | %s |\n|---:|---:|---|---|---|\n"
				 : "\n   frame  bytes  %-16s %-16s %s\n",
			"old", "new", "frame afterwards");
	for (size_t i = 0; i < r->frames.n && printed < most; i++) {
		const struct replay_row *row = &r->rows[i];
		const struct frame *a = &row->after[0], *b = &row->after[1];
		char old[32], new[32], bytes[64] = "same";

		if (!row->verdicts_differ && !row->bytes_differ)
			continue;
		if (a->bytes != b->bytes)
			snprintf(bytes, sizeof(bytes), "length %u and %u", a->bytes, b->bytes);
		else if (row->bytes_differ)
			snprintf(bytes, sizeof(bytes), "byte %u: %02x and %02x", row->first_byte,
				 a->data[row->first_byte], b->data[row->first_byte]);
		fprintf(to, markdown ? "| %zu | %u | %s | %s | %s |\n" : "%8zu %6u  %-16s %-16s %s\n", i + 1,
			r->frames.list[i].bytes, verdict_name(r, row->verdicts[0], old, sizeof(old)),
			verdict_name(r, row->verdicts[1], new, sizeof(new)), bytes);
		printed++;
	}
	if (printed < r->differ)
		fprintf(to, "\n%zu more %s\n", r->differ - printed,
			r->differ - printed == 1 ? "frame differs" : "frames differ");
	return output_close(&out, 0, d);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static int take_programs(struct replay *r, struct diag *d)
{
	const struct replay_args *a = r->a;
	int err = 0;

	r->nprograms = a->programs[1] ? 2 : 1;
	for (int i = 0; i < r->nprograms && !err; i++) {
		const char *text = a->programs[i];

		err = run_variant_parse(&r->variants[i], text, d);
		if (!err && !run_variant_is_own(&r->variants[i]))
			err = diag_set(
				d, -EINVAL,
				"%.64s: name programs as FILE.o, prog:FILE.o:NAME, prog:pinned:PATH or prog:id:N",
				text);
		if (!err && r->variants[i].observer)
			err = diag_set(d, -EINVAL, "%.64s: an observer watches a device, and replay uses none", text);
	}
	if (!err && a->programs[1] && run_mode_is_tc(r->variants[0].mode) != run_mode_is_tc(r->variants[1].mode))
		err = diag_set(d, -EINVAL, "one program is for tc and the other for XDP, whose verdicts differ");
	return err ? err : own_options_check(&a->own, r->variants, (size_t)r->nprograms, d);
}

static int replay(struct replay *r)
{
	struct own_list own;
	struct diag d = {}, undone = {};
	int err = 0, undo_err;

	own_list_init(&own, &r->a->own);
	if (!r->a->frames.list.n)
		err = diag_set(&d, -EINVAL,
			       "no frames: give --frames FILE.pcap, or --frames 'udp 10.0.0.1 > 10.0.0.2:53'");
	if (!err)
		err = frames_take(&r->frames, &r->a->frames, &d);
	if (!err)
		err = own_list_open(&own, r->variants, (size_t)r->nprograms, "", &d) ?: run_frames(r, &own, &d);
	if (!err)
		err = print(r, &d);
	undo_err = own_list_close(&own, &undone);
	if (err)
		complain_of(&d, err);
	if (undo_err)
		complain_of(&undone, undo_err);
	for (size_t i = 0; r->rows && i < r->frames.n; i++)
		for (int k = 0; k < 2; k++)
			free(r->rows[i].after[k].data);
	free(r->rows);
	frames_release(&r->frames);
	return err || undo_err ? EXIT_FAILED : r->differ ? EXIT_GATE : EXIT_OK;
}

int cmd_replay(const struct command *c, int argc, char **argv)
{
	struct replay_args a = {.format = "text", .most = 20};
	struct replay r = {.a = &a};
	struct diag d = {};
	int parsed;

	own_options_init(&a.own);
	const struct opt opts[] = {
		{"OLD", 0, OPT_STRING, &a.programs[0], NULL, "a program: prog:FILE.o, prog:pinned:PATH or prog:id:N",
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"NEW", 0, OPT_STRING, &a.programs[1], NULL, "another one, whose verdicts and frames are compared",
		 .flags = OPT_ARGUMENT},
		FRAMES_OPTION(&a.frames),
		OWN_OPTIONS(&a.own),
		{"most", 0, OPT_INT, &a.most, "N", "print so many frames that differ", 1, 1000000},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "markdown is for a pull request",
		 .words = OPT_WORDS("text", "markdown")},
		{"output", 'o', OPT_FILE, &a.path, "FILE", "write into FILE", .otherwise = "standard output"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (output_check(a.path, &d) || new_file_spares(a.path, frames_file(&a.frames), &d) || take_programs(&r, &d))
		return complain_of(&d, -EINVAL), EXIT_USAGE;
	stop_on_signals();
	return replay(&r);
}
