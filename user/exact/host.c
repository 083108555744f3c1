// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/host.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/opts.h"
#include "base/stop.h"
#include "reports/exact/exact.h"
#include "reports/run/run.h"
#include "user/exact/guest.h"

#define VM_FAILED  125 /* the harness' status when the virtual machine itself failed */
#define VM_SECONDS "600"

struct host {
	const struct host_options *o;
	struct run_dir dir;
	char program[PATH_MAX];                           /* this one */
	char harness[2 * PATH_MAX], plugin[2 * PATH_MAX]; /* the folder of vm/run; the counting plugin */
	char share[PATH_MAX + 128];                       /* what the guest sees as /share */
	char emulator[64];
	char words[512]; /* the last line on the harness' stderr that is no progress */
	char kernel[128];
	pid_t pid;
	struct diag *d;
};

/* Here */

static bool found(char *path, size_t size, const char *base, const char *name)
{
	return (size_t)snprintf(path, size, "%s/%s", base, name) < size && !access(path, R_OK);
}

/* Beside the program in a checkout (build/xdpzoom), or where `make install` puts them. */
static int find_parts(struct host *h)
{
	char *slash, base[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", h->program, sizeof(h->program) - 1);

	if (n < 0)
		return diag_set(h->d, -errno, "cannot read /proc/self/exe: %s", strerror(errno));
	h->program[n] = '\0';
	snprintf(base, sizeof(base), "%s", h->program);
	slash = strrchr(base, '/');
	*slash = '\0';
	if ((!found(h->harness, sizeof(h->harness), base, "../tests/vm/run") &&
	     !found(h->harness, sizeof(h->harness), base, "../share/xdpzoom/vm/run")) ||
	    (!found(h->plugin, sizeof(h->plugin), base, "count-1.so") &&
	     !found(h->plugin, sizeof(h->plugin), base, "../lib/xdpzoom/count-1.so")))
		return diag_set(h->d, -EOPNOTSUPP, "the harness of virtual machines is not installed beside %s",
				h->program);
	*strrchr(h->harness, '/') = '\0';
	return 0;
}

/* "QEMU emulator version 7.2.22 (Debian ...)": the version. */
static int find_emulator(struct host *h)
{
	FILE *f = popen("qemu-system-x86_64 --version 2>/dev/null", "r");
	int major = 0;

	if (f && fscanf(f, "QEMU emulator version %63s", h->emulator) == 1)
		sscanf(h->emulator, "%d", &major);
	if (f)
		pclose(f);
	if (!major)
		return diag_set(
			h->d, -EOPNOTSUPP,
			"no qemu-system-x86_64 in PATH; install it (Debian: qemu-system-x86) or run: make deps-vm");
	if (major >= 9) /* version 3 of the plugin interface came with 9.0 */
		strcpy(strrchr(h->plugin, '-'), "-3.so");
	return 0;
}

static int cache_dir(char *path, size_t size, struct diag *d)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (getenv("XDPZOOM_CACHE"))
		snprintf(path, size, "%s", getenv("XDPZOOM_CACHE"));
	else if (cache && *cache == '/')
		snprintf(path, size, "%s/xdpzoom", cache);
	else if (home && *home == '/')
		snprintf(path, size, "%s/.cache/xdpzoom", home);
	else
		return diag_set(d, -EINVAL, "neither XDG_CACHE_HOME nor HOME is set, so there is no place for kernels");
	return 0;
}

/* The other process */

