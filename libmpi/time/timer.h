/* timer.h: what clocks and timers of a simulated program tell each other. */
#ifndef ORRERY_LIBMPI_TIMER_H
#define ORRERY_LIBMPI_TIMER_H

#include "time.h"

extern struct orrery_timer orrery_timer __attribute__((visibility("default")));
/* From real time to the simulation's at this date, and back (on 0). */
void timer_moves(int on, double now);
/* time.c: the simulated date, or -1: the rank is not in MPI. */
double timer_now(void);
/* Whether the signal interrupts a sleep. */
int timer_interrupts(void);
int timer_is_held(void);
/* What is armed goes with the rank. */
void timer_switch(struct orrery_clock_state *from, const struct orrery_clock_state *to);

#endif
