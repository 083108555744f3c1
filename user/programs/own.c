// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fnmatch.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "user/programs/programs.h"

/* ---- the values that --set gives to global variables: each is stored whole, or refused ---- */

/* A variable's type as far as its bytes go. */
enum own_value_kind { OWN_NUMBER, OWN_SIGNED, OWN_TEXT, OWN_BYTES };

/* Writes the value into the size bytes at out. -EINVAL: it does not fit. */
static int own_value_write(void *out, size_t size, enum own_value_kind kind, const char *value)
{
	if (kind == OWN_TEXT) {
		if (strlen(value) >= size)
			return -EINVAL;
		memset(out, 0, size);
		memcpy(out, value, strlen(value));
		return 0;
	}
	if (kind == OWN_BYTES || strpbrk(value, ".:")) {
		/* An address whose size is that of the variable. */
		unsigned char mac[6];
		int end = 0;

		if (size == 4 && strchr(value, '.'))
			return inet_pton(AF_INET, value, out) == 1 ? 0 : -EINVAL;
		if (size == 16 && strchr(value, ':'))
			return inet_pton(AF_INET6, value, out) == 1 ? 0 : -EINVAL;
		if (size == 6 &&
		    sscanf(value, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
			   &mac[5], &end) == 6 &&
		    !value[end]) {
			memcpy(out, mac, sizeof(mac));
			return 0;
		}
		return -EINVAL;
	}
	bool with_sign = kind == OWN_SIGNED;
	bool negative = *value == '-';
	uint64_t n, most;
	char *end = NULL;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return -EINVAL;
	if (!strcmp(value, "true") || !strcmp(value, "false"))
		value = *value == 't' ? "1" : "0";
	value += negative;
	if (*value < '0' || *value > '9' || (negative && !with_sign))
		return -EINVAL;
	errno = 0;
	n = strtoull(value, &end, 0);
	if (errno || *end)
		return -EINVAL;
	most = with_sign ? (1ULL << (8 * size - 1)) - !negative : size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;
	if (n > most)
		return -EINVAL;
	n = negative ? -n : n;
	memcpy(out, &n, size); /* BPF objects that load here have this machine's byte order */
	return 0;
}

/* "" where the offset is that of no name. */
static const char *own_values_name_of(const struct btf *btf, const struct btf_type *t)
{
	return btf__name_by_offset(btf, t->name_off) ?: "";
}

static enum own_value_kind own_values_kind_of(const struct btf *btf, int type)
{
	const struct btf_type *t;

	type = btf__resolve_type(btf, (__u32)type);
	t = type < 0 ? NULL : btf__type_by_id(btf, (__u32)type);
	if (!t)
		return OWN_BYTES;
	if (btf_is_int(t))
		return btf_int_encoding(t) & BTF_INT_SIGNED && !(btf_int_encoding(t) & BTF_INT_CHAR) ? OWN_SIGNED
												     : OWN_NUMBER;
	if (btf_is_any_enum(t))
		return btf_kflag(t) ? OWN_SIGNED : OWN_NUMBER;
	t = btf_is_array(t) ? btf__type_by_id(btf, btf_array(t)->type) : NULL;
	return t && btf_is_int(t) && !strcmp(own_values_name_of(btf, t), "char") ? OWN_TEXT : OWN_BYTES;
}

/* The place of a variable in the initial content of its section. NULL: there is none. */
static void *find_variable(struct bpf_object *obj, const char *name, size_t *size, enum own_value_kind *kind)
{
	struct btf *btf = bpf_object__btf(obj);
	__u32 n = btf ? btf__type_cnt(btf) : 0;

	for (__u32 i = 1; i < n; i++) {
		const struct btf_type *section = btf__type_by_id(btf, i), *var;
		const struct btf_var_secinfo *at;

		if (!btf_is_datasec(section))
			continue;
		at = btf_var_secinfos(section);
		for (int k = 0; k < btf_vlen(section); k++) {
			const char *section_name = own_values_name_of(btf, section);
			struct bpf_map *map;
			size_t bytes = 0;
			char *data;

			var = btf__type_by_id(btf, at[k].type);
			if (!var || !btf_is_var(var) || strcmp(own_values_name_of(btf, var), name) != 0)
				continue;
			map = bpf_object__find_map_by_name(obj, section_name);
			data = map ? (char *)bpf_map__initial_value(map, &bytes) : NULL; /* older libbpf: const */
			if (!data || at[k].offset > bytes || at[k].size > bytes - at[k].offset)
				continue;
			*size = at[k].size;
			*kind = own_values_kind_of(btf, (int)var->type);
			return data + at[k].offset;
		}
	}
	return NULL;
}