static void child(const char *const *argv, int err_fd, pid_t parent)
{
	int nothing = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	signal(SIGPIPE, SIG_DFL);
	execv(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void show_progress(const struct host *h, const char *line)
{
	size_t n, all;
	char variant[64];

	if (h->o->quiet || sscanf(line, "%zu %zu %63s", &n, &all, variant) != 3)
		return;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Kwindow %zu of %zu: %s%s", n, all, variant, n == all ? "\n" : "");
	else if (n == 1 || n == all)
		fprintf(stderr, "window %zu of %zu: %s\n", n, all, variant);
}

static void listen_to(struct host *h, int fd)
{
	FILE *f = fdopen(fd, "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, GUEST_PROGRESS, strlen(GUEST_PROGRESS)))
			show_progress(h, line + strlen(GUEST_PROGRESS));
		else if (!strncmp(line, "kernel ", 7))
			snprintf(h->kernel, sizeof(h->kernel), "%.127s", line + 7);
		else if (line[0])
			snprintf(h->words, sizeof(h->words), "%s", line);
	}
	if (f)
		fclose(f);
}

/* Runs a program of the harness to its end: its exit status, or -errno with a sentence. */
static int run(struct host *h, const char *const *argv)
{
	int fds[2], status = 0;
	pid_t parent = getpid();

	if (pipe2(fds, O_CLOEXEC))
		return diag_set(h->d, -errno, "no pipe: %s", strerror(errno));
	h->words[0] = '\0';
	h->pid = fork();
	if (h->pid == 0)
		child(argv, fds[1], parent);
	close(fds[1]);
	if (h->pid < 0) {
		close(fds[0]);
		return diag_set(h->d, -errno, "cannot start %s: %s", argv[0], strerror(errno));
	}
	listen_to(h, fds[0]); /* until the program and all that it started have ended, or a signal came */
	if (stop_requested)
		kill(h->pid, SIGTERM);
	while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		kill(h->pid, SIGTERM);
	if (stop_requested)
		return stopped(h->d);
	return WIFEXITED(status) ? WEXITSTATUS(status) : VM_FAILED;
}

/* What went wrong there, without the program's name in front. */
static int failed(struct host *h, int status)
{
	const char *words = h->words;

	if (!strncmp(words, "xdpzoom: ", 9))
		words += 9;
	return diag_set(h->d, -EIO,
			status == VM_FAILED ? "the virtual machine failed: %s" : "in the virtual machine: %s",
			words[0] ? words : "it ended without a word");
}

static int fetch_kernel(struct host *h)
{
	char fetch[sizeof(h->harness) + 8];
	const char *argv[] = {fetch, h->o->kernel, NULL};
	int status;

	snprintf(fetch, sizeof(fetch), "%s/fetch", h->harness);
	status = run(h, argv);
	if (status > 0)
		return diag_set(h->d, status == 77 ? -EOPNOTSUPP : -EIO, "no kernel %s: %s", h->o->kernel, h->words);
	return status;
}

static int count_in_guest(struct host *h)
{
	const char *argv[16 + sizeof(((struct opt_list *)0)->items) / sizeof(char *)];
	char script[sizeof(h->harness) + 8];
	size_t n = 0;
	int status;

	snprintf(script, sizeof(script), "%s/run", h->harness);
	argv[n++] = script;
	for (const char *const *a =
		     (const char *const[]){"-k", h->o->kernel, "-c", "1", "-t", VM_SECONDS, "-x", h->share, "-p",
					   h->plugin, "--", h->program, "exact", "--in-guest", NULL};
	     *a; a++)
		argv[n++] = *a;
	for (size_t i = 0; i < h->o->nvariants; i++)
		argv[n++] = h->o->variants[i];
	argv[n] = NULL;
	status = run(h, argv);
	return status > 0 ? failed(h, status) : status;
}

/* The run directory */

static json_t *variant_of(json_t *variants, const char *id, const char *program)
{
	json_t *v;
	size_t i;

	json_array_foreach (variants, i, v)
		if (!strcmp(json_string_value(json_object_get(v, "id")), id))
			return v;
	v = json_pack("{s:s, s:s, s:[]}", "id", id, "program", program, "windows");
	json_array_append_new(variants, v);
	return v;
}

/* Window number n of the plugin becomes blocks/n.paths, its line of facts an element of run.json. */
static int take_window(struct host *h, json_t *variants, const char *line, size_t n)
{
	char from[sizeof(h->share) + 32], to[sizeof(h->dir.tmp) + 64];
	json_t *facts = json_loads(line, 0, NULL);
	const char *id = json_string_value(json_object_get(facts, "variant"));
	const char *program = json_string_value(json_object_get(facts, "program"));
	int err = 0;

	snprintf(from, sizeof(from), "%s/window.%zu", h->share, n);
	snprintf(to, sizeof(to), "%s/blocks/%zu.paths", h->dir.tmp, n);
	if (!id || !program)
		err = diag_set(h->d, -EIO, "the virtual machine wrote a line that is no window");
	else if (rename(from, to))
		err = diag_set(h->d, -errno, "the emulator wrote no counts for window %zu: %s", n, strerror(errno));
	else
		json_array_append_new(json_object_get(variant_of(variants, id, program), "windows"),
				      json_pack("{s:I, s:O, s:O, s:O}", "file", (json_int_t)n, "batch",
						json_object_get(facts, "batch"), "packets",
						json_object_get(facts, "packets"), "sent",
						json_object_get(facts, "sent")));
	json_decref(facts);
	return err;
}

static int write_run(struct host *h, json_t *variants)
{
	char path[sizeof(h->dir.tmp) + 16], now[32];
	time_t t = time(NULL);
	json_t *root;
	int err = 0;

	strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
	snprintf(path, sizeof(path), "%s/" EXACT_FILE, h->dir.tmp);
	root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:O}", "schema", EXACT_SCHEMA, "made_by",
			 "xdpzoom " XDPZOOM_VERSION, "time", now, "kernel", h->kernel, "nic", "veth", "emulator",
			 h->emulator, "variants", variants);
	if (!root || json_dump_file(root, path, JSON_INDENT(1)))
		err = diag_set(h->d, -EIO, "cannot write %s: %s", path, strerror(errno));
	json_decref(root);
	return err;
}

