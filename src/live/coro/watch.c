/* watch.c: see watch.h. */
#include "watch.h"

#include <stddef.h>
#include <unistd.h>

/* Not the last one, which stops threads of ranks (own_thread.c). */
static int number(void)
{
	return SIGRTMAX - 1;
}

/* It is somebody's turn. */
static void turn_note(struct watch *w, uint64_t steps)
{
	w->looked = 0;
	w->turn_looks = w->turn_looks && steps == w->last ? w->turn_looks + 1 : 1;
	w->last = steps;
	if (w->turn_looks > 1 && w->kept)
		w->kept(w->self, (w->turn_looks - 1) * w->period);
}

static void look(int signal_number, siginfo_t *info, void *context)
{
	struct watch *w = info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;
	uint64_t steps;

	(void)signal_number, (void)context;
	if (!w)
		return;
	steps = w->steps(w->self);
	if (w->busy(w->self)) {
		turn_note(w, steps);
		return;
	}
	w->turn_looks = 0;
	if (w->looked == 0 || steps != w->last) {
		w->last = steps;
		w->looked = 1;
	} else if (++w->looked > w->looks) {
		w->looked = 0;
		w->stalled(w->self, w->looks * w->period);
	}
}

static struct timespec span(double seconds)
{
	return (struct timespec){.tv_sec = (time_t)seconds,
	                         .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
}

void watch_begin(struct watch *w)
{
	/* calls of the system go on, and a stack that is full does not matter */
	struct sigaction act = {.sa_sigaction = look,
	                        .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	struct sigevent event = {
	    .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number(), .sigev_value.sival_ptr = w};
	struct itimerspec every = {span(w->period), span(w->period)};

	w->looked = w->turn_looks = 0;
	event._sigev_un._tid = gettid();
	w->has_timer = sigaction(number(), &act, NULL) == 0 &&
	               timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &w->timer) == 0;
	if (w->has_timer)
		timer_settime(w->timer, 0, &every, NULL);
}

void watch_end(struct watch *w)
{
	if (!w->has_timer)
		return;
	w->has_timer = 0;
	timer_delete(w->timer);
	signal(number(), SIG_IGN); /* one may be on its way */
}
