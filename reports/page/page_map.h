/*
 * page_map - a map of packet paths as one page: what packets cost on it, its picture, the same as a tree, and its data
 *
 * in:    a map of schema xdpzoom.map/1; svg: its picture; tree: its text; all borrowed
 * out:   HTML into the caller's stream. The picture is an image, in which no script runs
 * error: -EIO (or what errno says) when the stream failed, -ENOMEM
 */
#ifndef REPORTS_PAGE_MAP_H
#define REPORTS_PAGE_MAP_H

#include <jansson.h>
#include <stdio.h>

int page_map(FILE *out, const json_t *map, const char *svg, const char *tree);

#endif
