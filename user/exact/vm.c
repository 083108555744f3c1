// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <poll.h>
#include <sys/wait.h>

#define VM_FAILED  125             /* vm/run: the virtual machine itself failed */
#define VM_LACKS   77              /* the guest lacks what is needed, a driver with native XDP for example */
#define BUILD_S    14400           /* what a kernel may take to be built, without a word */
#define SILENCE_NS 180000000000ULL /* a machine that is counting reports progress more often than that */

#ifdef __x86_64__
#define BUILT_FOR_X86_64 true
#else
#define BUILT_FOR_X86_64 false
#endif

/* ---- what is being done, and the time that is left ----------------------------------------------------------- */

#define START_S 4   /* from its start to the first window */
#define END_S   0.5 /* from the last window on */

static const struct {
	const char *what;
	double seconds; /* of this step and of the steps after it, up to the first window */
} table[] = {
	[STEP_BUILD] = {"building the kernel", NAN},
	[STEP_FETCH] = {"fetching the kernel, this once", 50 + 12 + START_S},
	[STEP_BOOT] = {"booting, this once", 12 + START_S},
	[STEP_START] = {"the virtual machine starts", START_S},
};

static void steps_show(struct steps *p, const char *text, double left_s, bool always)
{
	bool tty = isatty(STDERR_FILENO);

	if (p->quiet || (!tty && !always))
		return;
	fputs(tty ? "\r\033[K" : "", stderr);
	printable_put(stderr, text);
	if (!isnan(left_s))
		fprintf(stderr, ", about %.0f s left", left_s);
	fputs(tty ? "" : "\n", stderr);
	p->open = tty;
}

static void steps_enter(struct steps *p, enum step step)
{
	if (step == STEP_START)
		p->start_ns = now_ns();
	steps_show(p, table[step].what, (table[step].seconds + p->variant_s * (double)p->nvariants + END_S) * p->slower,
		   true);
}

/* ---- the harness ------------------------------------------------------------------------------------------------- */

static bool found(char *path, size_t size, const char *base, const char *name)
{
	return (size_t)snprintf(path, size, "%s/%s", base, name) < size && !access(path, R_OK);
}

/* They stand beside the program in a checkout (build/xdpzoom), or where `make install` puts them. */
static int find_parts(struct vm *v)
{
	char *slash, base[PATH_MAX];
	ssize_t n;

	if (!BUILT_FOR_X86_64)
		return diag_set(v->d, -EOPNOTSUPP, "exact counts on x86-64 alone: its guest runs this program, too");
	n = readlink("/proc/self/exe", v->program, sizeof(v->program) - 1);

	if (n < 0)
		return diag_set(v->d, -errno, "cannot read /proc/self/exe: %s", strerror(errno));
	v->program[n] = '\0';
	snprintf(base, sizeof(base), "%s", v->program);
	slash = strrchr(base, '/');
	*slash = '\0';
	if ((!found(v->room, sizeof(v->room), base, "../vm/run") &&
	     !found(v->room, sizeof(v->room), base, "../share/xdpzoom/vm/run")) ||
	    (!found(v->plugin, sizeof(v->plugin), base, "count-1.so") &&
	     !found(v->plugin, sizeof(v->plugin), base, "../lib/xdpzoom/count-1.so")))
		return diag_set(v->d, -EOPNOTSUPP, "the harness of virtual machines is not installed beside %s",
				v->program);
	*strrchr(v->room, '/') = '\0';
	return 0;
}

