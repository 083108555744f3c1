/*
 * kernel_words - what the kernel said in words: netlink extended acks and verifier complaints that libbpf prints
 *
 * libbpf hands them to a print callback that carries no context, so the last one is kept in a file-wide buffer: the one
 * exception to "no mutable globals", and the reason this file is alone.
 *
 * out:   text without trailing newline, valid until the next clear; "" when nothing was said
 */
#ifndef USER_KERNEL_WORDS_H
#define USER_KERNEL_WORDS_H

void kernel_words_listen(void); /* once, before libbpf is used; libbpf is silent from then on */
void kernel_words_clear(void);
const char *kernel_words(void);
const char *kernel_words_sep(void); /* ": " when there are words, else "": for the end of a sentence */

#endif
