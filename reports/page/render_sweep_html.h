/*
 * render_sweep_html - a sweep as one page: small multiples, lines, which parameter matters most, and all points
 *
 * in:    a sweep, borrowed; the command that made the page
 * out:   HTML without anything from elsewhere, at any width from a phone's on
 * units: ns per packet, millions of packets per second
 * law:   nothing is computed here; the charts of a measure have one scale, so that their heights compare
 * error: -errno of the stream, -ENOMEM
 */
#ifndef REPORTS_PAGE_RENDER_SWEEP_HTML_H
#define REPORTS_PAGE_RENDER_SWEEP_HTML_H

#include <stdio.h>
#include "reports/render/render.h"
#include "reports/sweep/sweep.h"

int render_sweep_html(FILE *out, const struct sweep *s, const struct render_options *o);

#endif
