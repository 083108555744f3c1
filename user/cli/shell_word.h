/*
 * shell_word - quotes a word of a command line for the shell
 *
 * in:    any word
 * out:   the plain word if a shell takes it unquoted, else the word in single quotes; returns the length
 * error: none; a word that does not fit is cut
 */
#ifndef USER_CLI_SHELL_WORD_H
#define USER_CLI_SHELL_WORD_H

#include <stddef.h>

size_t shell_word(char *out, size_t size, const char *word);

#endif
