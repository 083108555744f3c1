// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/matrix_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child.h"
#include "base/exit_status.h"
#include "base/json_text.h"
#include "base/listed.h"
#include "base/printable.h"
#include "base/stop.h"
#include "user/counted_by.h"
#include "user/exact/vm.h"
#include "user/machine/clock.h"

#define ALL_VARIANTS SIZE_MAX
#define ONLOOKERS_NS 60000000000ULL

/* A run to make: of one variant, or of all. */
struct job {
	size_t kernel, driver, variant;
	pid_t pid; /* 0: not started */
	uint64_t start_ns;
	char dir[4096]; /* the run; dir.json and dir.log stand beside it */
};

struct jobs {
	const struct matrix_names *of;
	const struct matrix_options *o;
	struct vm vm;
	struct steps steps;
	char (*made_of)[400]; /* of each kernel; "": there is none */
	struct job *list;
	size_t n, next, running, done, failed;
	double counted_s; /* of the processes that ended */
	size_t ncounted;
	uint64_t told_ns; /* when those who look on were told last */
	struct diag *d;
};

/* A kernel of the cache by its word, its release, and when it came there. */
static int name_kernel(struct jobs *j, size_t kernel)
{
	char command[sizeof(j->vm.room) + 16], cache[4096] = "", path[4300], release[128] = "";
	struct stat st = {};
	FILE *f;

	snprintf(command, sizeof(command), "'%s/cache'", j->vm.room);
	f = popen(command, "r");
	if (f && fgets(cache, sizeof(cache), f))
		cache[strcspn(cache, "\n")] = '\0';
	if (f)
		pclose(f);
	snprintf(path, sizeof(path), "%s/%s/version", cache, j->vm.word);
	f = fopen(path, "re");
	if (f && fgets(release, sizeof(release), f))
		release[strcspn(release, "\n")] = '\0';
	if (f)
		fclose(f);
	if (!release[0] || stat(path, &st))
		return diag_set(j->d, -EIO, "%s cannot be read", path);
	snprintf(j->made_of[kernel], sizeof(*j->made_of), "%s %s %lld, QEMU %s, xdpzoom " COUNTED_BY "%s", j->vm.word,
		 release, (long long)st.st_mtime, j->vm.emulator, j->o->memory ? ", memory" : "");
	return 0;
}

static bool is_tree(const char *kernel)
{
	struct stat st;

	return !stat(kernel, &st) && S_ISDIR(st.st_mode);
}

/* FOLDER/KERNEL/DRIVER/all or FOLDER/KERNEL/DRIVER/VARIANT; makes the folders above it. */
static int place(const struct jobs *j, struct job *job)
{
	const char *const names[] = {j->of->kernels[job->kernel], j->of->drivers[job->driver],
				     job->variant == ALL_VARIANTS ? "all" : j->of->variants[job->variant]};
	size_t n = (size_t)snprintf(job->dir, sizeof(job->dir), "%s", j->o->out_dir);

	for (int part = 0; part < 3; part++) {
		if (mkdir(job->dir, 0777) && errno != EEXIST)
			return diag_set(j->d, -errno, "%s: %s", job->dir, strerror(errno));
		if (n + strlen(names[part]) + 16 > sizeof(job->dir))
			return diag_set(j->d, -ENAMETOOLONG, "%s: too long a path", job->dir);
		job->dir[n++] = '/';
		matrix_path(job->dir + n, sizeof(job->dir) - n, names[part]);
		n += strlen(job->dir + n);
	}
	return 0;
}

static int matrix_jobs_add(struct jobs *j, size_t kernel, size_t driver, size_t variant)
{
	struct job *list = realloc(j->list, (j->n + 1) * sizeof(*list));

	if (!list)
		return diag_set(j->d, -ENOMEM, "no memory");
	j->list = list;
	list[j->n] = (struct job){.kernel = kernel, .driver = driver, .variant = variant};
	return place(j, &list[j->n++]);
}

static void variants_of(const struct jobs *j, const struct job *job, char *list, size_t size)
{
	list[0] = '\0';
	for (size_t i = 0; i < j->of->nvariants; i++)
		if (job->variant == ALL_VARIANTS || job->variant == i)
			listed_add(list, size, ",", "%s", j->of->variants[i]);
}