static int take_windows(struct host *h)
{
	char path[sizeof(h->share) + 32], line[512];
	json_t *variants = json_array();
	size_t n = 0;
	int err = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/windows.jsonl", h->share);
	in = fopen(path, "r");
	if (!in)
		err = diag_set(h->d, -errno, "%s: %s", path, strerror(errno));
	while (!err && fgets(line, sizeof(line), in))
		err = take_window(h, variants, line, n++);
	if (in)
		fclose(in);
	if (!err)
		err = write_run(h, variants);
	json_decref(variants);
	return err;
}

static void remove_share(const struct host *h)
{
	static const char *const names[] = {"symbols", "windows.jsonl"};
	char path[sizeof(h->share) + 32];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", h->share, names[i]);
		unlink(path);
	}
	rmdir(h->share);
}

int host_count(const struct host_options *o, struct diag *d)
{
	struct host h = {.o = o, .d = d};
	char cache[PATH_MAX];
	int err;

	run_dir_init(&h.dir);
	err = find_parts(&h);
	if (!err)
		err = find_emulator(&h);
	if (!err)
		err = cache_dir(cache, sizeof(cache), d);
	if (!err)
		err = run_dir_begin(&h.dir, o->out_dir, o->force, d);
	if (err)
		return err;
	setenv("VM_CACHE", cache, 1);
	snprintf(h.share, sizeof(h.share), "%s/share", h.dir.tmp);
	if (mkdir(h.share, 0777))
		err = diag_set(d, -errno, "%s: %s", h.share, strerror(errno));
	if (!err)
		err = fetch_kernel(&h);
	if (!err)
		err = count_in_guest(&h);
	if (!err)
		err = take_windows(&h);
	remove_share(&h);
	if (!err)
		err = run_dir_commit(&h.dir, d);
	run_dir_abort(&h.dir);
	return err;
}
