/*
 * count - how a program in the guest commands the counting plugin
 *
 * law:   the command is the last byte of an eight-byte NOP; without the plugin it does nothing
 */
#ifndef VM_PLUGIN_COUNT_H
#define VM_PLUGIN_COUNT_H

#define COUNT_SYMBOLS 1 /* read DIR/symbols and DIR/lines */
#define COUNT_BEGIN   2 /* a window begins */
#define COUNT_STOP    3 /* no more is counted in it */
#define COUNT_END     4 /* it ends: DIR/places is read, and DIR/window.N is written, N from 0 */
#define COUNT_PLACES  5 /* read DIR/places before a window */

#define COUNT_COMMAND(n) __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00, 0x58, 0x44, 0x50, %c0" : : "i"(n) : "memory")

#endif
