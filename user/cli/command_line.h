/*
 * command_line - the words that a command was called with, for run.json and for pages
 *
 * in:    argv, before opts_parse() changes its order
 * out:   a JSON array, which the caller owns; bytes that are no UTF-8 are "?" there
 * error: NULL without memory
 */
#ifndef USER_CLI_COMMAND_LINE_H
#define USER_CLI_COMMAND_LINE_H

#include <jansson.h>

json_t *command_line(int argc, char **argv);
/* The same as a line for a shell, cut off at size. */
void command_line_words(char *to, size_t size, int argc, char **argv);

#endif
