// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "user/machine/env.h"
#include "user/machine/facts.h"
#include "user/machine/kconfig.h"

static void add_file(json_t *o, const char *name, const char *path)
{
	char line[1024];

	if (!facts_line(&facts_here, line, sizeof(line), "%s", path) && line[0])
		json_object_set_new(o, name, json_string(line) ?: json_string("?"));
}

/*
 * Adds the CPU's model ("model name : AMD EPYC") and clock from /proc/cpuinfo, and whether this is a virtual machine.
 */
static void add_cpuinfo(json_t *o)
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
			json_object_set_new(o, "cpu_model", json_string(value));
		if (!strncmp(line, "cpu MHz", 7))
			json_object_set_new(o, "cpu_mhz", json_string(value));
		if (!strncmp(line, "flags", 5))
			json_object_set_new(o, "virtual_machine", json_boolean(strstr(value, " hypervisor") != NULL));
	}
	fclose(f);
}

static json_t *mitigations(void)
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
		add_file(o, e->d_name, path);
	}
	if (d)
		closedir(d);
	return o;
}

/* The parameters of the kernel's command line that change costs; the others may be private and are left out. */
static json_t *boot_parameters(void)
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
				json_array_append_new(a, json_string(word));
	return a;
}

/* What is not found is not known: null. */
static void add_config(json_t *o)
{
	json_t *config = kconfig_read(&facts_here);
	char mode[32];

	json_object_set_new(o, "config", config ? config : json_null());
	json_object_set_new(o, "preempt_mode",
			    kconfig_preempt_mode(&facts_here, mode, sizeof(mode)) ? json_null() : json_string(mode));
}

void env_compiler(char compiler[MADE_COMPILER_BYTES])
{
	char line[1024];

	compiler[0] = '\0';
	if (!facts_line(&facts_here, line, sizeof(line), "proc/version"))
		made_compiler(line, compiler, MADE_COMPILER_BYTES);
}

json_t *env_describe(const char *perf_version, int rx_cpu)
{
	json_t *o = json_object();
	char path[128], compiler[MADE_COMPILER_BYTES];
	struct utsname u;

	if (!uname(&u)) {
		json_object_set_new(o, "kernel", json_string(u.release));
		json_object_set_new(o, "kernel_version", json_string(u.version));
		json_object_set_new(o, "arch", json_string(u.machine));
	}
	env_compiler(compiler);
	if (compiler[0])
		json_object_set_new(o, "compiler", json_string(compiler) ?: json_string("?"));
	json_object_set_new(o, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(o, "perf", json_string(perf_version));
	add_cpuinfo(o);
	json_object_set_new(o, "boot", boot_parameters());
	add_file(o, "boot_id", ENV_BOOT_ID);
	add_file(o, "clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_file(o, "smt_active", "sys/devices/system/cpu/smt/active");
	add_file(o, "no_turbo", "sys/devices/system/cpu/intel_pstate/no_turbo");
	add_file(o, "boost", "sys/devices/system/cpu/cpufreq/boost");
	add_file(o, "lockdown", "sys/kernel/security/lockdown");
	add_file(o, "bpf_jit", "proc/sys/net/core/bpf_jit_enable");
	add_file(o, "bpf_jit_harden", "proc/sys/net/core/bpf_jit_harden");
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", rx_cpu);
	add_file(o, "governor", path);
	json_object_set_new(o, "mitigations", mitigations());
	add_config(o);
	return o;
}
