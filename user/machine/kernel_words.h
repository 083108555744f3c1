/*
 * kernel_words - the kernel's error messages that libbpf prints (extended acks of netlink)
 *
 * libbpf passes them to a print callback that has no context argument. So this file keeps the last message in a static
 * buffer: the one exception to "no mutable globals", and the reason why this is a file of its own.
 *
 * out:   text without trailing newline, valid until the next kernel_words_clear(); "" when there was no message
 */
#ifndef USER_KERNEL_WORDS_H
#define USER_KERNEL_WORDS_H

void kernel_words_listen(void); /* call it once, before libbpf is used; libbpf then prints nothing itself */
void kernel_words_clear(void);
const char *kernel_words(void);
const char *kernel_words_first_warning(void); /* libbpf's first warning since kernel_words_clear(); "": none */
const char *kernel_words_sep(void);           /* ": " to put before kernel_words(), or "" when there is no message */

#endif