static int own_values_set(struct bpf_object *obj, const struct opt_list *values, const char *program, struct diag *d)
{
	for (size_t i = 0; i < values->n; i++) {
		const char *text = values->items[i], *equals = strchr(text, '=');
		enum own_value_kind kind;
		char name[128];
		size_t size;
		void *at;

		if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
			return diag_set(d, -EINVAL, "--set %.64s: write NAME=VALUE", text);
		snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
		at = find_variable(obj, name, &size, &kind);
		if (!at)
			return diag_set(d, -ENOENT, "--set %s: %s has no global variable of this name", name, program);
		if (own_value_write(at, size, kind, equals + 1))
			return diag_set(d, -EINVAL, "--set %s: %.64s is no value for its %zu bytes in %s", name,
					equals + 1, size, program);
	}
	return 0;
}

/*
 * ---- --setup and --teardown: commands of the user's that fill or read the maps of a loaded program
 *
 * When the command has ended, so has all that it started: they run in a PID namespace of their own, and end with this
 * process too. The pins are in a BPF file system that is mounted nowhere. It is reached through this process's entry in
 * /proc, and vanishes with this process, however that ends.
 */

#define MAPS_MAX 64 /* the kernel's limit of maps of a program */
#define LOOK_NS  5000000

struct environment {
	struct variable {
		char name[80], value[RUN_ID_BYTES];
	} list[MAPS_MAX + 4];
	size_t n;
};

static void add_variable(struct environment *e, const char *prefix, const char *name, const char *value)
{
	struct variable *v = &e->list[e->n];

	if (e->n == sizeof(e->list) / sizeof(*e->list))
		return;
	e->n++;
	snprintf(v->name, sizeof(v->name), "%s%s", prefix, name);
	snprintf(v->value, sizeof(v->value), "%s", value);
}

static int show_map(struct own *w, struct environment *e, const char *pins, int fd, const char *name)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char text[RUN_ID_BYTES];

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	name = name ? name : info.name;
	/* Sections such as .rodata are maps too; a pin's name must not hold a dot, nor a variable's. */
	if (!(*name && !strchr(name, '.')))
		return 0;
	snprintf(text, sizeof(text), "%u", info.id);
	add_variable(e, "XDPZOOM_MAP_", name, text);
	snprintf(text, sizeof(text), "%s/%s", pins, name);
	if (w->is_up) /* the pins are there since --setup */
		return 0;
	return bpf_obj_pin(fd, text) && errno != EEXIST ? -errno : 0;
}

/* The kernel cuts the names of maps of a program that somebody else loaded after 15 characters. */
static int show_maps(struct own *w, struct environment *e, const char *pins)
{
	__u32 ids[MAPS_MAX] = {}, len;
	struct bpf_prog_info info = {.nr_map_ids = MAPS_MAX, .map_ids = (__u64)(uintptr_t)ids};
	struct bpf_map *m;
	int err = 0;

	if (w->obj) {
		bpf_object__for_each_map (m, w->obj)
			if (!err && bpf_map__fd(m) >= 0)
				err = show_map(w, e, pins, bpf_map__fd(m), bpf_map__name(m));
		return err;
	}
	len = sizeof(info);
	if (bpf_obj_get_info_by_fd(w->prog_fd, &info, &len))
		return -errno;
	for (__u32 i = 0; i < info.nr_map_ids && i < MAPS_MAX && !err; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		err = fd < 0 ? fd : show_map(w, e, pins, fd, NULL);
		fd_close(fd);
	}
	return err;
}

