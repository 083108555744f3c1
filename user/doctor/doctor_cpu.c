// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the CPU that receives, and of anything that may disturb it. doctor.h has the contract. */
#include "user/doctor/doctor.h"

#define CPU_DIR       "sys/devices/system/cpu"
#define STEAL_PCT     0.5
#define BUSY_PCT      5.0
#define DEEP_SLEEP_US 20 /* longer wake-ups are bad: within this time a good part of a ring fills */

/* The share, in percent, of the time between the two samples, that a CPU spent in something: its times of both. */
static double share_pct(const struct doctor *dr, double before_ns, double after_ns)
{
	double ns = dr->after.at_ns - dr->before.at_ns;

	return ns > 0 ? 100 * (after_ns - before_ns) / ns : 0;
}

void check_vm(const struct doctor *dr, struct doctor_row *row)
{
	bool flags = false, vm = false;
	char line[8192];

	facts_scan (&dr->facts, line, "proc/cpuinfo") {
		flags = !strncmp(line, "flags", 5) || !strncmp(line, "Features", 8);
		line[strcspn(line, "\n")] = ' ';
		vm = flags && strstr(line, " hypervisor ");
		if (flags)
			break;
	}
	if (!flags)
		row_is(row, DOCTOR_UNKNOWN, "/proc/cpuinfo does not show it");
	else if (vm)
		row_is(row, DOCTOR_WARNING,
		       "a VM: the host moves its CPUs between cores near and far; reports show the placement");
	else
		row_is(row, DOCTOR_OK, "bare metal");
	if (row->level == DOCTOR_WARNING)
		row_remedy(row, "pin the VM's CPUs on the host, or measure on bare metal");
}

void check_steal(const struct doctor *dr, struct doctor_row *row)
{
	double pct = share_pct(dr, dr->before.cpus[dr->rx_cpu].steal_ns, dr->after.cpus[dr->rx_cpu].steal_ns);

	row_is(row, pct > STEAL_PCT ? DOCTOR_WARNING : DOCTOR_OK, "%.1f %% of CPU %d during half a second", pct,
	       dr->rx_cpu);
	if (pct > STEAL_PCT)
		row_remedy(row, "give the VM CPUs of its own on the host");
}

void check_governor(const struct doctor *dr, struct doctor_row *row)
{
	char line[64], path[128];
	int err;

	snprintf(path, sizeof(path), "/" CPU_DIR "/cpu%d/cpufreq/scaling_governor", dr->rx_cpu);
	err = facts_line(&dr->facts, line, sizeof(line), "%s", path + 1);
	if (err == -ENOENT)
		row_is(row, DOCTOR_OK, "the kernel does not set the clock here");
	else if (err)
		row_unknown(row, err);
	else
		row_is(row, strcmp(line, "performance") ? DOCTOR_WARNING : DOCTOR_OK, "%s on CPU %d", line, dr->rx_cpu);
	if (row->level == DOCTOR_WARNING)
		row_fix(row, "file", "", path, "performance");
}

void check_turbo(const struct doctor *dr, struct doctor_row *row)
{
	static const struct {
		const char *path;
		long long off;
	} switches[] = {{"/" CPU_DIR "/intel_pstate/no_turbo", 1}, {"/" CPU_DIR "/cpufreq/boost", 0}};
	long long value;

	for (int i = 0; i < 2; i++) {
		if (facts_number(&dr->facts, &value, "%s", switches[i].path + 1))
			continue;
		if (value == switches[i].off) {
			row_is(row, DOCTOR_OK, "off");
			return;
		}
		row_is(row, DOCTOR_WARNING, "on: the clock changes with heat and with the work of other cores");
		row_fix(row, "file", "", switches[i].path, "%lld", switches[i].off);
		return;
	}
	row_is(row, DOCTOR_OK, "this machine has no switch for it");
}

void check_smt(const struct doctor *dr, struct doctor_row *row)
{
	const struct cpu_times *before, *after;
	char list[128], path[96];
	int sibling = -1, err = facts_line(&dr->facts, list, sizeof(list),
					   CPU_DIR "/cpu%d/topology/thread_siblings_list", dr->rx_cpu);
	double pct;

	if (err) {
		row_unknown(row, err);
		return;
	}
	for (int i = 0; i < DOCTOR_MAX_CPUS && sibling < 0; i++)
		if (i != dr->rx_cpu && cpulist_has(list, i))
			sibling = i;
	if (sibling < 0) {
		row_is(row, DOCTOR_OK, "CPU %d shares its core with no other CPU", dr->rx_cpu);
		return;
	}
	before = &dr->before.cpus[sibling];
	after = &dr->after.cpus[sibling];
	pct = share_pct(dr, before->user_ns + before->system_ns + before->irq_ns,
			after->user_ns + after->system_ns + after->irq_ns);
	if (dr->facts.copy)
		row_is(row, DOCTOR_WARNING, "CPU %d shares its core with CPU %d", dr->rx_cpu, sibling);
	else
		row_is(row, pct > BUSY_PCT ? DOCTOR_WARNING : DOCTOR_OK,
		       "CPU %d shares its core with CPU %d, which was %.0f %% busy", dr->rx_cpu, sibling, pct);
	if (row->level != DOCTOR_WARNING)
		return;
	snprintf(path, sizeof(path), "/" CPU_DIR "/cpu%d/online", sibling);
	row_fix(row, "file", "", path, "0");
}

