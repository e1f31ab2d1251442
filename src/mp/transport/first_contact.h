/* first_contact.h: when a rank that has no connection yet sees that somebody connects to it.
 *
 * Open MPI 4.1's progress engine asks the operating system about sockets in every call as soon as
 * the process has sent something over TCP or accepted a connection; before, only once in
 * `event_progress_delta`, 10 ms (opal/runtime/opal_progress.c; btl_tcp's add_procs counts users of
 * events). So a rank that begins by receiving sees its first connection up to 10 ms late, and two
 * that both begin by sending, as in an allreduce, do at once. */
#ifndef ORRERY_MP_FIRST_CONTACT_H
#define ORRERY_MP_FIRST_CONTACT_H

#include <stdint.h>

struct first_contact {
	double looked; /* date of its last look; -INFINITY: none */
	uint32_t held; /* first connection that waits to be seen */
	uint8_t met;   /* has sent, or seen a connection: looks all the time */
};

/* Part of making a connection after which the receiver's kernel knows of it: one of the handshake's
 * three ways (RFC 9293). */
#define FIRST_CONTACT_THERE (1.0 / 3)

/* Part of the first connections that are seen at once, as ranks do not leave MPI_Init at one date:
 * 19 of 54 of Open MPI's, between two and four hosts, asked for 0, 5 and 20 ms after MPI_Init; the
 * others took the whole period. */
#define FIRST_CONTACT_AT_ONCE (19.0 / 54)

/* The rank begins a call of MPI, or is still in one, at `now`, s, and looks at most once in
 * `period` seconds: returned, how long until it looks, 0 if it does now. */
double first_contact_enter(struct first_contact *c, double period, double now);

/* The same for a rank that has been in its call since it looked, or should have: it looks once in
 * each period. 0 only if a look is due now. */
double first_contact_next(struct first_contact *c, double period, double now);

#endif
