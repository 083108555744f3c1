/*
 * rig_parts - the steps that make a pair of the lab; shared by rig.c, rig_arms.c and the forwarding ladder
 *
 * in:    names of devices; the namespace in which a step has to be called is in its comment
 * law:   rig_down() removes what these functions make
 * error: -errno with one sentence
 */
#ifndef USER_RIG_PARTS_H
#define USER_RIG_PARTS_H

#include <stdbool.h>
#include "base/diag.h"

struct netdev;

extern const unsigned char rig_arm_mac[6]; /* of the receivers of all arms */

/* Calls a step for a device of this namespace. */
int rig_in_netns(const char *name, int (*step)(const char *dev, struct diag *d), const char *dev, struct diag *d);
/*
 * Makes "here" in this process's namespace, and "there" in the one that there_fd is a descriptor of. arm: with the MAC
 * addresses of arms. mtu: of both, 0: the kernel's.
 */
#define RIG_SAME_NETNS (-1)
int rig_make_pair(const char *here, const char *there, int there_fd, bool arm, int mtu, struct diag *d);
int rig_mtu(void); /* in the sender's namespace: of the first pair, which all others of the lab take */
int rig_set_up(const char *name, struct diag *d);       /* in its namespace: up */
void rig_quiet_ipv6(void);                              /* no packets of IPv6's own in this namespace */
int rig_setup_sink(const char *dev, struct diag *d);    /* in its namespace: up, with a program that counts */
int rig_open_receiver(const char *dev, struct diag *d); /* in the receiver's namespace: up, with NAPI (gro) */
/* In the receiver's namespace: polls the device in a NAPI kthread on this CPU. */
int rig_thread_receiver(const char *dev, int rx_cpu, struct diag *d);
void rig_delete_link(const char *name); /* in its namespace; the kernel deletes its peer too */
/*
 * In the receiver's namespace: gives it the address that the generator's frames are sent to, or takes the address away.
 */
int rig_arm_address(const struct netdev *nd, bool on, struct diag *d);
/* In this namespace. A kernel without this file has no such setting. */
void rig_set_sysctl(const char *path, const char *value);
int rig_change_address(const struct netdev *nd, const char *address, bool on, struct diag *d);
/* rig_thread_receiver(), with a kthread that takes the CPU from no other task that is running. */
int rig_thread_politely(const char *dev, int cpu, struct diag *d);
/* In the sender's namespace. */
void rig_arms_delete(void);
int rig_arms_count(void);

#endif