static bool take_line_of_fetch(struct vm *v, const char *line)
{
	const struct {
		const char *begin;
		char *value;
		size_t size;
	} values[] = {{"fetch: kernel ", v->word, sizeof(v->word)},
		      {"tree: image ", v->image, sizeof(v->image)},
		      {"tree: modules ", v->modules, sizeof(v->modules)},
		      {"tree: source ", v->source, sizeof(v->source)}};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		size_t n = strlen(values[i].begin);

		if (!strncmp(line, values[i].begin, n))
			return snprintf(values[i].value, values[i].size, "%s", line + n), true;
	}
	if (!strncmp(line, "options: ", 9)) {
		/* What does not fit is left out, so that no other option has its value. */
		const char *option = line + 9;
		size_t n = strlen(v->options);

		if (made_is_option(option) && n + strlen(option) + 2 < sizeof(v->options))
			sprintf(v->options + n, "%s\n", option);
	} else if (!strncmp(line, "fetch: linux-image", 18))
		steps_enter(v->steps, STEP_FETCH);
	else if (!strcmp(line, "tree: builds"))
		steps_enter(v->steps, STEP_BUILD);
	else if (!strncmp(line, "tree: sets ", 11))
		complain("%s", line + 6);
	else
		return false;
	return true;
}

/* The guest writes lines among those of vm/run, so its words must not name what is run next. */
static void vm_take_line(struct vm *v, const char *line)
{
	size_t n, all;
	char variant[RUN_ID_BYTES], name[64], state[256];

	if (v->fetching && take_line_of_fetch(v, line))
		return;
	if (!strncmp(line, GUEST_PROGRESS, strlen(GUEST_PROGRESS))) {
		if (sscanf(line + strlen(GUEST_PROGRESS), "%zu %zu %287s", &n, &all, variant) == 3) {
			struct steps *p = v->steps;
			double left_s;
			char text[RUN_ID_BYTES + 64]; /* the variant's name comes from the guest */

			if (n == 1) {
				p->first_window_ns = now_ns();
				p->slower = (double)(p->first_window_ns - p->start_ns) / 1e9 / START_S;
				left_s = p->variant_s * (double)p->nvariants * p->slower;
			} else {
				left_s = (double)(now_ns() - p->first_window_ns) / 1e9 / (double)(n - 1) *
					 (double)(all - n + 1);
			}
			snprintf(text, sizeof(text), "window %zu of %zu: %s", n, all, variant);
			steps_show(p, text, left_s + END_S * p->slower, n == 1 || n == all);
		}
	} else if (!strcmp(line, "vm: boots")) {
		steps_enter(v->steps, STEP_BOOT);
	} else if (!strcmp(line, "vm: starts")) {
		steps_enter(v->steps, STEP_START);
	} else if (!strncmp(line, "kernel ", 7)) {
		/* A release has no other characters (Documentation/kbuild: KERNELRELEASE); untrusted text. */
		for (n = 0, line += 7; n < sizeof(v->kernel) - 1 && line[n]; n++)
			v->kernel[n] =
				(char)(isalnum((unsigned char)line[n]) || strchr("._+-~", line[n]) ? line[n] : '?');
		v->kernel[n] = '\0';
	} else if (!strncmp(line, GUEST_COMPILER, strlen(GUEST_COMPILER))) {
		snprintf(v->compiler, sizeof(v->compiler), "%s", line + strlen(GUEST_COMPILER));
		printable_in_place(v->compiler);
	} else if (!strncmp(line, GUEST_MITIGATION, strlen(GUEST_MITIGATION))) {
		/* "spectre_v2 Mitigation: Retpolines" */
		if (sscanf(line + strlen(GUEST_MITIGATION), "%63[a-z0-9_] %255[^\n]", name, state) == 2 &&
		    json_object_size(v->mitigations) < 64) {
			printable_in_place(state);
			json_object_set_new(v->mitigations, name, json_text_string(state));
		}
	} else if (line[0]) {
		if (v->verbose && v->words[0])
			printable_printf(stderr, "%s\n", v->words);
		snprintf(v->words, sizeof(v->words), "%s", line);
	}
}

