/* threads.h: the threads of a rank, which the library that is preloaded sees begin and end; the MPI
 * library, which finds the table by name, asks for their processor time. */
#ifndef ORRERY_LIBMPI_THREADS_H
#define ORRERY_LIBMPI_THREADS_H

#include <stdatomic.h>
#include <stdint.h>

enum { ORRERY_THREADS = 512 }; /* more than so many at once are not seen */
struct orrery_thread {
	_Atomic int state; /* 0: free; the kernel's number of it; -1: ended */
	double mark;       /* processor time that was charged, s: the reader's */
	double end;        /* all that it took, once ended */
	/* What it took in sleeps, for looking about; in one now, what it had taken before, or 0:
	 * the thread's own. */
	_Atomic double rested, rests_since;
	int mute;  /* it never calls MPI */
	int spins; /* it computes, too, while it waits for work: OpenMP\'s */
};
struct orrery_threads {
	_Atomic uint32_t n; /* places ever used */
	_Atomic int mute;   /* threads there are that never call MPI */
	struct orrery_thread at[ORRERY_THREADS];
};
#define ORRERY_THREADS_SYMBOL "orrery_threads"

#endif
