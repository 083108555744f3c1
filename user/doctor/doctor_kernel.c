// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the kernel: the abilities of BPF and perf here. doctor.h has the contract. */
#include <bpf/bpf.h>
#include "user/doctor/doctor.h"

void check_rights(const struct doctor *dr, struct doctor_row *row)
{
	if (dr->capable)
		row_is(row, DOCTOR_OK, "all that recording needs (CAP_NET_ADMIN, CAP_SYS_ADMIN)");
	else if (geteuid() == 0)
		row_is(row, DOCTOR_FATAL, "root, but without CAP_NET_ADMIN and CAP_SYS_ADMIN: a container?");
	else
		row_is(row, DOCTOR_WARNING, "not root: recording is not possible, and doctor cannot see everything");
	if (!dr->capable)
		row_remedy(row, geteuid() ? "sudo xdpzoom doctor" : "run xdpzoom outside the container");
}

void check_live_frames(const struct doctor *dr, struct doctor_row *row)
{
	struct xdp_md ctx = {.data_end = 64};
	unsigned char frame[64] = {0};
	struct run_variant drop;
	struct diag d = {};
	struct bench b;
	int err;

	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .repeat = 1);

	if (!dr->capable) {
		row_is(row, DOCTOR_UNKNOWN, "only root can send one");
		return;
	}
	/* Sends one live frame into a program that drops it, so that the frame reaches no device. */
	bench_init(&b);
	err = run_variant_parse(&drop, "drop/no-touch@native", &d) ?: bench_load(&b, &drop, NULL, &d);
	if (!err && bpf_prog_test_run_opts(b.prog_fd, &opts))
		err = diag_set(&d, -EOPNOTSUPP, "the kernel refuses live frames: %s", strerror(errno));
	bench_release(&b);
	if (err) {
		row_is(row, DOCTOR_WARNING, "%s", d.text);
		row_remedy(row, "boot Linux 5.18 or later for the lab and gen, or send from another machine");
	} else {
		row_is(row, DOCTOR_OK, "one was sent into a program that drops it");
	}
}

void check_tp_btf(const struct doctor *dr, struct doctor_row *row)
{
	struct polls polls = {};
	struct diag d = {};

	if (!facts_have_btf(&dr->facts))
		row_is(row, DOCTOR_WARNING, "the kernel has no BTF: xdpzoom cannot count packets per poll");
	else if (!dr->capable)
		row_is(row, DOCTOR_UNKNOWN, "only root can load it");
	else if (polls_open(&polls, 0, 0, 0, &d))
		row_is(row, DOCTOR_WARNING, "%s", d.text);
	else
		row_is(row, DOCTOR_OK, "loads");
	polls_close(&polls);
	if (row->level == DOCTOR_WARNING)
		row_remedy(row, "boot a kernel with CONFIG_DEBUG_INFO_BTF=y, CONFIG_BPF_EVENTS=y, and no "
				"lockdown=confidentiality");
}

void check_lockdown(const struct doctor *dr, struct doctor_row *row)
{
	char line[128];
	int err = facts_line(&dr->facts, line, sizeof(line), "sys/kernel/security/lockdown");
	bool mounted = false; /* securityfs: it has at least one file then, the names of the security modules */
	char *from = strchr(line, '['), *to = from ? strchr(from, ']') : NULL;
	struct dirent *e;

	dir_scan (e, &dr->facts, "sys/kernel/security")
		mounted |= e->d_name[0] != '.';
	if (to) { /* "none [integrity] confidentiality" */
		*to = 0;
		memmove(line, from + 1, to - from);
	}
	if (err == -ENOENT && !mounted)
		row_is(row, DOCTOR_UNKNOWN, "securityfs, which shows it, is not mounted");
	else if (err == -ENOENT)
		row_is(row, DOCTOR_OK, "this kernel has none");
	else if (err)
		row_unknown(row, err);
	else if (!strcmp(line, "confidentiality"))
		row_is(row, DOCTOR_FATAL, "confidentiality: neither perf nor BPF may read the kernel");
	else
		row_is(row, DOCTOR_OK, "%s", line);
	if (row->level == DOCTOR_FATAL)
		row_remedy(row, "boot with lockdown=none");
	if (row->level == DOCTOR_UNKNOWN && err == -ENOENT)
		row_remedy(row, "mount -t securityfs securityfs /sys/kernel/security");
}

void check_perf(const struct doctor *dr, struct doctor_row *row)
{
	struct perf_tool tool;
	struct diag d = {};

	if (perf_tool_find(&tool, &d)) {
		row_is(row, dr->capable || !tool.version[0] ? DOCTOR_FATAL : DOCTOR_UNKNOWN, "%s", d.text);
		row_remedy(row, tool.version[0] ? "sudo xdpzoom doctor" : "make deps");
	} else if (!strcmp(tool.event, "cycles")) {
		row_is(row, DOCTOR_OK, "%s, cycles", tool.version);
	} else {
		row_is(row, DOCTOR_WARNING,
		       "%s, no PMU: cpu-clock counts time with interrupts off at the function that switches them on "
		       "again",
		       tool.version);
		row_remedy(row, "use a machine with a PMU, or give the VM one (QEMU with KVM: -cpu host,pmu=on)");
	}
}

void check_config(const struct doctor *dr, struct doctor_row *row)
{
	struct json_out w = {};
	json_t *config = kconfig_read(&w, &dr->facts);
	char list[256], mode[32], preempt[64] = "";

	if (!kconfig_preempt_mode(&dr->facts, mode, sizeof(mode)))
		snprintf(preempt, sizeof(preempt), "; preemption: %s", mode);
	if (kconfig_costly(&dr->facts, config, list, sizeof(list))) {
		row_is(row, DOCTOR_WARNING, "%s: each packet pays for it%s", list, preempt);
		row_remedy(row, "boot a kernel without it, or compare only kernels that have it alike");
	} else if (!config) {
		row_is(row, DOCTOR_UNKNOWN, "neither /proc/config.gz nor /boot/config-RELEASE can be read%s", preempt);
	} else {
		row_is(row, DOCTOR_OK, "nothing in it that checks or clears memory for each packet%s", preempt);
	}
	json_decref(config);
}
