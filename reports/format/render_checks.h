/*
 * render_checks - what a self-test found, as text for people, JSON for scripts ("xdpzoom.selftest/1"), and KTAP
 *
 * error: -EIO (or what errno says, -ENOSPC) when the stream failed, -ENOMEM
 */
#ifndef REPORTS_RENDER_CHECKS_H
#define REPORTS_RENDER_CHECKS_H

#include <stdbool.h>
#include <stdio.h>
#include "reports/analysis/checks.h"

int render_checks_text(FILE *out, const struct checks *c, bool colour);
int render_checks_json(FILE *out, const struct checks *c);
int render_checks_ktap(FILE *out, const struct checks *c);

#endif
