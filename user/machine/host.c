// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include "user/machine/machine.h"

/* ---- env ---- */

#define MACHINE_ID_DIGITS 32 /* machine-id(5) */

static void add_file(struct json_out *w, json_t *o, const char *name, const char *path)
{
	char line[1024];

	if (!facts_line(&facts_here, line, sizeof(line), "%s", path) && line[0])
		json_out_text(w, o, name, line);
}

/*
 * Tells this machine from others, and tells nothing else about it: nobody can turn a hash back into the id, which has
 * to stay here (machine-id(5)). Machines that were cloned have one id, so the host's name and the CPU are in it too.
 */
static void add_machine(struct json_out *w, json_t *o, const char *host)
{
	const char *cpu = json_string_value(json_object_get(o, "cpu_model")), *hash = NULL;
	uint64_t digest = 0xcbf29ce484222325ull; /* FNV-1a */
	char id[64], all[256], text[24];

	if (facts_line(&facts_here, id, sizeof(id), "etc/machine-id") || strlen(id) != MACHINE_ID_DIGITS)
		return;
	snprintf(all, sizeof(all), "%s %.64s %.100s", id, host, cpu ? cpu : "");
	hash = crypt(all, "$5$rounds=1000$xdpzoom"); /* SHA-256 */
	if (!hash || *hash == '*')
		return;
	while (*hash)
		digest = (digest ^ (unsigned char)*hash++) * 0x100000001b3ull;
	snprintf(text, sizeof(text), "%012llx", (unsigned long long)(digest >> 16));
	json_out_text(w, o, "machine", text);
}

void env_compiler(char compiler[MADE_COMPILER_BYTES])
{
	char line[1024];

	compiler[0] = '\0';
	if (!facts_line(&facts_here, line, sizeof(line), "proc/version"))
		made_compiler(line, compiler, MADE_COMPILER_BYTES);
}