/* A signal that asks us to stop ends --setup, and leaves --teardown its time. */
static int run_command(const struct own *w, const char *what, const char *command, const struct environment *e,
		       struct diag *d)
{
	struct patience patience = patience_of((uint64_t)(w->o->patience_s * 1e9));
	/* The first process of a PID namespace takes all others of it with it when it ends. */
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
	int status = 0, err = 0;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0); /* Ctrl-C is for us; we end the command */
		for (size_t i = 0; i < e->n; i++)
			setenv(e->list[i].name, e->list[i].value, 1);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		close_range(STDERR_FILENO + 1, ~0U, 0);
		signal(SIGPIPE, SIG_DFL);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		return diag_set(d, -errno, "%s: cannot start \"%.200s\": %s", what, command, strerror(errno));
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (stop_requested && !w->is_up)
			err = diag_set(d, -EINTR, "stopped by a signal");
		else if (patience_ends(&patience))
			err = diag_set(d, -ETIMEDOUT, "%s: \"%.200s\" did not end within %g s, and was ended", what,
				       command, w->o->patience_s);
		if (err) {
			child_kill(pid);
			return err;
		}
		sleep_until_ns(now_ns() + LOOK_NS);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return diag_set(d, -ECHILD, "%s: \"%.200s\" ended with status %d", what, command, WEXITSTATUS(status));
	return diag_set(d, -ECHILD, "%s: \"%.200s\" was ended by signal %d", what, command, WTERMSIG(status));
}

static int own_setup_run(struct own *w, const char *what, const char *command, const char *dev, struct diag *d)
{
	struct environment e = {.n = 0};
	char pins[64], id[16];
	int err = 0;

	if (w->pins_fd < 0) {
		int fs = fsopen("bpf", FSOPEN_CLOEXEC);

		if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
			err = -errno;
		if (!err)
			w->pins_fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
		if (!err && w->pins_fd < 0)
			err = -errno;
		fd_close(fs);
	}
	snprintf(pins, sizeof(pins), "/proc/%d/fd/%d", getpid(), w->pins_fd);
	snprintf(id, sizeof(id), "%u", w->prog_id);
	add_variable(&e, "", "XDPZOOM_PROGRAM", w->id);
	add_variable(&e, "", "XDPZOOM_PROG_ID", id);
	add_variable(&e, "", "XDPZOOM_DEV", dev);
	add_variable(&e, "", "XDPZOOM_PINS", pins);
	if (!err)
		err = show_maps(w, &e, pins);
	if (err)
		return diag_set(d, err, "%s: cannot pin the maps of %s: %s", what, w->id, strerror(-err));
	return run_command(w, what, command, &e, d);
}

/* ---- objects ---- */

#define LOG_BYTES    (4 << 20)
#define NEEDS_DEVICE 1
#define OPEN_SECONDS 20U /* for a file that libbpf opens in milliseconds */
#define OPEN_BYTES   ((size_t)2 << 30)

#ifndef BPF_F_XDP_DEV_BOUND_ONLY /* Linux 6.3 */
#define BPF_F_XDP_DEV_BOUND_ONLY (1U << 6)
#endif

void own_options_init(struct own_options *o)
{
	memset(o, 0, sizeof(*o));
	o->patience_s = OWN_PATIENCE_S;
}

int own_options_check(const struct own_options *o, const struct run_variant *variants, size_t n, struct diag *d)
{
	const char *given = o->values.n ? "--set" : o->setup ? "--setup" : o->teardown ? "--teardown" : NULL;
	struct run_own own;

	for (size_t i = 0; i < n; i++) {
		if (!run_variant_is_own(&variants[i]))
			continue;
		given = NULL;
		run_own_parse(&own, variants[i].target, NULL);
		if (o->values.n && own.kind != RUN_OWN_FILE)
			return diag_set(d, -EINVAL, "--set: %s is loaded already, so its variables are fixed",
					variants[i].id);
	}
	return given ? diag_set(d, -EINVAL, "%s is for programs of your own, and no variant is prog:...", given) : 0;
}

static enum bpf_prog_type type_of(const struct own *w)
{
	return run_mode_is_tc(w->mode) ? BPF_PROG_TYPE_SCHED_CLS : BPF_PROG_TYPE_XDP;
}

static const char *kind_of(const struct own *w)
{
	return run_mode_is_tc(w->mode) ? "tc" : "XDP";
}

static bool is_entry(const struct own *w, const struct bpf_program *p)
{
	enum bpf_attach_type type = bpf_program__expected_attach_type(p);

	return bpf_program__type(p) == type_of(w) && type != BPF_XDP_DEVMAP && type != BPF_XDP_CPUMAP;
}

