/* time.h: what the library of clocks, which is preloaded, and the MPI library of a rank, which may
 * be loaded later, tell each other. Found by name, as neither is linked to the other. */
#ifndef ORRERY_LIBMPI_TIME_H
#define ORRERY_LIBMPI_TIME_H

struct orrery_clock {
	double (*now)(void); /* simulated date, s; time passes a little */
	/* Simulated, 0 or more; waited: the thread has waited for as long in real time. What was
	 * left of it when a signal ended it, or 0. */
	double (*sleep)(double seconds, int waited);
	/* The thread waits by other means, until that date at most; 0: no longer. */
	void (*elsewhere)(double until);
};
/* The rank is in MPI from here on: its clocks show simulated time. NULL: no longer. */
void orrery_clock_set(const struct orrery_clock *clock);
typedef void orrery_clock_set_fn(const struct orrery_clock *clock);

/* Where several ranks share this library: what it knows of one is kept, and what it knew of another
 * comes back (all zero: of a new one). */
struct orrery_clock_state {
	const struct orrery_clock *simulated;
	double base, origin, due, interval;
};
typedef void orrery_clock_switch_fn(struct orrery_clock_state *from,
                                    const struct orrery_clock_state *to);
orrery_clock_switch_fn orrery_clock_switch;

/* alarm, setitimer: when the next signal is due, simulated; INFINITY: none is. Whoever lets time
 * pass calls `run` when that date has come, outside of calls of MPI. */
struct orrery_timer {
	double due;
	void (*run)(double now);
};
/* Where ranks share this process: how the signal of the one that runs comes, and whether it ends a
 * sleep. What is armed before MPI_Init counts from the date 0, what is left at MPI_Finalize goes.
 */
struct orrery_timer_hold {
	void (*ring)(void);
	int (*interrupts)(void);
};
void orrery_timer_held(const struct orrery_timer_hold *h);
#define ORRERY_TIMER_SYMBOL "orrery_timer"

/* The date of the day at which every simulation begins (2020-01-01), so that a run repeats. */
enum { ORRERY_EPOCH = 1577836800 };

#endif
