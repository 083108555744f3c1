/*
 * compare_parts - what the files behind compare.h share; no other file includes this header
 */
#ifndef REPORTS_COMPARE_PARTS_H
#define REPORTS_COMPARE_PARTS_H

#include "reports/compare/compare.h"

int compare_add_rows(struct compare *c);     /* facilities and symbols: 0 or -ENOMEM */
int compare_add_events(struct compare *c);   /* 0 or -ENOMEM */
int compare_add_counters(struct compare *c); /* 0 or -ENOMEM */
int compare_add_gates(struct compare *c);    /* needs everything else in c: 0 or -ENOMEM */

#endif
