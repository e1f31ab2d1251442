/* steps.h: a program as a function of rank and step, for operations that sim.h has no actions for;
 * the dates at which its steps ended are what tests look at. On FLAT, with PLAIN. */
#ifndef ORRERY_TESTS_UNIT_MP_STEPS_H
#define ORRERY_TESTS_UNIT_MP_STEPS_H

#include "unit/mp/sim.h"

enum { STEPS_RANKS = 4, STEPS_MOST = 24, STEPS_OVER = -2 };

struct steps;
/* Issues a rank's operation: its status, or STEPS_OVER. */
typedef int step_fn(struct steps *s, uint32_t rank, uint32_t step, struct err *err);

struct steps {
	struct sim sim;
	struct mp *mp;
	step_fn *next;
	int which; /* of the programs that one function is */
	uint32_t at[STEPS_RANKS];
	int blocked[STEPS_RANKS];
	double date[STEPS_RANKS][STEPS_MOST];
	struct mp_result got[STEPS_RANKS][STEPS_MOST]; /* without indices */
	struct mp_request req[STEPS_RANKS][2];
	struct mp_comm comm[STEPS_RANKS];
	struct mp_win win[STEPS_RANKS];
	struct mp_file file[STEPS_RANKS], other[STEPS_RANKS];
};

static inline void step_ends(struct steps *s, uint32_t rank)
{
	assert_true(s->at[rank] < STEPS_MOST);
	s->date[rank][s->at[rank]] = mp_now(s->mp);
	s->got[rank][s->at[rank]] = *mp_result(s->mp, rank);
	s->got[rank][s->at[rank]++].indices = NULL;
}

static inline int steps_resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct steps *s = self;
	int status;

	(void)mp;
	if (s->blocked[rank])
		step_ends(s, rank);
	for (s->blocked[rank] = 0;;) {
		status = s->next(s, rank, s->at[rank], err);
		if (status == MP_BLOCKED)
			s->blocked[rank] = 1;
		if (status != MP_DONE)
			return status == MP_BLOCKED ? 0 : status == STEPS_OVER ? 1 : -1;
		step_ends(s, rank);
	}
}

/* mp_run's result. */
static inline int steps_run(struct steps *s, const char *settings, step_fn *next, int which,
                            uint32_t ranks)
{
	struct mp_program program = {.self = s, .resume = steps_resume};

	memset(s, 0, sizeof *s);
	sim_init(&s->sim, FLAT, settings, NULL, ranks);
	s->mp = s->sim.mp;
	s->next = next;
	s->which = which;
	return s->sim.result = mp_run(s->mp, &program, NULL, &s->sim.err);
}

/* The run must end well. */
static inline void steps_do(struct steps *s, const char *settings, step_fn *next, int which,
                            uint32_t ranks)
{
	if (steps_run(s, settings, next, which, ranks) < 0)
		fail_msg("program %d: %s", which, s->sim.err.text);
}

/* The run must end with these words. */
static inline void steps_fail(const char *settings, step_fn *next, int which, uint32_t ranks,
                              const char *words)
{
	struct steps s;

	if (steps_run(&s, settings, next, which, ranks) >= 0)
		fail_msg("program %d ends well, not with: %s", which, words);
	assert_int_equal(s.sim.err.kind, ERR_PROGRAM);
	if (!strstr(s.sim.err.text, words))
		fail_msg("program %d: \"%s\" is not in: %s", which, words, s.sim.err.text);
	sim_release(&s.sim);
}

/* What the report says contains these words so often. */
static inline void steps_tell(struct steps *s, const char *words, int times)
{
	struct str out;
	const char *at;

	str_init(&out);
	mp_report(s->mp, &out);
	for (at = out.n ? strstr(out.s, words) : NULL; at; at = strstr(at + 1, words))
		times--;
	if (times != 0)
		fail_msg("\"%s\" is not as often as it should in: %s", words, out.n ? out.s : "");
	str_release(&out);
}

#endif
