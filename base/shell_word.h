/*
 * shell_word - quotes a word of a command line for the shell
 *
 * in:    any word
 * out:   the plain word if a shell takes it unquoted, else the word in single quotes. What a terminal must not get is
 *        written as bash and zsh read it: $'\377'. Returns the length
 * error: none; a word that does not fit is cut. Of a line: NULL, no words or no memory
 */
#ifndef BASE_SHELL_WORD_H
#define BASE_SHELL_WORD_H

#include <jansson.h>
#include <stddef.h>

size_t shell_word(char *out, size_t size, const char *word);
/* The name of a device or a namespace in a command that is shown; it lives as long as the caller's block. */
#define SHELL_NAME(name) shell_name((char[SHELL_NAME_BYTES]){}, name)
#define SHELL_NAME_BYTES 80
const char *shell_name(char to[SHELL_NAME_BYTES], const char *name);
/* A JSON array of words as a line, which the caller frees. */
char *shell_line(const json_t *words);

#endif
