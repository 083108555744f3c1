/*
 * notify - tells the service manager that a watch runs, and that it still does
 *
 * in:    NOTIFY_SOCKET of the environment: a path, or "@" and the name of an abstract socket
 * out:   a datagram of words, such as "READY=1" or "WATCHDOG=1"
 * law:   without NOTIFY_SOCKET nothing is done
 * error: none: a service manager that does not listen notices by itself
 * src:   sd_notify(3), "Notes": the protocol is stable
 */
#ifndef USER_WATCH_NOTIFY_H
#define USER_WATCH_NOTIFY_H

void notify_manager(const char *words);

#endif
