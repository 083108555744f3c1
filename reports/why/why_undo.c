// SPDX-License-Identifier: GPL-2.0-or-later
/* The command that undoes the change that is the cause. */
#include <fnmatch.h>
#include "reports/why/why.h"

/* The first row that fits. %d: the device; %n: the name of the setting, %l: its last word; %f: what it was before. */
static const struct {
	const char *of, *name, *from, *command;
} undos[] = {
	{"*", "xdp-native", "none", "ip link set dev %d xdpdrv off"},
	{"*", "xdp-skb", "none", "ip link set dev %d xdpgeneric off"},
	{"*", "xdp-native", "*", "ip -force link set dev %d xdpdrv obj FILE  # program %f"},
	{"*", "xdp-skb", "*", "ip -force link set dev %d xdpgeneric obj FILE  # program %f"},
	{"*", "tc-ingress", "none", "tc filter del dev %d ingress"},
	{"*", "tc-egress", "none", "tc filter del dev %d egress"},
	{"*", "tcx-ingress", "none", "bpftool net detach tcx_ingress dev %d"},
	{"*", "tcx-egress", "none", "bpftool net detach tcx_egress dev %d"},
	{"*", "up", "on", "ip link set dev %d up"},
	{"*", "up", "off", "ip link set dev %d down"},
	{"*", "mtu", "*", "ip link set dev %d mtu %f"},
	{"*", "tx_queue_len", "*", "ip link set dev %d txqueuelen %f"},
	{"*", "qdisc", "*", "tc qdisc replace dev %d root %f"},
	{"*", "napi", "threaded", "echo 1 >/sys/class/net/%d/threaded"},
	{"*", "napi", "softirq", "echo 0 >/sys/class/net/%d/threaded"},
	{"*", "@(gro_flush_timeout|napi_defer_hard_irqs)", "*", "echo %f >/sys/class/net/%d/%n"},
	{"*", "rps cpus of *", "*", "echo %f >/sys/class/net/%d/queues/%l/rps_cpus"},
	{"*", "rfs flows of *", "*", "echo %f >/sys/class/net/%d/queues/%l/rps_flow_cnt"},
	{"*", "cpus of irq *", "*", "echo %f >/proc/irq/%l/smp_affinity_list"},
	{"*", "rx ring", "*", "ethtool -G %d rx %f"},
	{"*", "channels *", "*", "ethtool -L %d %l %f"},
	{"*", "rss queues", "*", "ethtool -X %d equal %f"},
	{"*", "coalescing us", "*", "ethtool -C %d rx-usecs %f"},
	{"*", "coalescing adaptive", "*", "ethtool -C %d adaptive-rx %f"},
	{"*", "@(rx|tx)-*", "@(on|off)", "ethtool -K %d %n %f"},
	{"nft", "chain *", "none", "nft 'flush %n; delete %n'"},
	{"nft", "*", "*", "nft -f RULESET  # as before"},
	{"packet sockets", "*", "*", "ss -0p  # lists the processes to end"},
	{"", "/proc/sys/*", "*", "sysctl -w %s=%f"},
	{"", "/sys/*", "*", "echo %f >%n"},
};

/* A dump is untrusted input, and the command is to be copied: no word of it may be more to a shell. */
static bool is_plain(const char *word)
{
	return !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ._:/+,=@-")];
}

/* %s: the name below /proc/sys/, %p: the number in parentheses at the end of the name. */
static void fill_in(struct why_verdict *v, const char *command, const char *dev, const char *name, const char *from)
{
	FILE *out = fmemopen(v->undo, sizeof(v->undo), "w");
	const char *last = strrchr(name, ' '), *id = strrchr(name, '(');

	if (!out)
		return;
	for (const char *at = command; *at; at++) {
		if (*at != '%')
			fputc(*at, out);
		else if (*++at == 'p')
			fprintf(out, "%.*s", id ? (int)strcspn(id + 1, ")") : 0, id ? id + 1 : "");
		else
			fputs(*at == 'd'   ? dev
			      : *at == 'f' ? from
			      : *at == 's' ? name + strlen("/proc/sys/")
			      : *at == 'l' ? (last ? last + 1 : name)
					   : name,
			      out);
	}
	fclose(out);
}

void undo_change(struct why_verdict *v, const struct why_change *c)
{
	const char *dev = strrchr(c->of, '/');

	if (!is_plain(c->of) || !is_plain(c->name) || !is_plain(c->from))
		return;
	for (size_t i = 0; i < sizeof(undos) / sizeof(*undos); i++)
		if (!fnmatch(undos[i].of, c->of, 0) && !fnmatch(undos[i].name, c->name, FNM_EXTMATCH) &&
		    !fnmatch(undos[i].from, c->from, FNM_EXTMATCH)) {
			fill_in(v, undos[i].command, dev ? dev + 1 : c->of, c->name, c->from);
			break;
		}
	if (dev && *v->undo && !memchr(c->of, ':', (size_t)(dev - c->of))) { /* of a namespace that has a name */
		char command[sizeof(v->undo)];

		strcpy(command, v->undo);
		snprintf(v->undo, sizeof(v->undo), "ip netns exec %.*s sh -c '%.300s'", (int)(dev - c->of), c->of,
			 command);
	}
}

void undo_task(struct why_verdict *v, const char *name, const char *command, const char *from)
{
	const char *id = strrchr(name, '(');

	if (is_plain(from) &&
	    (strstr(command, "%p") ? id && id[1 + strspn(id + 1, "0123456789")] == ')' : is_plain(name)))
		fill_in(v, command, "", name, from);
}