json_t *env_describe(struct json_out *w, const char *perf_version, int rx_cpu)
{
	/* What of the kernel's command line changes costs; the others may be private and are left out. */
	static const char known[] =
		"mitigations= isolcpus= nohz_full= nohz= rcu_nocbs= idle= preempt= init_on_alloc= init_on_free= "
		"slub_debug slab_debug debug_pagealloc page_poison page_owner= kfence. kmemleak= dma_debug= kasan "
		"hardened_usercopy= randomize_kstack_offset= spec_store_bypass_disable= threadirqs "
		"intel_idle.max_cstate= processor.max_cstate= intel_pstate= amd_pstate= nosmt pti= spectre_v2= "
		"retbleed= iommu= intel_iommu= amd_iommu= skew_tick= tsc= clocksource=";
	json_t *o = json_object(), *boot, *config, *mitigations;
	char *word = NULL, *rest;
	struct dirent *e;
	char path[128], compiler[MADE_COMPILER_BYTES], mode[32], line[8192];
	struct utsname u = {};

	if (!uname(&u)) {
		json_out_text(w, o, "kernel", u.release);
		json_out_text(w, o, "kernel_version", u.version);
		json_out_text(w, o, "arch", u.machine);
	}
	env_compiler(compiler);
	if (compiler[0])
		json_out_text(w, o, "compiler", compiler);
	json_out_put(w, o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_out_text(w, o, "perf", perf_version);
	/*
	 * Adds the CPU's model ("model name : AMD EPYC") and clock from /proc/cpuinfo, and whether this is a virtual
	 * machine.
	 */
	file_scan (line, "proc/cpuinfo") {
		char *value = strchr(line, ':');

		if (!value || line[0] == '\n')
			break; /* only the first CPU is read */
		line[strcspn(line, "\n")] = 0;
		value += value[1] == ' ' ? 2 : 1;
		if (!strncmp(line, "model name", 10))
			json_out_text(w, o, "cpu_model", value);
		if (!strncmp(line, "cpu MHz", 7))
			json_out_text(w, o, "cpu_mhz", value);
		if (!strncmp(line, "flags", 5))
			json_out_put(w, o, "virtual_machine", json_boolean(strstr(value, " hypervisor") != NULL));
	}
	add_machine(w, o, u.nodename);
	boot = json_array();
	if (!facts_line(&facts_here, line, 4096, "proc/cmdline"))
		word = strtok_r(line, " ", &rest);
	for (; word; word = strtok_r(NULL, " ", &rest))
		for (const char *at = known, *end; *at; at = end + strspn(end, " ")) {
			end = at + strcspn(at, " ");
			if (!strncmp(word, at, (size_t)(end - at)))
				json_out_add(w, boot, json_text_string(word));
		}
	json_out_put(w, o, "boot", boot);
	add_file(w, o, "boot_id", ENV_BOOT_ID);
	add_file(w, o, "clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_file(w, o, "smt_active", "sys/devices/system/cpu/smt/active");
	add_file(w, o, "no_turbo", "sys/devices/system/cpu/intel_pstate/no_turbo");
	add_file(w, o, "boost", "sys/devices/system/cpu/cpufreq/boost");
	add_file(w, o, "lockdown", "sys/kernel/security/lockdown");
	add_file(w, o, "bpf_jit", "proc/sys/net/core/bpf_jit_enable");
	add_file(w, o, "bpf_jit_harden", "proc/sys/net/core/bpf_jit_harden");
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", rx_cpu);
	add_file(w, o, "governor", path);
	mitigations = json_object();
	dir_scan (e, &facts_here, VULNERABILITIES) {
		snprintf(line, sizeof(line), VULNERABILITIES "/%s", e->d_name);
		if (e->d_name[0] != '.')
			add_file(w, mitigations, e->d_name, line);
	}
	json_out_put(w, o, "mitigations", mitigations);
	/* What is not found is not known: null. */
	config = kconfig_read(w, &facts_here);
	json_out_put(w, o, "config", config ? config : json_null());
	json_out_put(w, o, "preempt_mode",
		     kconfig_preempt_mode(&facts_here, mode, sizeof(mode)) ? json_null() : json_string(mode));
	return o;
}

/* ---- privileges ---- */

static const struct {
	int number;
	const char *name;
	bool with_admin; /* CAP_SYS_ADMIN stands in for it */
	bool to_watch;   /* a command that changes nothing needs it, too */
} needed[] = {
	{CAP_NET_ADMIN, "CAP_NET_ADMIN", false, true}, /* attach, links, queues */
	{CAP_BPF, "CAP_BPF", true, true},
	{CAP_PERFMON, "CAP_PERFMON", true, true},     /* perf, programs of tracepoints */
	{CAP_SYS_NICE, "CAP_SYS_NICE", false, false}, /* the NAPI kthread's CPU and priority */
	{CAP_NET_RAW, "CAP_NET_RAW", false, false},   /* AF_XDP */
};

#define FIVE                                                                                                           \
	(JAIL_CAP(CAP_NET_ADMIN) | JAIL_CAP(CAP_BPF) | JAIL_CAP(CAP_PERFMON) | JAIL_CAP(CAP_SYS_NICE) |                \
	 JAIL_CAP(CAP_NET_RAW))
/* What root has besides, and needs as long as it measures. */
#define MEASURES                                                                                                       \
	(FIVE | JAIL_CAP(CAP_DAC_OVERRIDE) | JAIL_CAP(CAP_CHOWN) | JAIL_CAP(CAP_FOWNER) /* results are the caller's */ \
	 | JAIL_CAP(CAP_SYSLOG)                                                         /* names of functions */       \
	 | JAIL_CAP(CAP_DAC_READ_SEARCH)                                                /* and of those of programs */ \
	 | JAIL_CAP(CAP_SYS_PTRACE)                                                     /* and where they are */       \
	 | JAIL_CAP(CAP_IPC_LOCK))                                                      /* rings of AF_XDP and perf */
#define PORT JAIL_CAP(CAP_NET_BIND_SERVICE) /* the frames' UDP port, for layers */
/* Kept until everything is set up. */
#define SETS_UP                                                                                                        \
	(JAIL_CAP(CAP_SYS_RESOURCE)      /* locked memory for BPF before Linux 5.11 */                                 \
	 | PORT | JAIL_CAP(CAP_SETPCAP)) /* to give the others up */
/* CAP_SYS_ADMIN, where the kernel is too old to divide it. */
#define UNDIVIDED (prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) < 0 ? JAIL_CAP(CAP_SYS_ADMIN) : 0)
/* CAP_SYS_ADMIN: to name the BPF programs that it finds loaded. */
#define PERF                                                                                                           \
	(JAIL_CAP(CAP_SYS_ADMIN) | JAIL_CAP(CAP_PERFMON) | JAIL_CAP(CAP_SYSLOG) | JAIL_CAP(CAP_IPC_LOCK) |             \
	 JAIL_CAP(CAP_SYS_PTRACE))
#define SSH JAIL_CAP(CAP_DAC_OVERRIDE) /* the socket of the caller's agent */

int privileges_check(const char *what, struct diag *d)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {};
	bool failed = syscall(SYS_capget, &head, data);
	uint64_t have = failed ? 0 : (uint64_t)data[1].effective << 32 | data[0].effective;
	bool admin = have >> CAP_SYS_ADMIN & 1;
	unsigned long inside, outside, n;
	char line[80];
	bool watches = !strcmp(what, "watch"); /* the one command that changes nothing */
	char missing[120] = "";

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if ((needed[i].to_watch || !watches) && !(have >> needed[i].number & 1) &&
		    !(needed[i].with_admin && admin))
			listed_add(missing, sizeof(missing), ", ", "%s", needed[i].name);
	/* In a user namespace of its own, as containers of users are, root has its rights over nothing but that. */
	if (!*missing && !facts_line(&facts_here, line, sizeof(line), "proc/self/uid_map") &&
	    sscanf(line, "%lu %lu %lu", &inside, &outside, &n) == 3 && n != UINT32_MAX)
		return diag_set(d, -EPERM,
				"%s needs root of this machine; here root is that of a user namespace (a container)",
				what);
	if (!*missing)
		return 0;
	if (geteuid())
		return diag_set(d, -EPERM, "%s needs root, or the capabilities that are missing here: %s", what,
				missing);
	return diag_set(d, -EPERM, "%s lacks capabilities here, although it runs as root: %s", what, missing);
}

/* The bounding set tells whether the kernel divides CAP_SYS_ADMIN. */
void privileges_keep(enum privileges_of whom)
{
	switch (whom) {
	case PRIVILEGES_OF_COMMAND:
		jail_lower_capabilities(MEASURES | SETS_UP | JAIL_CAP(CAP_SYS_ADMIN), false);
		break;
	case PRIVILEGES_OF_GENERATOR:
		jail_drop_capabilities(FIVE | JAIL_CAP(CAP_IPC_LOCK) | UNDIVIDED);
		break;
	case PRIVILEGES_OF_PERF:
		jail_drop_capabilities(PERF);
		break;
	case PRIVILEGES_OF_SSH:
		if (geteuid())
			jail_lower_capabilities(0, false);
		else
			jail_drop_capabilities(SSH);
		break;
	}
}

void privileges_settle(bool admin, bool programs, bool port)
{
	uint64_t keep = MEASURES | (port ? PORT : 0) | (admin ? JAIL_CAP(CAP_SYS_ADMIN) : UNDIVIDED);

	if (programs)
		jail_lower_capabilities(keep, false);
	else
		jail_drop_capabilities(keep);
}

/* ---- guard ---- */

void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int file_put(int dir, const char *path, const char *word)
{
	int fd = openat(dir, path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, word, strlen(word)) < 0)
		err = -errno;
	close(fd);
	return err;
}

