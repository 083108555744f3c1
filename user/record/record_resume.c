// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/record/record_resume.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/complain.h"
#include "base/foreign_file.h"
#include "user/machine/machine.h"
#include "user/record/record_parts.h"

void record_resume_init(struct record_resume *p)
{
	memset(p, 0, sizeof(*p));
	run_init(&p->run);
	p->dir_fd = -1;
}

void record_resume_release(struct record_resume *p)
{
	run_release(&p->run);
	if (p->dir_fd >= 0)
		close(p->dir_fd);
	p->dir_fd = -1;
}

#define PAUSE_NS 60000000000ULL /* from block to block; in a longer pause nobody recorded */

bool record_resumes(const struct recorder *r)
{
	return r->o->resume;
}

int record_resume_variants(struct recorder *r, struct diag *d)
{
	for (size_t i = 0; record_resumes(r) && i < r->run.nvariants; i++) {
		const struct run *old = &r->o->resume->run;
		struct run_variant *v = &r->run.variants[i];
		size_t k = 0;

		while (k < old->nvariants && strcmp(old->variants[k].id, v->id))
			k++;
		if (k == old->nvariants) /* a rung that the kernel lacked is left out again */
			continue;
		if (v->object.bytes != old->variants[k].object.bytes ||
		    v->object.digest != old->variants[k].object.digest)
			return diag_set(d, -ESTALE,
					"%s: the object file was changed since its first blocks were measured", v->id);
		v->plant_ns = old->variants[k].plant_ns;
		v->plant_steps = old->variants[k].plant_steps;
		v->verdicts = old->variants[k].verdicts;
	}
	return 0;
}

int record_resume_rate(struct recorder *r, struct diag *d)
{
	const struct run *old = &r->o->resume->run;
	const struct run_block *last = old->nblocks ? &old->blocks[old->nblocks - 1] : NULL;

	if (strcmp(r->run.event, old->event))
		return diag_set(d, -ESTALE, "perf samples %s by now, and the first blocks have samples of %s",
				r->run.event, old->event);
	r->run.sample_cost_ns = old->sample_cost_ns;
	r->run.sample_hz = old->sample_hz;
	r->target_hz = last && last->sample_hz ? last->sample_hz : old->sample_hz;
	return 0;
}

static bool same_value(const json_t *a, const json_t *b)
{
	if (!a || !b)
		return a == b;
	return json_is_number(a) && json_is_number(b) ? json_number_value(a) == json_number_value(b) : json_equal(a, b);
}

