/*
 * shell_word - a word of a command line as one types it
 *
 * in:    any word
 * out:   the word as it is where a shell takes it so, else in single quotes; returns the length, as snprintf() does
 * error: none; what does not fit is cut
 */
#ifndef USER_CLI_SHELL_WORD_H
#define USER_CLI_SHELL_WORD_H

#include <stddef.h>

size_t shell_word(char *out, size_t size, const char *word);

#endif