static void made_of(const struct jobs *j, const struct job *job, char *text, size_t size)
{
	char list[4096];

	variants_of(j, job, list, sizeof(list));
	snprintf(text, size, "%s: %s", j->made_of[job->kernel], list);
}

/* What stands beside the run: its exit status, and why it failed; -1: nothing, or it was made of something else. */
static int read_note(const struct jobs *j, const struct job *job, char *why, size_t size)
{
	char path[sizeof(job->dir) + 8], text[5000];
	json_t *note;
	int status = -1;

	snprintf(path, sizeof(path), "%s.json", job->dir);
	made_of(j, job, text, sizeof(text));
	note = json_load_file(path, 0, NULL);
	if (note && !strcmp(json_string_value(json_object_get(note, "made_of")) ?: "", text)) {
		status = (int)json_integer_value(json_object_get(note, "status"));
		snprintf(why, size, "%s", json_string_value(json_object_get(note, "why")) ?: "");
	}
	json_decref(note);
	if ((status == EXIT_OK || status == EXIT_GATE) && !exact_is(job->dir))
		status = -1;
	return status;
}

static int write_note(const struct jobs *j, const struct job *job, int status, const char *why)
{
	char path[sizeof(job->dir) + 8], text[5000];
	json_t *note, *tried = json_array();
	int err;

	snprintf(path, sizeof(path), "%s.json", job->dir);
	made_of(j, job, text, sizeof(text));
	for (size_t i = 0; i < j->of->nvariants; i++)
		if (job->variant == ALL_VARIANTS || job->variant == i)
			json_array_append_new(tried, json_text_string(j->of->variants[i]));
	note = json_pack("{s:o, s:i, s:o, s:o}", "made_of", json_text_string(text), "status", status, "why",
			 json_text_string(why), "variants", tried);
	err = json_dump_file(note, path, JSON_INDENT(1));
	json_decref(note);
	return err ? diag_set(j->d, -EIO, "cannot write %s", path) : 0;
}

/* Its drivers get the reason, but for those that were counted before. */
static int without_kernel(struct jobs *j, size_t kernel, const char *reason)
{
	int err = 0;

	j->made_of[kernel][0] = '\0';
	for (size_t i = 0; i < j->of->ndrivers && !err; i++) {
		struct job job = {.kernel = kernel, .driver = i, .variant = ALL_VARIANTS};

		err = place(j, &job);
		if (!err && !exact_is(job.dir))
			err = write_note(j, &job, EXIT_FAILED, reason);
		j->failed += j->of->nvariants;
	}
	return err;
}

