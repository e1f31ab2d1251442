/* ticket.h: which thread of a rank is in MPI (ticket.c): one at a time, first come, first served. A
 * mutex of the C library's is not fair: a thread that calls all the time has it again before one
 * that waits for it has woken up. */
#ifndef ORRERY_LIBMPI_TICKET_H
#define ORRERY_LIBMPI_TICKET_H

#include <stdatomic.h>
#include <stdint.h>

/* Zeroed: it is nobody's. */
struct ticket_lock {
	_Atomic uint32_t next, served; /* the ticket that is given next; whose turn it is */
	_Atomic uintptr_t of;          /* the thread that has it; 0: nobody */
	uint32_t deep;                 /* how often it has */
};

/* Waits for it. A thread that has it may take it again, and leaves it as often. */
void ticket_take(struct ticket_lock *t);
/* 0: another thread has it. */
int ticket_try(struct ticket_lock *t);
/* Nothing, of a thread that has not got it. */
void ticket_leave(struct ticket_lock *t);
/* Has the calling thread it? */
int ticket_mine(const struct ticket_lock *t);
/* Does another one wait for it? */
int ticket_wanted(const struct ticket_lock *t);

#endif