/* Waits until the program and all that it started have ended: 0. A signal, or an order to end the machine: -errno. */
static int listen_to(struct vm *v, int fd)
{
	struct pollfd fds[2] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	uint64_t heard_ns = now_ns(), silence_ns = SILENCE_NS + (uint64_t)(v->patience_s * 1e9);
	char buffer[sizeof(v->words)], *line, *end;
	size_t len = 0;
	ssize_t n;
	int err = 0;

	while (!err) {
		fds[1].fd = v->wire ? (v->wire->ask_fd >= 0 ? v->wire->ask_fd : v->wire->listen_fd) : -1;
		if (poll(fds, 2, 1000) < 0 || stop_requested)
			return stop_requested ? stopped(v->d) : 0;
		if (fds[1].fd >= 0 && fds[1].revents)
			err = wire_serve(v->wire, v->d);
		if (now_ns() - heard_ns > silence_ns)
			return diag_set(v->d, -EIO, "the virtual machine hangs: nothing was heard of it for %llu s",
					(unsigned long long)silence_ns / 1000000000);
		if (!fds[0].revents)
			continue;
		n = read(fd, buffer + len, sizeof(buffer) - 1 - len);
		if (n <= 0)
			return err;
		heard_ns = now_ns();
		buffer[len + (size_t)n] = '\0';
		for (line = buffer; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			vm_take_line(v, line);
		}
		len = strlen(line);
		memmove(buffer, line, len + 1);
		if (len == sizeof(buffer) - 1) { /* a line that is longer than the buffer is cut */
			vm_take_line(v, buffer);
			len = 0;
		}
	}
	return err;
}

