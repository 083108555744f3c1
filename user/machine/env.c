// SPDX-License-Identifier: GPL-2.0-or-later
#include <crypt.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/json_text.h"
#include "base/sheet/json_out.h"
#include "user/machine/machine.h"

#define MACHINE_ID_DIGITS 32 /* machine-id(5) */

static void add_file(struct json_out *w, json_t *o, const char *name, const char *path)
{
	char line[1024];

	if (!facts_line(&facts_here, line, sizeof(line), "%s", path) && line[0])
		json_out_text(w, o, name, line);
}

/*
 * Adds the CPU's model ("model name : AMD EPYC") and clock from /proc/cpuinfo, and whether this is a virtual machine.
 */
static void add_cpuinfo(struct json_out *w, json_t *o)
{
	char line[8192];
	FILE *f = facts_file(&facts_here, "proc/cpuinfo");

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
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
	fclose(f);
}

static json_t *mitigations(struct json_out *w)
{
	static const char dir[] = "sys/devices/system/cpu/vulnerabilities";
	json_t *o = json_object();
	struct dirent *e;
	DIR *d = facts_dir(&facts_here, dir);

	while (d && (e = readdir(d))) {
		char path[400];

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		add_file(w, o, e->d_name, path);
	}
	if (d)
		closedir(d);
	return o;
}

/* The parameters of the kernel's command line that change costs; the others may be private and are left out. */
static json_t *boot_parameters(struct json_out *w)
{
	static const char *const known[] = {
		"mitigations=",
		"isolcpus=",
		"nohz_full=",
		"nohz=",
		"rcu_nocbs=",
		"idle=",
		"preempt=",
		"init_on_alloc=",
		"init_on_free=",
		"slub_debug",
		"slab_debug",
		"debug_pagealloc",
		"page_poison",
		"page_owner=",
		"kfence.",
		"kmemleak=",
		"dma_debug=",
		"kasan",
		"hardened_usercopy=",
		"randomize_kstack_offset=",
		"spec_store_bypass_disable=",
		"threadirqs",
		"intel_idle.max_cstate=",
		"processor.max_cstate=",
		"intel_pstate=",
		"amd_pstate=",
		"nosmt",
		"pti=",
		"spectre_v2=",
		"retbleed=",
		"iommu=",
		"intel_iommu=",
		"amd_iommu=",
		"skew_tick=",
		"tsc=",
		"clocksource=",
	};
	char line[4096], *word, *rest;
	json_t *a = json_array();

	if (facts_line(&facts_here, line, sizeof(line), "proc/cmdline"))
		return a;
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			if (!strncmp(word, known[i], strlen(known[i])))
				json_out_add(w, a, json_text_string(word));
	return a;
}

/* What is not found is not known: null. */
static void add_config(struct json_out *w, json_t *o)
{
	json_t *config = kconfig_read(w, &facts_here);
	char mode[32];

	json_out_put(w, o, "config", config ? config : json_null());
	json_out_put(w, o, "preempt_mode",
		     kconfig_preempt_mode(&facts_here, mode, sizeof(mode)) ? json_null() : json_string(mode));
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
	json_t *o = json_object();
	char path[128], compiler[MADE_COMPILER_BYTES];
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
	add_cpuinfo(w, o);
	add_machine(w, o, u.nodename);
	json_out_put(w, o, "boot", boot_parameters(w));
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
	json_out_put(w, o, "mitigations", mitigations(w));
	add_config(w, o);
	return o;
}
