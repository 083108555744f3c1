/*
 * metrics - what watch has seen, for Prometheus: a file for node_exporter's textfile collector, and answers over HTTP
 *
 * in:    each line of watch (watch.h), then the end of its interval
 * out:   totals since the watch began and the costs of the last interval, as OpenMetrics, in base units
 * law:   the file is replaced as a whole (new_file.h). The server listens at 127.0.0.1 alone, answers GET /metrics and
 *        reads nothing else; its thread touches nothing but the last text. Neither is there unless it was asked for
 * error: -errno with one sentence
 * src:   https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
#ifndef USER_WATCH_METRICS_H
#define USER_WATCH_METRICS_H

#include "base/diag.h"
#include "user/watch/watch.h"

struct metrics;

/* textfile NULL: no file; port 0: no server. Without both *m is NULL, and the others do nothing with that. */
int metrics_open(struct metrics **m, const char *textfile, int port, struct diag *d);
int metrics_add(struct metrics *m, const struct watch_line *line);
int metrics_publish(struct metrics *m, struct diag *d);
void metrics_close(struct metrics *m);

#endif
