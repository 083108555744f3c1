/*
 * xdpzoom - declares all commands, and includes what every command needs
 *
 * law:   data goes to stdout, everything else to stderr; one sentence per failure
 */
#ifndef USER_XDPZOOM_H
#define USER_XDPZOOM_H

#include "base/base.h"

int cmd_exact(const struct command *c, int argc, char **argv);
int cmd_why(const struct command *c, int argc, char **argv);
int cmd_demo(const struct command *c, int argc, char **argv);
int cmd_diff(const struct command *c, int argc, char **argv);
int cmd_doctor(const struct command *c, int argc, char **argv);
int cmd_import(const struct command *c, int argc, char **argv);
int cmd_gen(const struct command *c, int argc, char **argv);
int cmd_history(const struct command *c, int argc, char **argv);
int cmd_map(const struct command *c, int argc, char **argv);
int cmd_lab(const struct command *c, int argc, char **argv);
int cmd_record(const struct command *c, int argc, char **argv);
int cmd_report(const struct command *c, int argc, char **argv);
int cmd_replay(const struct command *c, int argc, char **argv);
int cmd_stat(const struct command *c, int argc, char **argv);
int cmd_watch(const struct command *c, int argc, char **argv);

#endif
