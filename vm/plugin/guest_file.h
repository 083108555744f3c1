/*
 * guest_file - files that the guest has written, and that the plugin reads
 *
 * in:    a path in the folder that the guest has
 * out:   its lines, with their ends
 * law:   only a regular file of at most GUEST_FILE_BYTES is read, and no link is followed. In a line each control
 *        character but the tab is "?": what is made of it is shown on terminals, and lines of a window are no more than
 *        the plugin writes
 * error: NULL: there is no such file, or no line
 */
#ifndef VM_PLUGIN_GUEST_FILE_H
#define VM_PLUGIN_GUEST_FILE_H

#include <stdio.h>

#define GUEST_FILE_BYTES (64L << 20) /* the symbols of a kernel have 12 MB */

FILE *guest_file_open(const char *path);
char *guest_file_line(char *line, int size, FILE *in);

#endif
