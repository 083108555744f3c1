// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the queue, interrupt and NAPI that bring packets to an RX CPU. steer.h has the contract. */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/listed.h"
#include "user/machine/machine.h"
#include "user/settings/settings.h"

#define MAX_NAPIS 256
#define MAX_IRQS  256

static int by_id(const void *a, const void *b)
{
	const struct netdev_napi *x = a, *y = b;

	return ORDER(x->id, y->id);
}

static int count_rx_queues(const struct facts *f, const struct netdev *nd)
{
	char line[64];
	int n = 0;

	while (!facts_line(f, line, sizeof(line), "sys/class/net/%s/queues/rx-%d/rps_cpus", nd->name, n))
		n++;
	return n;
}

/*
 * Fills NAPI, interrupt and thread of p->queue from the kernel's list of NAPIs. Not every driver has told the kernel
 * which queue a NAPI serves; then the order of the NAPIs decides.
 */
static void ask_kernel(struct rx_path *p, const struct facts *f, const struct netdev *nd)
{
	struct netdev_napi napis[MAX_NAPIS];
	int n = netdev_genl_napis(nd->ifindex, napis, MAX_NAPIS), found = -1;

	for (int i = 0; i < n; i++)
		if (napis[i].rx_queue >= 0 && napis[i].rx_queue == p->queue)
			found = i;
	if (found < 0 && n > 0 && p->queue >= 0 && n == count_rx_queues(f, nd)) {
		qsort(napis, n, sizeof(*napis), by_id); /* drivers add them in the order of their queues */
		found = p->queue < n ? p->queue : -1;
	}
	if (found < 0)
		return;
	p->napi_id = napis[found].id;
	p->napi_tid = napis[found].pid > 0 ? napis[found].pid : -1;
	p->irq = napis[found].irq > 0 ? napis[found].irq : -1;
}

/* false: the interrupt's name shows that it is for sending or for control messages. */
static bool rx_path_receives(const struct irq *irq)
{
	static const char *const other[] = {"config", "output", "event", "ctrl", "async", "cmd", "misc"};
	const char *tx = strstr(irq->name, "tx");

	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		if (strstr(irq->name, other[i]))
			return false;
	return !tx || strstr(irq->name, "rx") || strstr(irq->name, "TxRx");
}

/* The queue's number, from the end of the interrupt's name: "eth0-TxRx-3", "virtio2-input.0"; -1: no number there. */
static int rx_path_queue_of(const struct irq *irq)
{
	size_t n = strlen(irq->name), digits = 0;

	while (digits < n && strchr("0123456789", irq->name[n - 1 - digits]))
		digits++;
	return digits && digits < n && strchr(".-", irq->name[n - 1 - digits]) ? atoi(irq->name + n - digits) : -1;
}

/*
 * Finds the interrupt: by its number where the kernel reported it, otherwise by its name or by the CPUs that it may go
 * to. Among several, takes the busiest.
 */
static void look_at_irqs(struct rx_path *p, const struct facts *f, const struct netdev *nd)
{
	struct irq irqs[MAX_IRQS];
	size_t n = facts_irqs(f, nd->name, irqs, MAX_IRQS);
	const struct irq *best = NULL;

	for (size_t i = 0; i < n; i++) {
		int queue = rx_path_queue_of(&irqs[i]);
		bool fits = p->irq == irqs[i].number;

		if (p->irq < 0)
			fits = rx_path_receives(&irqs[i]) &&
			       (p->queue >= 0 && queue >= 0 ? queue == p->queue : cpulist_has(irqs[i].cpus, p->cpu));
		if (fits && (!best || irqs[i].count > best->count))
			best = &irqs[i];
	}
	if (!best)
		return;
	p->irq = best->number;
	strcpy(p->irq_name, best->name);
	strcpy(p->irq_cpus, best->cpus);
	if (p->queue < 0)
		p->queue = rx_path_queue_of(best);
}

/*
 * The thread of a queue where the kernel reports no NAPI ids: threads have the order of their queues, and the threads
 * of NAPIs that only send come last. -1: none.
 */
static int thread_of(int queue, const struct facts *f, const struct netdev *nd)
{
	pid_t tids[MAX_NAPIS];
	int n = (int)napi_kthreads(nd->name, tids, MAX_NAPIS), queues = count_rx_queues(f, nd);

	if (queue >= 0 && queue < n && n <= MAX_NAPIS && (n == queues || n == 2 * queues))
		return tids[queue];
	return n > 0 ? tids[0] : -1;
}

void rx_path_find(struct rx_path *p, const struct facts *f, const struct netdev *nd, int queue, int cpu)
{
	*p = (struct rx_path){.queue = queue, .cpu = cpu, .irq = -1, .napi_id = -1, .napi_tid = -1};
	ask_kernel(p, f, nd);
	look_at_irqs(p, f, nd);
	if (p->napi_id < 0 && p->queue >= 0)
		ask_kernel(p, f, nd); /* again: the interrupt's name may have given the queue */
	if (p->napi_id >= 0)
		return;
	p->napi_tid = thread_of(p->queue, f, nd);
}

void rx_path_words(const struct rx_path *p, char *words, size_t size)
{
	words[0] = 0;
	if (p->queue >= 0)
		listed_add(words, size, ", ", "queue %d", p->queue);
	if (p->cpu >= 0)
		listed_add(words, size, ", ", "CPU %d", p->cpu);
	if (p->irq >= 0)
		listed_add(words, size, ", ", "IRQ %d (%s)", p->irq, p->irq_name);
	if (p->napi_id >= 0)
		listed_add(words, size, ", ", "NAPI %ld", p->napi_id);
	if (p->napi_tid > 0)
		listed_add(words, size, ", ", "polled in thread %d", p->napi_tid);
	else
		listed_add(words, size, ", ", "polled in softirq");
}

json_t *rx_path_json(struct json_out *w, const struct rx_path *p)
{
	json_t *o = json_pack("{s:i}", "cpu", p->cpu);

	if (p->queue >= 0)
		json_out_put(w, o, "queue", json_integer(p->queue));
	if (p->irq >= 0)
		json_out_put(w, o, "irq", json_integer(p->irq));
	if (p->irq_name[0])
		json_out_text(w, o, "irq_name", p->irq_name);
	if (p->napi_id >= 0)
		json_out_put(w, o, "napi", json_integer(p->napi_id));
	json_out_put(w, o, "threaded", json_boolean(p->napi_tid > 0));
	return o;
}