/* The first of these members that differs; NULL: none does. */
static const char *other_member(const json_t *was, const json_t *is, const char *const *names)
{
	while (*names && same_value(json_object_get(was, *names), json_object_get(is, *names)))
		names++;
	return *names;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static int record_resume_compare_variants(const struct run *was, const struct run *is, struct diag *d)
{
	bool same = was->nvariants == is->nvariants;

	for (size_t i = 0; same && i < is->nvariants; i++)
		same = !strcmp(was->variants[i].id, is->variants[i].id) &&
		       was->variants[i].stage_cpu == is->variants[i].stage_cpu;
	return same ? 0 : diag_set(d, -ESTALE, "this machine would measure other variants by now, or on other CPUs");
}

static int compare_rx(const struct run *was, const struct run *is, struct diag *d)
{
	bool same = was->nrx_cpus == is->nrx_cpus && was->napi_threaded == is->napi_threaded;

	for (size_t i = 0; same && i < is->nrx_cpus; i++)
		same = was->rx_cpus[i] == is->rx_cpus[i];
	if (same)
		return 0;
	return diag_set(d, -ESTALE, "packets are received on other CPUs (%d%s) than those of the first blocks (%d%s)",
			is->nrx_cpus ? is->rx_cpus[0] : -1, is->nrx_cpus > 1 ? " and others" : "",
			was->nrx_cpus ? was->rx_cpus[0] : -1, was->nrx_cpus > 1 ? " and others" : "");
}

static int compare_runs(const struct run *was, const struct run *is, struct diag *d)
{
	const char *other =
		other_member(was->device, is->device,
			     WORDS("name", "driver", "driver_version", "firmware", "mtu", "rings", "channels"));
	int err;

	if (other)
		return diag_set(d, -ESTALE, "the device is another one than that of the first blocks: its %s differs",
				other);
	other = other_member(was->load, is->load,
			     WORDS("kind", "host", "device", "netns", "cpu", "bytes", "flows", "batch", "threads",
				   "rate_pps", "dst_ip", "written", "frames", "frames_file"));
	if (other)
		return diag_set(d, -ESTALE, "the load is another one than that of the first blocks: its %s differs",
				other);
	other = other_member(
		was->environment, is->environment,
		WORDS("boot_id", "perf", "clocksource", "no_turbo", "boost", "governor", "bpf_jit", "bpf_jit_harden"));
	if (other)
		return diag_set(d, -ESTALE, "the machine is another one than that of the first blocks: its %s differs",
				other);
	if (was->view != is->view || strcmp(was->order, is->order) || was->turn_frames != is->turn_frames ||
	    was->turn_lead != is->turn_lead || was->turn_ns != is->turn_ns || was->turn_settle_ns != is->turn_settle_ns)
		return diag_set(d, -ESTALE, "variants would be measured in another way than in the first blocks");
	err = record_resume_compare_variants(was, is, d);
	return err ? err : compare_rx(was, is, d);
}

/* Kthreads of the earlier part are gone, where its lab is. Their samples are the receiver's all the same. */
static int join_napis(struct run *whole, const struct run *now, struct diag *d)
{
	int tids[RUN_MAX_NAPIS];
	size_t n = now->nnapi_tids;

	memcpy(tids, now->napi_tids, sizeof(tids));
	for (size_t i = 0; i < whole->nnapi_tids; i++) {
		size_t k = 0;

		while (k < n && tids[k] != whole->napi_tids[i])
			k++;
		if (k < n)
			continue;
		if (n == RUN_MAX_NAPIS)
			return diag_set(d, -E2BIG, "a run has at most %d NAPI kthreads, and each part had others",
					RUN_MAX_NAPIS);
		tids[n++] = whole->napi_tids[i];
	}
	memcpy(whole->napi_tids, tids, sizeof(tids));
	whole->nnapi_tids = n;
	return 0;
}

static int copy_text(FILE *in, const char *to, struct diag *d)
{
	char bytes[65536];
	FILE *out = fopen(to, "we");
	size_t n;
	int err = 0;

	if (!out)
		return diag_set(d, -errno, "%s cannot be written: %s", to, strerror(errno));
	while (!err && (n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		if (fwrite(bytes, 1, n, out) != n)
			err = -errno;
	if (!err && (ferror(in) || fflush(out) || fsync(fileno(out))))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err ? diag_set(d, err, "%s cannot be written: %s", to, strerror(-err)) : 0;
}

/* A copy, and no second name of the same file: its owner could change that one. */
static int copy_script(const struct recorder *r, const struct run_block *b, struct diag *d)
{
	const struct record_resume *p = r->o->resume;
	char path[sizeof(p->path) + sizeof(b->script)], to[sizeof(r->dir.at) + sizeof(b->script) + 1];
	char own[sizeof(b->script)];
	struct run_sealed sealed;
	int err, changed;
	FILE *in;

	if (!b->script[0])
		return 0;
	run_script_name(own, sizeof(own), b->index);
	if (strcmp(own, b->script))
		return diag_set(d, -EINVAL, "%s: block %d has its samples in %s", p->path, b->index, b->script);
	snprintf(path, sizeof(path), "%s/%s", p->path, b->script);
	err = foreign_file_open(&in, p->dir_fd, b->script, true, FOREIGN_MAX_BYTES, d);
	if (!err)
		err = run_sealed_begin(&sealed, in, d);
	if (err)
		return err;
	snprintf(to, sizeof(to), "%s/%s", r->dir.at, b->script);
	err = copy_text(sealed.text, to, d);
	changed = run_sealed_end(&sealed, b, path, d);
	return err ? err : changed;
}

/* A recorder writes its turns before run.json, so that the file may have a round more. */
static int join_turns(struct recorder *r, struct diag *d)
{
	char at[64];
	int err, last = r->run.nblocks ? r->run.blocks[r->run.nblocks - 1].round : -1;

	if (r->o->view == RUN_VIEW_BLOCKS)
		return 0;
	snprintf(at, sizeof(at), "/proc/%d/fd/%d", (int)getpid(), r->o->resume->dir_fd);
	err = turns_read(&r->turns, at, d);
	while (!err && r->turns.n && (int64_t)r->turns.list[r->turns.n - 1].round > last)
		r->turns.n--;
	return err;
}

int record_resume_join(struct recorder *r, struct diag *d)
{
	struct run *old, now = r->run;
	int err;

	if (!record_resumes(r))
		return 0;
	old = &r->o->resume->run;
	err = compare_runs(old, &now, d) ?: join_napis(old, &now, d);
	if (!err && old->nblocks && old->blocks[old->nblocks - 1].round >= RECORD_MAX_ROUNDS)
		err = diag_set(d, -EINVAL, "%s: no recording has a round %d", r->o->resume->path,
			       old->blocks[old->nblocks - 1].round);
	for (size_t i = 0; i < old->nblocks && !err; i++)
		err = copy_script(r, &old->blocks[i], d);
	if (err)
		return err;
	r->run = *old;
	r->resumed = r->run.nblocks;
	run_init(old);
	run_release(&now);
	err = join_turns(r, d) ?: record_save(r, "killed", d);
	if (!err && !r->o->quiet)
		complain("%s: going on after %zu blocks", r->o->resume->path, r->resumed);
	return err;
}

int record_resume_check(const struct recorder *r, size_t variant, const char *prog_tag, struct diag *d)
{
	for (size_t i = 0; i < r->resumed; i++)
		if (r->run.blocks[i].variant == variant && strcmp(r->run.blocks[i].prog_tag, prog_tag))
			return diag_set(d, -ESTALE,
					"%s: the program is another one (%s) than that of the first blocks (%s)",
					r->run.variants[variant].id, prog_tag, r->run.blocks[i].prog_tag);
	return 0;
}

void record_resume_clocks(struct recorder *r)
{
	const struct run_block *first = r->run.blocks, *last = first + r->resumed - 1;
	uint64_t spent = 0, at = 0;
	int rounds;

	if (!r->resumed)
		return;
	rounds = last->round + 1;
	for (const struct run_block *b = first; b <= last; b++) {
		if (!b->nwindows)
			continue;
		if (!at || b->windows[0].from_ns > at + PAUSE_NS)
			at = b->windows[0].from_ns;
		spent += b->windows[b->nwindows - 1].to_ns - at;
		at = b->windows[b->nwindows - 1].to_ns;
	}
	r->begin_ns -= spent;
	r->progress.start_ns = r->begin_ns;
	r->progress.done = (int)r->resumed;
	r->rotation_at_ns = now_ns() - spent / (uint64_t)rounds * r->run.nvariants;
	while (r->rate_look < rounds)
		r->rate_look *= 2;
}