void close_all_but(int first, int keep, int keep_too)
{
	int low = keep < keep_too ? keep : keep_too, high = keep < keep_too ? keep_too : keep;

	if (low > first)
		close_range((unsigned int)first, (unsigned int)low - 1, 0);
	if (low >= first)
		first = low + 1;
	if (high > first)
		close_range((unsigned int)first, (unsigned int)high - 1, 0);
	if (high >= first)
		first = high + 1;
	close_range((unsigned int)first, ~0U, 0);
}

int guard_start(struct guard *g, void (*undo)(const void *arg, int keep_fd), const void *arg, int keep_fd)
{
	int ends[2], err;
	sigset_t all;
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	g->pid = fork();
	err = g->pid < 0 ? -errno : 0;
	if (g->pid == 0) {
		/* a copy of the parent's end would keep the pipe open, and copies of others what waits for their end */
		close_all_but(0, keep_fd, ends[0]);
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		setsid();
		while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
			;
		undo(arg, keep_fd);
		_exit(0);
	}
	close(ends[0]);
	if (err) {
		close(ends[1]);
		*g = NO_GUARD;
		return err;
	}
	g->fd = ends[1];
	return 0;
}

void guard_close(struct guard *g)
{
	fd_close(g->fd);
	if (g->pid > 0)
		child_wait(g->pid);
	*g = NO_GUARD;
}

/* ---- locks ---- */

