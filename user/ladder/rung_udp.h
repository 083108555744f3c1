/*
 * rung_udp - the UDP port that the generator's frames go to, in the network namespace of the calling process
 *
 * in:    nothing; the namespace's sockets and counters
 * out:   whether the port is free; a socket there whose buffer is full; what the kernel counts of UDP
 * units: datagrams, of the whole namespace, since it is there
 * error: -EADDRINUSE with a sentence that names the process, -EOPNOTSUPP this process may not bind to the port, or the
 *        kernel does not count this
 */
#ifndef USER_RUNG_UDP_H
#define USER_RUNG_UDP_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"

#define RUNG_PORT 9 /* of the generator's frames (gen_frame()) */

int rung_udp_port_free(struct diag *d);
/* An IPv4 address of the device, in words: GEN_DST_IP, if it is one of them, else the first. false: it has none. */
bool rung_udp_address(const char *dev, char words[64]);
/* Nobody reads from the socket. *fd: the caller closes it, also after an error, unless it is -1. */
int rung_udp_full_socket(int *fd, struct diag *d);
/* column: a name in the line "Udp:" of /proc/net/snmp. */
int rung_udp_count(const char *column, uint64_t *frames, struct diag *d);

#endif