/* Fetches or builds each kernel once, before several processes want it. A kernel that cannot be had has reasons. */
static int find_kernels(struct jobs *j)
{
	int err = vm_find(&j->vm);

	if (err)
		return err;
	for (size_t k = 0; k < j->of->nkernels; k++) {
		const char *kernel = j->of->kernels[k], *modules = NULL;

		j->vm.word[0] = '\0';
		if (is_tree(kernel)) {
			err = vm_tree(&j->vm, kernel, j->of->drivers[0], j->o->build);
			kernel = j->vm.image;
			modules = j->vm.modules[0] ? j->vm.modules : NULL;
		}
		if (!err)
			err = vm_fetch(&j->vm, kernel, modules) ?: name_kernel(j, k);
		if (stop_requested)
			return stopped(j->d);
		err = err ? without_kernel(j, k, j->d->text) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* The last line that the process printed, without the program's name. */
static void last_words(const struct job *job, char *why, size_t size)
{
	char path[sizeof(job->dir) + 8], line[512];
	const char *words;
	FILE *f;

	snprintf(why, size, "it ended without a word");
	snprintf(path, sizeof(path), "%s.log", job->dir);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		printable_in_place(line);
		words = strncmp(line, "xdpzoom: ", 9) ? line : line + 9;
		if (*words)
			snprintf(why, size, "%s", words);
	}
	if (f)
		fclose(f);
}

static void become(const struct jobs *j, const struct job *job)
{
	const char *kernel = j->of->kernels[job->kernel];
	char path[sizeof(job->dir) + 8], list[4096];
	const char *argv[] = {"xdpzoom",
			      "exact",
			      "-q",
			      "--force",
			      "-o",
			      job->dir,
			      "-n",
			      j->of->drivers[job->driver],
			      is_tree(kernel) ? "--tree" : "--kernel",
			      kernel,
			      "-V",
			      list,
			      j->o->memory ? NULL : "--no-memory",
			      NULL};
	int log;

	setpgid(0, 0);
	variants_of(j, job, list, sizeof(list));
	snprintf(path, sizeof(path), "%s.log", job->dir);
	log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (log < 0)
		_exit(EXIT_FAILED);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execv(j->vm.program, (char *const *)argv);
	_exit(EXIT_FAILED);
}

static int matrix_jobs_start(struct jobs *j, struct job *job)
{
	job->start_ns = now_ns();
	job->pid = child_fork(SIGTERM);
	if (job->pid == 0)
		become(j, job);
	if (job->pid < 0) {
		job->pid = 0;
		return diag_set(j->d, -errno, "cannot start a process: %s", strerror(errno));
	}
	setpgid(job->pid, job->pid);
	j->running++;
	return 0;
}

static void matrix_jobs_tell(const struct jobs *j, const struct job *job, const char *what)
{
	double left_s = j->ncounted ? j->counted_s / (double)j->ncounted * (double)(j->n - j->done) / j->o->jobs : NAN;
	char left[64] = "";

	if (j->o->quiet)
		return;
	if (!isnan(left_s) && j->done < j->n)
		snprintf(left, sizeof(left), ", about %.0f min left", ceil(left_s / 60));
	printable_printf(stderr, "%zu of %zu: %s %s%s%s: %s%s\n", j->done, j->n, j->of->kernels[job->kernel],
			 j->of->drivers[job->driver], job->variant == ALL_VARIANTS ? "" : " ",
			 job->variant == ALL_VARIANTS ? "" : j->of->variants[job->variant], what, left);
}

/*
 * Takes a job that has ended, now or in a former call of the command. A run of all variants that failed is made of each
 * by itself: a driver without native XDP still has counts of generic XDP.
 */
static int matrix_jobs_finish(struct jobs *j, size_t at, int status)
{
	struct job job = j->list[at];
	int err = 0;

	j->done++;
	if (status == EXIT_OK || status == EXIT_GATE)
		return 0;
	if (job.variant == ALL_VARIANTS && j->of->nvariants > 1) {
		for (size_t v = 0; v < j->of->nvariants && !err; v++)
			err = matrix_jobs_add(j, job.kernel, job.driver, v);
	} else {
		j->failed += status != EXIT_LACKS && status != EXIT_USAGE;
	}
	return err;
}

/* Those who look on are told once a minute: reading all runs takes seconds. */
static int tell_onlookers(struct jobs *j)
{
	if (!j->o->counted || now_ns() - j->told_ns < ONLOOKERS_NS)
		return 0;
	j->told_ns = now_ns();
	return j->o->counted(j->o->onlooker, j->d);
}

static int collect(struct jobs *j)
{
	char why[512] = "";
	int raw, status, err;
	pid_t pid;

	pid = waitpid(-1, &raw, 0);
	if (pid < 0)
		return errno == EINTR ? 0 : diag_set(j->d, -errno, "no process ended: %s", strerror(errno));
	for (size_t i = 0; i < j->next; i++) {
		struct job *job = &j->list[i];

		if (job->pid != pid)
			continue;
		job->pid = 0;
		j->running--;
		if (stop_requested)
			return 0;
		status = WIFEXITED(raw) ? WEXITSTATUS(raw) : EXIT_FAILED;
		if (status != EXIT_OK)
			last_words(job, why, sizeof(why));
		j->counted_s += (double)(now_ns() - job->start_ns) / 1e9;
		j->ncounted++;
		err = write_note(j, job, status, why) ?: matrix_jobs_finish(j, i, status);
		if (!err)
			matrix_jobs_tell(j, &j->list[i],
					 status == EXIT_OK ? "counted"
					 : j->list[i].variant == ALL_VARIANTS && j->of->nvariants > 1
						 ? "failed; each variant is tried by itself"
						 : why);
		return err ? err : tell_onlookers(j);
	}
	return 0;
}

/* Takes the next job: from a former call, or a process begins. */
static int matrix_jobs_take(struct jobs *j)
{
	size_t at = j->next++;
	struct job *job = &j->list[at];
	char why[512] = "";
	int status = read_note(j, job, why, sizeof(why));

	/* What failed may succeed now, unless it was made of parts. */
	if (status < 0 || (status == EXIT_FAILED && !(job->variant == ALL_VARIANTS && j->of->nvariants > 1)))
		return matrix_jobs_start(j, job);
	return matrix_jobs_finish(j, at, status);
}

static void end_all(struct jobs *j)
{
	for (size_t i = 0; i < j->next && i < j->n; i++)
		if (j->list[i].pid > 0)
			kill(-j->list[i].pid, SIGTERM);
	while (j->running && (waitpid(-1, NULL, 0) > 0 || errno == EINTR))
		j->running--;
}

static bool is_asked(const struct jobs *j, const char *variant)
{
	for (size_t i = 0; i < j->of->nvariants; i++)
		if (!strcmp(j->of->variants[i], variant))
			return true;
	return false;
}

/* Does the list have the i-th variant that is asked for? */
static bool has_asked(const struct jobs *j, const json_t *list, size_t i)
{
	for (size_t k = 0; k < json_array_size(list); k++)
		if (!strcmp(json_string_value(json_array_get(list, k)) ?: "", j->of->variants[i]))
			return true;
	return false;
}

/*
 * One run of all variants, unless there is a run of others, which must not be lost: then a run of each variant that it
 * lacks, or of each that is asked for, where it was made of something else.
 */
static int add_cells(struct jobs *j, size_t kernel, size_t driver)
{
	struct job all = {.kernel = kernel, .driver = driver, .variant = ALL_VARIANTS};
	bool current, others = false;
	char path[sizeof(all.dir) + 8];
	const char *made, *prefix = j->made_of[kernel];
	const json_t *tried;
	json_t *note;
	int err = place(j, &all);

	snprintf(path, sizeof(path), "%s.json", all.dir);
	note = err || !exact_is(all.dir) ? NULL : json_load_file(path, 0, NULL);
	tried = json_object_get(note, "variants");
	made = json_string_value(json_object_get(note, "made_of")) ?: "";
	current = !strncmp(made, prefix, strlen(prefix)) && made[strlen(prefix)] == ':';
	for (size_t i = 0; i < json_array_size(tried); i++)
		others |= !is_asked(j, json_string_value(json_array_get(tried, i)) ?: "");
	if (!err && !current && !others)
		err = matrix_jobs_add(j, kernel, driver, ALL_VARIANTS);
	for (size_t i = 0; i < j->of->nvariants && !err && (current || others); i++)
		if (!current || !has_asked(j, tried, i))
			err = matrix_jobs_add(j, kernel, driver, i);
	json_decref(note);
	return err;
}

int matrix_jobs_run(const struct matrix_names *of, const struct matrix_options *o, size_t *failed, struct diag *d)
{
	struct jobs j = {.of = of, .o = o, .d = d, .vm.d = d, .steps.quiet = o->quiet};
	int err = 0;

	j.vm.steps = &j.steps;
	j.made_of = calloc(of->nkernels, sizeof(*j.made_of));
	err = j.made_of ? find_kernels(&j) : diag_set(d, -ENOMEM, "no memory");
	for (size_t k = 0; k < of->nkernels; k++)
		for (size_t n = 0; n < of->ndrivers && !err && j.made_of[k][0]; n++)
			err = add_cells(&j, k, n);
	while (!err && (j.next < j.n || j.running)) {
		if (j.next < j.n && j.running < (size_t)o->jobs)
			err = matrix_jobs_take(&j);
		else
			err = collect(&j);
		if (!err)
			err = stopped(d);
	}
	end_all(&j);
	*failed = j.failed;
	free(j.list);
	free(j.made_of);
	return err;
}
