/*
 * shell_word - quotes a word of a command line for the shell
 *
 * in:    any word
 * out:   the plain word if a shell takes it unquoted, else the word in single quotes; returns the length
 * error: none; a word that does not fit is cut. Of a line: NULL, no words or no memory
 */
#ifndef BASE_SHELL_WORD_H
#define BASE_SHELL_WORD_H

#include <jansson.h>
#include <stddef.h>

size_t shell_word(char *out, size_t size, const char *word);
/* A JSON array of words as a line, which the caller frees. */
char *shell_line(const json_t *words);

#endif