/* "a, b, c": the programs that can be attached to a device, or all programs with their sections. */
static void list_programs(const struct own *w, bool entries, char *out, size_t size)
{
	struct bpf_program *p;

	out[0] = '\0';
	bpf_object__for_each_program(p, w->obj)
	{
		if (!entries)
			listed_add(out, size, ", ", "%s (%s)", bpf_program__name(p), bpf_program__section_name(p));
		else if (is_entry(w, p))
			listed_add(out, size, ", ", "%s", bpf_program__name(p));
	}
}

static int choose_program(struct own *w, const struct run_own *from, struct diag *d)
{
	struct bpf_program *p, *only = NULL;
	char programs[240];
	size_t entries = 0;

	list_programs(w, false, programs, sizeof(programs));
	bpf_object__for_each_program(p, w->obj)
	{
		entries += is_entry(w, p);
		if (from->name[0] ? !strcmp(bpf_program__name(p), from->name) : is_entry(w, p))
			only = p;
	}
	if (!programs[0])
		return diag_set(d, -EINVAL, "%s holds no BPF program", from->path);
	if (!entries)
		return diag_set(d, -EINVAL, "%s holds no %s program, that is none in SEC(\"%s\"); it holds %s",
				from->path, kind_of(w), run_mode_is_tc(w->mode) ? "tc" : "xdp", programs);
	if (from->name[0] && !only)
		return diag_set(d, -ENOENT, "%s holds no program %s; it holds %s", from->path, from->name, programs);
	if (only && !is_entry(w, only))
		return diag_set(d, -EINVAL, "%s in %s is in the section \"%s\", and is no %s program for devices",
				from->name, from->path, bpf_program__section_name(only), kind_of(w));
	list_programs(w, true, programs, sizeof(programs));
	if (!from->name[0] && entries > 1)
		return diag_set(d, -EINVAL, "%s holds %zu %s programs; name one of them, as in prog:%s:NAME@%s: %s",
				from->path, entries, kind_of(w), from->path, run_mode_words[w->mode], programs);
	w->prog = only;
	return 0;
}

static int load_refused(const struct own *w, const struct run_own *from, int err, const char *log, struct diag *d)
{
	const char *end = log + strlen(log), *line;
	char lines[2][160] = {"", ""}; /* the last two lines of the verifier's log before its statistics */
	size_t n = 0;

	while (end > log && n < 2) {
		line = end;
		while (line > log && line[-1] != '\n')
			line--;
		if (end > line && strncmp(line, "processed ", 10) != 0 && strncmp(line, "verification time", 17) != 0)
			snprintf(lines[n++], sizeof(lines[0]), "%.*s", (int)(end - line), line);
		end = line > log ? line - 1 : log;
	}
	if (w->o->verbose)
		printable_lines(stderr, log, strlen(log));
	if (err == -EPERM && !log[0])
		return diag_set(d, err, "cannot load %s: this needs root (CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON)",
				from->path);
	if (lines[0][0])
		return diag_set(d, -EACCES, "the verifier refuses %s: %s%s%s%s", from->path, lines[1],
				lines[1][0] ? "; " : "", lines[0], w->o->verbose ? "" : " (-v prints its whole log)");
	return diag_set(d, err, "cannot load %s: %s", from->path,
			kernel_words_first_warning()[0] ? kernel_words_first_warning() : strerror(-err));
}

struct reading {
	struct own *w;
	const struct run_own *from;
	char *log;
};

/* Opens the file and chooses what is loaded. Nothing goes to the kernel. */
static int own_read_file(const struct reading *r, struct diag *d)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = r->log, .kernel_log_size = LOG_BYTES);
	const struct run_own *from = r->from;
	struct own *w = r->w;
	int err;
	struct bpf_program *p;
	struct bpf_map *m;

	kernel_words_clear();
	w->obj = bpf_object__open_file(from->path, &opts);
	if (!w->obj)
		return diag_set(d, -EINVAL, "%s is not a BPF object that libbpf can open: %s", from->path,
				kernel_words_first_warning()[0] ? kernel_words_first_warning() : strerror(errno));
	bpf_object__for_each_program(p, w->obj) /* sections of libbpf 1.3 */
	{
		if (bpf_program__type(p) == BPF_PROG_TYPE_UNSPEC &&
		    !fnmatch("@(tcx|netkit)/*", bpf_program__section_name(p), FNM_EXTMATCH))
			bpf_program__set_type(p, BPF_PROG_TYPE_SCHED_CLS);
	}
	err = choose_program(w, from, d) ?: own_values_set(w->obj, &w->o->values, from->path, d);
	if (err)
		return err;
	/* Only programs of its kind: the chosen one, and those that it may call through program arrays. */
	bpf_object__for_each_program(p, w->obj)
	{
		if (bpf_program__type(p) != type_of(w))
			bpf_program__set_autoload(p, false);
	}
	bpf_program__set_autoload(w->prog, true);
	/* A map that is pinned by name is used where the pin exists. We pin nothing ourselves. */
	err = 0;
	bpf_object__for_each_map (m, w->obj) {
		const char *path = bpf_map__pin_path(m);

		if (path && access(path, F_OK) && !err)
			err = bpf_map__set_pin_path(m, NULL);
	}
	return err;
}