/* Runs a program of the harness to its end: its exit status, or -errno with a sentence. */
static int run_of_vm(struct vm *v, const char *const *argv)
{
	int fds[2], status = 0, err;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return diag_set(v->d, -errno, "no pipe: %s", strerror(errno));
	v->words[0] = '\0';
	pid = child_fork(SIGTERM);
	if (pid == 0) {
		/* Its own process group: a Ctrl-C reaches this process alone, which ends the whole group. */
		int nothing = open("/dev/null", O_RDWR);

		setpgid(0, 0);
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close_range(STDERR_FILENO + 1, ~0U, 0);
		signal(SIGPIPE, SIG_DFL);
		execv(argv[0], (char *const *)argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return diag_set(v->d, -errno, "cannot start %s: %s", argv[0], strerror(errno));
	}
	setpgid(pid, pid); /* the child does so too; whoever comes first */
	err = listen_to(v, fds[0]);
	if (err)
		kill(-pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		kill(-pid, SIGTERM);
	close(fds[0]);
	if (v->steps->open)
		fprintf(stderr, "\r\033[K");
	v->steps->open = false;
	if (!err)
		err = stopped(v->d);
	if (!err && WIFEXITED(status) && !WEXITSTATUS(status) && v->verbose && v->words[0])
		printable_printf(stderr, "%s\n", v->words);
	return err ? err : WIFEXITED(status) ? WEXITSTATUS(status) : VM_FAILED;
}

int vm_find(struct vm *v)
{
	int err = find_parts(v);
	FILE *f = err ? NULL : popen("qemu-system-x86_64 --version 2>/dev/null", "r");

	/* "QEMU emulator version 7.2.22 (Debian ...)" */
	if (!err && (!f || fscanf(f, "QEMU emulator version %63s", v->emulator) != 1))
		err = diag_set(v->d, -EOPNOTSUPP,
			       "no qemu-system-x86_64 in PATH; install it (Debian: qemu-system-x86) or run: make "
			       "deps-vm");
	if (f)
		pclose(f);
	/*
	 * The newest version of the plugin interface that this QEMU takes. Each QEMU takes some versions, and its own
	 * version does not tell which. Without default devices it loads no modules for sound and screens: a QEMU beside
	 * the packaged one finds the modules of that one, and ends.
	 */
	if (err)
		return err;
	static const char *const interfaces[] = {"7", "3", "2", "1"};
	char plugin[sizeof(v->plugin) + 16];
	const char *const argv[] = {"/usr/bin/env",
				    "qemu-system-x86_64",
				    "-nodefaults",
				    "-no-user-config",
				    "-machine",
				    "none",
				    "-display",
				    "none",
				    "-accel",
				    "tcg",
				    "-plugin",
				    plugin,
				    NULL};
	int status = 1;

	for (size_t i = 0; status > 0 && i < sizeof(interfaces) / sizeof(*interfaces); i++) {
		sprintf(strrchr(v->plugin, '-'), "-%s.so", interfaces[i]);
		snprintf(plugin, sizeof(plugin), "%s,try=on", v->plugin);
		status = run_of_vm(v, argv);
	}
	return status > 0 ? diag_set(v->d, -EOPNOTSUPP,
				     "QEMU %s takes none of the versions of its plugin interface that exact counts "
				     "with (7, 3, 2 and 1): %s",
				     v->emulator, v->words)
			  : status;
}

/* Runs argv[0] of the harness. */
static int run_part(struct vm *v, const char **argv)
{
	char path[sizeof(v->room) + 16];

	snprintf(path, sizeof(path), "%s/%s", v->room, argv[0]);
	argv[0] = path;
	return run_of_vm(v, argv);
}

/* Runs vm/fetch, vm/tree or vm/options: 0, or the reason for which it failed. */
static int fetch(struct vm *v, const char **argv)
{
	const char *words = v->words;
	int status;

	v->fetching = true;
	status = run_part(v, argv);
	v->fetching = false;
	if (status <= 0)
		return status;
	if (!strncmp(words, "fetch: ", 7) || !strncmp(words, "tree: ", 6))
		words = strchr(words, ' ') + 1;
	return diag_set(v->d, status == VM_LACKS ? -EOPNOTSUPP : -EIO, "%s", words);
}

int vm_tree(struct vm *v, const char *tree, const char *nic, bool build)
{
	const char *argv[] = {"tree", "-n", nic, build ? "-b" : tree, build ? tree : NULL, NULL};
	double patience_s = v->patience_s;
	int err;

	v->image[0] = v->modules[0] = v->source[0] = '\0';
	v->patience_s = BUILD_S;
	err = fetch(v, argv);
	v->patience_s = patience_s;
	return err || v->image[0] ? err : diag_set(v->d, -EIO, "%s: the name of its kernel is too odd", tree);
}

int vm_fetch(struct vm *v, const char *kernel, const char *modules)
{
	const char *word[] = {"fetch", kernel, NULL}, *own[] = {"fetch", "-o", kernel, modules, NULL};
	const char *options[] = {"options", v->word, kernel, NULL};
	struct stat st;
	bool file = strchr(kernel, '/') || (!stat(kernel, &st) && S_ISREG(st.st_mode));
	int err;

	if (modules && !file)
		return diag_set(v->d, -EINVAL, "--modules is for a kernel that is a file; %s is none", kernel);
	err = fetch(v, file ? own : word);
	if (err)
		return err;
	if (!v->word[0])
		snprintf(v->word, sizeof(v->word), "%s", kernel);
	v->options[0] = '\0';
	return fetch(v, options);
}

int vm_run(struct vm *v, const char **argv)
{
	int status = run_part(v, argv);
	const char *words = v->words;

	if (status <= 0)
		return status;
	if (!strncmp(words, "xdpzoom: ", 9)) /* this program, in the guest */
		words += 9;
	if (!strncmp(words, "vm: ", 4)) {
		words += 4;
		if (status == VM_LACKS) /* QEMU lacks it, not the guest */
			return diag_set(v->d, -EOPNOTSUPP, "%s", words);
	}
	return diag_set(v->d, status == VM_LACKS ? -EOPNOTSUPP : -EIO,
			status == VM_FAILED ? "the virtual machine failed: %s" : "in the virtual machine: %s",
			words[0] ? words : "it ended without a message");
}