void check_other_work(const struct doctor *dr, struct doctor_row *row)
{
	const struct cpu_times *before = &dr->before.cpus[dr->rx_cpu], *after = &dr->after.cpus[dr->rx_cpu];
	double pct = share_pct(dr, before->user_ns + before->system_ns, after->user_ns + after->system_ns);

	row_is(row, pct > BUSY_PCT ? DOCTOR_WARNING : DOCTOR_OK, "CPU %d was %.0f %% busy with tasks", dr->rx_cpu, pct);
	if (pct > BUSY_PCT)
		row_remedy(row, "top -1 shows them; taskset -pc moves them; another RX CPU: --rx-cpu, --pin-irq");
}

/* Sleep states of the RX CPU that take long to wake up from. */
void check_cstates(const struct doctor *dr, struct doctor_row *row)
{
	char dir[96], path[128], name[32], deepest[32] = "";
	long long us, off, most = 0;
	size_t n = 0;

	snprintf(dir, sizeof(dir), "/" CPU_DIR "/cpu%d/cpuidle", dr->rx_cpu);
	for (int state = 0; !facts_number(&dr->facts, &us, "%s/state%d/latency", dir + 1, state); state++) {
		n++;
		if (us <= DEEP_SLEEP_US ||
		    (!facts_number(&dr->facts, &off, "%s/state%d/disable", dir + 1, state) && off))
			continue;
		snprintf(path, sizeof(path), "%s/state%d/disable", dir, state);
		row_fix(row, "file", "", path, "1");
		if (us > most && !facts_line(&dr->facts, name, sizeof(name), "%s/state%d/name", dir + 1, state))
			strcpy(deepest, name);
		most = us > most ? us : most;
	}
	if (most)
		row_is(row, DOCTOR_WARNING,
		       "CPU %d may sleep in %s and needs %lld us to wake up: costs below saturation grow", dr->rx_cpu,
		       deepest[0] ? deepest : "a deep state", most);
	else
		row_is(row, DOCTOR_OK,
		       n ? "no state that takes more than %d us to wake up" : "the kernel manages no states here",
		       DEEP_SLEEP_US);
}

void check_clocksource(const struct doctor *dr, struct doctor_row *row)
{
	static const char dir[] = "/sys/devices/system/clocksource/clocksource0";
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "pit"};
	char line[64], available[256] = "", path[128];
	bool bad = false;
	int err = facts_line(&dr->facts, line, sizeof(line), "%s/current_clocksource", dir + 1);

	if (err) {
		row_unknown(row, err);
		return;
	}
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++)
		bad |= !strcmp(line, slow[i]);
	row_is(row, bad ? DOCTOR_WARNING : DOCTOR_OK, "%s%s", line,
	       bad ? ": each reading of the clock takes about 1 us" : "");
	if (!bad)
		return;
	facts_line(&dr->facts, available, sizeof(available), "%s/available_clocksource", dir + 1);
	snprintf(path, sizeof(path), "%s/current_clocksource", dir);
	if (strstr(available, "tsc"))
		row_fix(row, "file", "", path, "tsc");
	else
		row_remedy(row, "boot with tsc=reliable if the CPU's time stamp counter can be trusted");
}

void check_irqbalance(const struct doctor *dr, struct doctor_row *row)
{
	char name[160] = "", comm[64], path[32];
	struct process_stat state;
	struct stat st;
	int pid = 0;

	/* root's; in a copy of files, anybody's */
	process_scan (&dr->facts, pid, comm) {
		snprintf(path, sizeof(path), "/proc/%d", pid);
		if (!strcmp(comm, "irqbalance") && (dr->facts.copy || (!stat(path, &st) && st.st_uid == 0)))
			break;
	}
	if (pid > 0 && !facts_process_stat(&dr->facts, pid, &state) && state.state == 'T') {
		row_is(row, DOCTOR_OK, "process %d, stopped", pid);
		return;
	}
	row_is(row, pid > 0 ? DOCTOR_WARNING : DOCTOR_OK,
	       pid > 0 ? "process %d runs, and may move interrupts during a measurement" : "does not run", pid);
	if (pid <= 0)
		return;
	if (!dr->facts.copy)
		setting_name_task(name, sizeof(name), pid);
	if (name[0])
		row_fix(row, "process", "", name, "stopped");
	else
		row_remedy(row, "systemctl stop irqbalance");
}