void lock_words(char *out, size_t size, pid_t pid)
{
	FILE *f = facts_file(&facts_here, "proc/%d/cmdline", (int)pid);
	char command[120];
	size_t n = 0;

	if (f) {
		n = fread(command, 1, sizeof(command) - 1, f);
		fclose(f);
	}
	while (n && !command[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!command[i])
			command[i] = ' ';
	command[n] = '\0';
	if (n)
		snprintf(out, size, "process %d (%s)", (int)pid, command);
	else
		snprintf(out, size, "process %d", (int)pid);
}

pid_t lock_holder(const char *path)
{
	unsigned int major_of, minor_of;
	unsigned long long inode;
	char line[256];
	struct stat st;
	int pid;

	if (stat(path, &st))
		return 0;
	file_scan (line, "proc/locks")
		if (sscanf(line, "%*[^:]: FLOCK %*s %*s %d %x:%x:%llu", &pid, &major_of, &minor_of, &inode) == 4 &&
		    inode == st.st_ino && makedev(major_of, minor_of) == st.st_dev && pid)
			return pid > 0 ? pid : 0;
	return 0;
}

int lock_file(const char *path)
{
	int fd;

	if (mkdir(LOCK_DIR, 0755) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int lock_device(int *fd, int ifindex, const char *name, struct diag *d)
{
	char path[80], words[200] = "another xdpzoom";
	pid_t pid;

	snprintf(path, sizeof(path), LOCK_DIR "/device-%u-%d", netns_inum(), ifindex);
	*fd = lock_file(path);
	if (*fd >= 0 && !flock(*fd, LOCK_EX | LOCK_NB))
		return 0;
	pid = lock_holder(path);
	if (*fd < 0 && !pid) {
		*fd = -1;
		return 0;
	}
	fd_close(*fd);
	*fd = -1;
	if (pid)
		lock_words(words, sizeof(words), pid);
	return diag_set(d, -EBUSY, "%s is in use by %s", name, words);
}

/* ---- perf_tool ---- */

int perf_tool_open(const char *event, int cpu, int hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = hz,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
	};

	if (!strcmp(event, "cycles")) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	} else {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int perf_tool_version(char *version, size_t size, struct diag *d)
{
	FILE *f = popen("LC_ALL=C perf --version 2>/dev/null", "r");
	bool ok = false;
	int status, died_of;

	if (!f)
		return diag_set(d, -errno, "cannot run perf: %s", strerror(errno));
	if (fgets(version, size, f)) {
		version[strcspn(version, "\n")] = 0;
		ok = !strncmp(version, "perf version", 12);
	}
	status = pclose(f);
	/* A signal ended the shell of popen(), or the command in it. */
	died_of = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
	if (status > 0 && died_of > 0)
		return diag_set(d, -ECHILD, "perf --version died of signal %d", died_of);
	if (status || !ok)
		return diag_set(d, -EOPNOTSUPP,
				"no working perf in PATH; install it (Debian: linux-perf) or run: make deps");
	return 0;
}

int perf_tool_find(struct perf_tool *t, struct diag *d)
{
	static const char *const events[] = {"cycles", "cpu-clock"};
	int major, minor, err;

	memset(t, 0, sizeof(*t));
	err = perf_tool_version(t->version, sizeof(t->version), d);
	/*
	 * Perf before 5.10 has no --control with numbers of files, which begins and ends its samples with a window. A
	 * perf that was built of a tree without a version is tried.
	 */
	if (!err && sscanf(t->version, "perf version %d.%d", &major, &minor) == 2 &&
	    (major < 5 || (major == 5 && minor < 10)))
		err = diag_set(d, -EOPNOTSUPP,
			       "%s is too old, because record needs perf 5.10 or later; install a newer one (Debian: "
			       "linux-perf)",
			       t->version);
	if (err) {
		t->version[0] = 0;
		return err;
	}
	for (int i = 0; i < 2; i++) {
		int fd = perf_tool_open(events[i], 0, 99);

		if (fd >= 0) {
			close(fd);
			strcpy(t->event, events[i]);
			return 0;
		}
		err = -errno;
	}
	return diag_set(d, -EOPNOTSUPP, "perf has no usable event here, neither cycles nor cpu-clock: %s%s",
			strerror(-err),
			err == -EACCES || err == -EPERM ? " (see /proc/sys/kernel/perf_event_paranoid)" : "");
}