/*
 * Reads the file first in a child: libbpf crashes on some foreign objects, and may hang or starve. The child ends
 * before this returns, and when this process dies. Where it returns 0, the same reading in this process ends well too,
 * as long as the file stays the same.
 */
static int own_try(const struct reading *reading, struct diag *d)
{
	const char *path = reading->from->path;
	struct {
		int err;
		struct diag d;
	} *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;
	int status = 0, err;

	if (r == MAP_FAILED)
		return diag_set(d, -ENOMEM, "no memory");
	pid = child_fork(SIGKILL);
	if (pid == 0) {
		sigset_t alarms;

		setrlimit(RLIMIT_CORE, &(struct rlimit){});
		setrlimit(RLIMIT_AS, &(struct rlimit){OPEN_BYTES, OPEN_BYTES});
		signal(SIGALRM, SIG_DFL);
		sigemptyset(&alarms);
		sigaddset(&alarms, SIGALRM);
		sigprocmask(SIG_UNBLOCK, &alarms, NULL);
		alarm(OPEN_SECONDS);
		r->err = own_read_file(reading, &r->d);
		_exit(0);
	}
	err = pid < 0 ? diag_set(d, -errno, "cannot start a process: %s", strerror(errno)) : 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		if (stopped(NULL))
			kill(pid, SIGKILL);
	if (!err)
		err = stopped(d);
	if (!err && WIFEXITED(status) && !WEXITSTATUS(status))
		err = r->err ? diag_set(d, r->err, "%s", r->d.text) : 0;
	else if (!err && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		err = diag_set(d, -EINVAL, "%s is not a BPF object that libbpf can open: that took more than %u s",
			       path, OPEN_SECONDS);
	else if (!err)
		err = diag_set(d, -EINVAL, "%s is not a BPF object that libbpf can open: libbpf crashes on it (%s)",
			       path, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it exited");
	munmap(r, sizeof(*r));
	return err;
}

/* ifindex: of the device that the program is loaded for; 0: for any. NEEDS_DEVICE: it has to be for one. */
static int try_file(struct own *w, const struct run_own *from, bool dispatched, unsigned int ifindex, char *log,
		    struct diag *d)
{
	const struct reading reading = {w, from, log};
	int err;

	if (access(from->path, R_OK))
		return diag_set(d, -errno, "%s: %s", from->path, strerror(errno));
	err = own_try(&reading, d) ?: own_read_file(&reading, d);
	if (!err && ifindex) {
		struct bpf_program *p;

		bpf_object__for_each_program(p, w->obj)
		{
			if (bpf_program__type(p) != BPF_PROG_TYPE_XDP)
				continue;
			bpf_program__set_ifindex(p, ifindex);
			bpf_program__set_flags(p, bpf_program__flags(p) | BPF_F_XDP_DEV_BOUND_ONLY);
		}
	}
	if (!err && dispatched)
		err = dispatcher_open(&w->dispatcher, w->prog, d);
	if (err)
		return err;
	err = bpf_object__load(w->obj);
	if (dispatcher_refused(&w->dispatcher, err, d))
		return err;
	/*
	 * Programs that ask the driver about a frame (its time, its hash) run on the one device that they were loaded
	 * for.
	 */
	if (err && !ifindex && strstr(log, "metadata kfuncs require device-bound program") != NULL)
		return NEEDS_DEVICE;
	if (err)
		return load_refused(w, from, err, log, d);
	w->prog_fd = bpf_program__fd(w->prog);
	return dispatched ? dispatcher_link(&w->dispatcher, w->prog, d) : 0;
}

static int identify(struct own *w, struct diag *d)
{
	char path[40], kind[40] = "";
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", w->prog_fd);
	/* a pin can also be that of a map or a link */
	if (readlink(path, kind, sizeof(kind) - 1) <= 0 || strcmp(kind, "anon_inode:bpf-prog") ||
	    bpf_obj_get_info_by_fd(w->prog_fd, &info, &len))
		return diag_set(d, -EINVAL, "%s is not a program", w->id);
	if (info.type != type_of(w) && !w->dispatcher.skel)
		return diag_set(d, -EINVAL, "%s: \"%.16s\" is no %s program", w->id, info.name, kind_of(w));
	w->prog_id = info.id;
	return 0;
}

static int own_open(struct own *w, const struct run_variant *v, const char *dev, struct diag *d)
{
	bool dispatched = v->observer == RUN_OBSERVER_DISPATCHER;
	struct run_own from;
	char *log;
	int err = run_own_parse(&from, v->target, d);

	snprintf(w->id, sizeof(w->id), "%s", v->id);
	w->mode = v->mode;
	if (err)
		return err;
	if (dispatched && from.kind != RUN_OWN_FILE)
		return diag_set(d, -EINVAL, "%s: the program is loaded already; a dispatcher takes programs from files",
				v->id);
	log = calloc(1, LOG_BYTES);
	if (!log)
		return diag_set(d, -ENOMEM, "no memory");
	if (from.kind == RUN_OWN_FILE) {
		unsigned int ifindex = if_nametoindex(dev);

		err = try_file(w, &from, dispatched, 0, log, d);
		if (err == NEEDS_DEVICE && !ifindex) {
			err = load_refused(w, &from, -EACCES, log, d);
		} else if (err == NEEDS_DEVICE) {
			bpf_object__close(w->obj);
			w->obj = NULL;
			log[0] = '\0';
			err = try_file(w, &from, dispatched, ifindex, log, d);
		}
	} else if (from.kind == RUN_OWN_ID) {
		w->prog_fd = bpf_prog_get_fd_by_id(from.id);
		if (w->prog_fd < 0)
			err = diag_set(d, w->prog_fd, "program %u: %s", from.id,
				       errno == ENOENT ? "no such program is loaded" : strerror(errno));
	} else {
		w->prog_fd = bpf_obj_get(from.path);
		if (w->prog_fd < 0)
			err = diag_set(d, w->prog_fd, "%s: %s", from.path,
				       errno == EINVAL || errno == EACCES ? "not a pinned program" : strerror(errno));
	}
	free(log);
	if (!err)
		err = identify(w, d);
	if (!err && w->o->setup)
		err = own_setup_run(w, "--setup", w->o->setup, dev, d);
	w->is_up = !err;
	return err;
}

void own_list_init(struct own_list *l, const struct own_options *o)
{
	memset(l, 0, sizeof(*l));
	l->o = *o;
}

int own_list_open(struct own_list *l, const struct run_variant *variants, size_t n, const char *dev, struct diag *d)
{
	int err = 0;

	snprintf(l->dev, sizeof(l->dev), "%s", dev);
	l->list = calloc(n + 1, sizeof(*l->list));
	if (!l->list)
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < n && !err; i++) {
		struct own *w = &l->list[l->n];

		if (!run_variant_is_own(&variants[i]))
			continue;
		l->n++;
		w->o = &l->o;
		w->prog_fd = w->pins_fd = -1;
		dispatcher_init(&w->dispatcher);
		err = own_open(w, &variants[i], l->dev, d);
	}
	return err;
}

int own_list_close(struct own_list *l, struct diag *d)
{
	int err = 0, failed;

	for (struct own *w = l->list; w < l->list + l->n; w++) {
		failed = w->is_up && w->o->teardown ? own_setup_run(w, "--teardown", w->o->teardown, l->dev, d) : 0;
		err = err ? err : failed;
		fd_close(w->pins_fd);
		if (!w->obj && w->prog_fd >= 0)
			close(w->prog_fd);
		dispatcher_close(&w->dispatcher);
		bpf_object__close(w->obj);
	}
	free(l->list);
	l->list = NULL;
	l->n = 0;
	return err;
}
