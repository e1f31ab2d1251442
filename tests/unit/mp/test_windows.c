/* test_windows.c: one-sided communication against dates worked by hand: what each call takes, who
 * shares a link with whom, who waits for which lock; and calls that mean nothing. All begins at 1
 * s, when the window is long made. T(n) is a message of n bytes between two hosts alone (FLAT_TIME
 * of sim.h); a request, a grant, an acknowledgement, a release and a notice are T(0). */
#include "steps.h"

#define T(n) FLAT_TIME(n)
/* m messages of n bytes that leave one host, or come to one, together: its link is shared. */
#define TOGETHER(m, n) (20e-6 + (m) * ((n) + 16) / 100e6)
#define MB 1e6

enum { CASE_RANKS = 4, CASE_MOVES = 8 };

enum what {
	END,
	DATA, /* .kind: enum mp_rma */
	RDATA,
	WAIT_FOR,
	SYNC, /* .kind: enum mp_win_sync */
	POSTS,
	STARTS,
	PAUSE /* until a second and .n */
};

struct move {
	enum what what;
	int kind;
	int32_t target; /* groups: a bit per member */
	double n;
	double end; /* the date after it, less one second; LATER: any */
};

#define LATER (-1.0)
#define PUT(to, n, end) \
	{ \
		DATA, MP_PUT, to, n, end \
	}
#define GET(to, n, end) \
	{ \
		DATA, MP_GET, to, n, end \
	}
#define ACCUMULATE(to, n, end) \
	{ \
		DATA, MP_ACCUMULATE, to, n, end \
	}
#define EXCHANGE(to, n, end) \
	{ \
		DATA, MP_GET_ACCUMULATE, to, n, end \
	}
#define RPUT(to, n, end) \
	{ \
		RDATA, MP_PUT, to, n, end \
	}
#define RGET(to, n, end) \
	{ \
		RDATA, MP_GET, to, n, end \
	}
#define REQUEST(end) \
	{ \
		WAIT_FOR, 0, 0, 0, end \
	}
#define LOCK(at, end) \
	{ \
		SYNC, MP_WIN_LOCK, at, 0, end \
	}
#define LOCK_ALONE(at, end) \
	{ \
		SYNC, MP_WIN_LOCK_EXCLUSIVE, at, 0, end \
	}
#define UNLOCK(at, end) \
	{ \
		SYNC, MP_WIN_UNLOCK, at, 0, end \
	}
#define FLUSH(at, end) \
	{ \
		SYNC, MP_WIN_FLUSH, at, 0, end \
	}
#define FLUSH_LOCAL(at, end) \
	{ \
		SYNC, MP_WIN_FLUSH_LOCAL, at, 0, end \
	}
#define FENCE(end) \
	{ \
		SYNC, MP_WIN_FENCE, MP_ANY, 0, end \
	}
#define FINISH(end) \
	{ \
		SYNC, MP_WIN_COMPLETE, MP_ANY, 0, end \
	}
#define WAIT_ALL(end) \
	{ \
		SYNC, MP_WIN_WAIT, MP_ANY, 0, end \
	}
#define FREE(end) \
	{ \
		SYNC, MP_WIN_FREE, MP_ANY, 0, end \
	}
#define POST(group, end) \
	{ \
		POSTS, 0, group, 0, end \
	}
#define BEGIN(group, end) \
	{ \
		STARTS, 0, group, 0, end \
	}
#define UNTIL(t) \
	{ \
		PAUSE, 0, 0, t, t \
	}

struct windows_case {
	uint32_t ranks;
	const char *settings; /* beside PLAIN */
	struct move rank[CASE_RANKS][CASE_MOVES];
};

static int group_move(struct steps *s, uint32_t rank, const struct move *m, struct err *err)
{
	int32_t members[8];
	uint32_t n = 0;

	for (int32_t k = 0; k < 8; k++)
		if (m->target >> k & 1)
			members[n++] = k;
	return mp_win_group(s->mp, rank, s->win[rank], m->what == POSTS, members, n, err);
}

static int move_do(struct steps *s, uint32_t rank, const struct move *m, struct err *err)
{
	struct mp_win win = s->win[rank];

	switch (m->what) {
	case DATA:
	case RDATA:
		return mp_rma(s->mp, rank, win, (enum mp_rma)m->kind, m->target, m->n,
		              m->what == RDATA ? &s->req[rank][0] : NULL, err);
	case WAIT_FOR:
		return mp_wait(s->mp, rank, MP_WAIT, &s->req[rank][0], 1, err);
	case SYNC:
		return mp_win_sync(s->mp, rank, win, (enum mp_win_sync)m->kind, m->target, err);
	case POSTS:
	case STARTS:
		return group_move(s, rank, m, err);
	case PAUSE:
		return mp_sleep(s->mp, rank, 1 + m->n - mp_now(s->mp), err);
	default:
		return STEPS_OVER;
	}
}

enum { BEFORE = 2 }; /* steps: the window is made; it is 1 s */

static int moves_go(struct steps *s, const struct windows_case *c, uint32_t rank, uint32_t step,
                    struct err *err)
{
	if (step == 0)
		return mp_win_make(s->mp, rank, MP_COMM_WORLD, &s->win[rank], err);
	if (step == 1)
		return mp_sleep(s->mp, rank, 1 - mp_now(s->mp), err);
	return step - BEFORE < CASE_MOVES ? move_do(s, rank, &c->rank[rank][step - BEFORE], err)
	                                  : STEPS_OVER;
}

/* --- dates --- */

#define LOCKED (2 * T(0)) /* a request there, a grant back */
#define OVERHEAD 1e-3
#define OVERHEADS " smpi/ois:0:1e-3:0"

/* What a call takes of itself. */
static const struct windows_case calls[] = {
    /* 0: a put is under way when its call returns; it is there after T(n), and that the target has
     * it is known an acknowledgement later. Then the unlock has nothing to wait for */
    {2,
     "",
     {{LOCK(1, LOCKED), PUT(1, MB, LOCKED), FLUSH_LOCAL(1, LOCKED + T(MB)),
       FLUSH(1, LOCKED + T(MB) + T(0)), UNLOCK(1, LOCKED + T(MB) + T(0))}}},
    /* 1: an accumulate is as a put, and the unlock flushes */
    {2, "", {{LOCK(1, LOCKED), ACCUMULATE(1, MB, LOCKED), UNLOCK(1, LOCKED + T(MB) + T(0))}}},
    /* 2: a get: a request of no data there, the data back, and nothing to be acknowledged */
    {2,
     "",
     {{LOCK(1, LOCKED), GET(1, MB, LOCKED), FLUSH(1, LOCKED + T(0) + T(MB)),
       UNLOCK(1, LOCKED + T(0) + T(MB))}}},
    /* 3: get_accumulate: data there, data back */
    {2, "", {{LOCK(1, LOCKED), EXCHANGE(1, MB, LOCKED), UNLOCK(1, LOCKED + 2 * T(MB))}}},
    /* 4: a request is complete when its put has arrived, its get come back */
    {2,
     "",
     {{LOCK(1, LOCKED), RPUT(1, MB, LOCKED), REQUEST(LOCKED + T(MB)), RGET(1, MB, LOCKED + T(MB)),
       REQUEST(LOCKED + T(MB) + T(0) + T(MB))}}},
    /* 5: on oneself, and to nobody, all is there at once */
    {2,
     "",
     {{LOCK_ALONE(0, 0), PUT(0, MB, 0), GET(0, MB, 0), FLUSH(0, 0), PUT(MP_PROC_NULL, MB, 0),
       RGET(MP_PROC_NULL, MB, 0), REQUEST(0), UNLOCK(0, 0)}}},
    /* 6: each operation, a lock's request and its release cost a non-blocking send's overhead. The
     * second put's 16 bytes and envelope are on the way of the first, which is so much later */
    {2,
     OVERHEADS,
     {{LOCK(1, OVERHEAD + LOCKED), PUT(1, MB, 2 * OVERHEAD + LOCKED),
       PUT(1, 16, 3 * OVERHEAD + LOCKED), FLUSH(1, 2 * OVERHEAD + LOCKED + T(MB + 32) + T(0)),
       UNLOCK(1, 3 * OVERHEAD + LOCKED + T(MB + 32) + T(0))}}},
    /* 7: the fence: one's own put must have arrived, then all meet: the linear barrier, to rank 0
     * and from there. Rank 1 is there before rank 0's put is, and its message is eager: it has come
     */
    {2,
     " smpi/async-small-thresh:65536",
     {{FENCE(LATER), UNTIL(1e-3), PUT(1, MB, 1e-3), FENCE(1e-3 + T(MB))},
      {FENCE(LATER), UNTIL(2e-3), FENCE(1e-3 + T(MB) + T(0))}}},
    /* 8: as this is by default, it leaves when rank 0 asks for it */
    {2,
     "",
     {{FENCE(LATER), UNTIL(1e-3), PUT(1, MB, 1e-3), FENCE(1e-3 + T(MB) + T(0))},
      {FENCE(LATER), UNTIL(2e-3), FENCE(1e-3 + T(MB) + 2 * T(0))}}},
    /* 9: it is rank 1 that comes late: it tells rank 0, and waits until that has told it */
    {2,
     "",
     {{FENCE(LATER), UNTIL(1e-3), PUT(1, MB, 1e-3), FENCE(0.1 + T(0))},
      {FENCE(LATER), UNTIL(0.1), FENCE(0.1 + 2 * T(0))}}},
    /* 10: to free it all meet as in a fence */
    {2, "", {{FREE(0.1 + T(0))}, {UNTIL(0.1), FREE(0.1 + 2 * T(0))}}},
};

/* Who shares a link with whom. */
static const struct windows_case links[] = {
    /* 0: two puts to one target share the way there; one acknowledgement is enough */
    {2,
     "",
     {{LOCK(1, LOCKED), PUT(1, MB, LOCKED), PUT(1, MB, LOCKED),
       FLUSH(1, LOCKED + TOGETHER(2, MB) + T(0))}}},
    /* 1: two targets share the origin's link out. A flush of rank 1 does not wait for the 3 MB to
     * rank 2: each has half of the link until the 1 MB is there. All 4 MB are through as two of
     * 2 MB would be */
    {3,
     "",
     {{LOCK(MP_ANY, 0), PUT(1, MB, 0), PUT(2, 3 * MB, 0), FLUSH(1, TOGETHER(2, MB) + T(0)),
       FLUSH(MP_ANY, TOGETHER(2, 2 * MB) + T(0))}}},
    /* 2: two origins share the target's link in; the grants to both its link out */
    {3,
     "",
     {{{END}},
      {LOCK(0, 2 * TOGETHER(2, 0)), PUT(0, MB, LATER),
       FLUSH_LOCAL(0, 2 * TOGETHER(2, 0) + TOGETHER(2, MB))},
      {LOCK(0, 2 * TOGETHER(2, 0)), PUT(0, MB, LATER),
       FLUSH_LOCAL(0, 2 * TOGETHER(2, 0) + TOGETHER(2, MB))}}},
    /* 3: data of a get and of a put with one rank go in opposite directions; it is the get's
     * request that has half of the put's link */
    {2,
     "",
     {{LOCK(1, LOCKED), GET(1, MB, LOCKED), PUT(1, MB, LOCKED),
       FLUSH_LOCAL(1, LOCKED + TOGETHER(2, 0) + T(MB))}}},
};

/* Who waits for which lock. */
static const struct windows_case locks[] = {
    /* 0: one after the other, first come first served: a release there, a grant to the next */
    {4,
     "",
     {{{END}},
      {LOCK_ALONE(0, LOCKED), UNTIL(1e-3), UNLOCK(0, 1e-3)},
      {UNTIL(1e-4), LOCK_ALONE(0, 1e-3 + 2 * T(0)), UNTIL(2e-3), UNLOCK(0, 2e-3)},
      {UNTIL(2e-4), LOCK(0, 2e-3 + 2 * T(0))}}},
    /* 1: those that share are let in together */
    {4,
     "",
     {{{END}},
      {LOCK_ALONE(0, LOCKED), UNTIL(1e-3), UNLOCK(0, 1e-3)},
      {UNTIL(1e-4), LOCK(0, 1e-3 + T(0) + TOGETHER(2, 0))},
      {UNTIL(2e-4), LOCK(0, 1e-3 + T(0) + TOGETHER(2, 0))}}},
    /* 2: and do not wait for each other; who wants to be alone waits for the last of them */
    {4,
     "",
     {{{END}},
      {LOCK(0, LOCKED), UNTIL(1e-3), UNLOCK(0, 1e-3)},
      {UNTIL(1e-4), LOCK(0, 1e-4 + LOCKED), UNTIL(2e-3), UNLOCK(0, 2e-3)},
      {UNTIL(2e-4), LOCK_ALONE(0, 2e-3 + 2 * T(0))}}},
    /* 3: nor does who shares go past one that waits to be alone */
    {4,
     "",
     {{{END}},
      {LOCK(0, LOCKED), UNTIL(1e-3), UNLOCK(0, 1e-3)},
      {UNTIL(1e-4), LOCK_ALONE(0, 1e-3 + 2 * T(0)), UNTIL(2e-3), UNLOCK(0, 2e-3)},
      {UNTIL(2e-4), LOCK(0, 2e-3 + 2 * T(0))}}},
    /* 4: locks of different ranks are different locks */
    {4,
     "",
     {{{END}}, {LOCK_ALONE(0, LOCKED)}, {UNTIL(1e-4), LOCK_ALONE(3, 1e-4 + LOCKED)}, {{END}}}},
    /* 5: the release comes after what was put has been acknowledged; the next one's request is on
     * the put's way */
    {4,
     "",
     {{{END}},
      {LOCK_ALONE(0, LOCKED), PUT(0, MB, LOCKED), UNLOCK(0, LOCKED + T(MB + 16) + T(0))},
      {UNTIL(1e-4), LOCK_ALONE(0, LOCKED + T(MB + 16) + 3 * T(0))}}},
    /* 6: of all ranks: granted by rank 0 when nobody is alone anywhere */
    {4,
     "",
     {{{END}},
      {LOCK_ALONE(2, LOCKED), UNTIL(1e-3), UNLOCK(2, 1e-3)},
      {{END}},
      {UNTIL(1e-4), LOCK(MP_ANY, 1e-3 + 2 * T(0)), UNLOCK(MP_ANY, 1e-3 + 2 * T(0))}}},
};

#define TO_0 1
#define TO_1 2
#define TO_1_2 (2 | 4)

/* post, start, complete, wait. */
static const struct windows_case epochs[] = {
    /* 0: one exposes to two: their notices, their data and their last notices share its link */
    {3,
     "",
     {{POST(TO_1_2, 0), WAIT_ALL(2 * TOGETHER(2, 0) + TOGETHER(2, MB))},
      {BEGIN(TO_0, TOGETHER(2, 0)), PUT(0, MB, TOGETHER(2, 0)),
       FINISH(TOGETHER(2, 0) + TOGETHER(2, MB))},
      {BEGIN(TO_0, TOGETHER(2, 0)), PUT(0, MB, TOGETHER(2, 0)),
       FINISH(TOGETHER(2, 0) + TOGETHER(2, MB))}}},
    /* 1: the start waits for a late post */
    {2,
     "",
     {{UNTIL(1e-3), POST(TO_1, 1e-3), WAIT_ALL(1e-3 + 2 * T(0))},
      {BEGIN(TO_0, 1e-3 + T(0)), FINISH(1e-3 + T(0))}}},
    /* 2: the wait for a late complete, and that for its data */
    {2,
     "",
     {{POST(TO_1, 0), WAIT_ALL(5e-3 + T(MB) + T(0))},
      {BEGIN(TO_0, T(0)), UNTIL(5e-3), PUT(0, MB, 5e-3), FINISH(5e-3 + T(MB))}}},
    /* 3: which a get has when they have come back */
    {2,
     "",
     {{POST(TO_1, 0), WAIT_ALL(3 * T(0) + T(MB))},
      {BEGIN(TO_0, T(0)), GET(0, MB, T(0)), FINISH(2 * T(0) + T(MB))}}},
    /* 4: each to the other: both directions at once */
    {2,
     "",
     {{POST(TO_1, 0), BEGIN(TO_1, T(0)), PUT(1, MB, T(0)), FINISH(T(0) + T(MB)),
       WAIT_ALL(2 * T(0) + T(MB))},
      {POST(TO_0, 0), BEGIN(TO_0, T(0)), PUT(0, MB, T(0)), FINISH(T(0) + T(MB)),
       WAIT_ALL(2 * T(0) + T(MB))}}},
    /* 5: with nobody */
    {2, "", {{POST(0, 0), WAIT_ALL(0), BEGIN(0, 0), FINISH(0)}}},
    /* 6: each notice costs its overhead; those of a post leave together */
    {3,
     OVERHEADS,
     {{POST(TO_1_2, 2 * OVERHEAD), WAIT_ALL(3 * OVERHEAD + 2 * TOGETHER(2, 0))},
      {BEGIN(TO_0, 2 * OVERHEAD + TOGETHER(2, 0)), FINISH(3 * OVERHEAD + TOGETHER(2, 0))},
      {BEGIN(TO_0, 2 * OVERHEAD + TOGETHER(2, 0)), FINISH(3 * OVERHEAD + TOGETHER(2, 0))}}},
};

static const struct {
	const char *name;
	const struct windows_case *of;
	size_t n;
} groups[] = {
    {"calls", calls, sizeof calls / sizeof *calls},
    {"links", links, sizeof links / sizeof *links},
    {"locks", locks, sizeof locks / sizeof *locks},
    {"epochs", epochs, sizeof epochs / sizeof *epochs},
};

enum { GROUP = 100 }; /* steps.which: group * GROUP + case */

static int dates_go(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	return moves_go(s, &groups[s->which / GROUP].of[s->which % GROUP], rank, step, err);
}

static void case_do(int which)
{
	const struct windows_case *c = &groups[which / GROUP].of[which % GROUP];
	char settings[256];
	struct steps s;

	snprintf(settings, sizeof settings, PLAIN "%s", c->settings);
	steps_do(&s, settings, dates_go, which, c->ranks);
	for (uint32_t rank = 0; rank < c->ranks; rank++)
		for (int k = 0; k < CASE_MOVES && c->rank[rank][k].what != END; k++) {
			double end = c->rank[rank][k].end, date = s.date[rank][BEFORE + k] - 1;

			if (end != LATER && !(fabs(date - end) < 1e-9))
				fail_msg("%s %d, rank %u, move %d ends at %.9g s, not %.9g s",
				         groups[which / GROUP].name, which % GROUP, rank, k, date,
				         end);
		}
	steps_tell(&s, "outside of an epoch", 0);
	sim_release(&s.sim);
}

static void each_ends_at_its_date(void **state)
{
	(void)state;
	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
		for (size_t i = 0; i < groups[g].n; i++)
			case_do((int)(g * GROUP + i));
}

/* --- calls that mean nothing: an error with its rank and date; all but the last begin at 1 s ---
 */

#define NOBODY 7 /* of CASE_RANKS: no such rank */
#define TO_NOBODY (1 << NOBODY)
#define AT_1 "rank 0 at 1 s: "

static const struct {
	const char *words;
	struct move move[CASE_MOVES];
} wrongs[] = {
    {AT_1 "MPI_Win_complete without MPI_Win_start", {FINISH(0)}},
    {AT_1 "MPI_Win_complete without MPI_Win_start", {BEGIN(0, 0), FINISH(0), FINISH(0)}},
    {AT_1 "MPI_Win_wait without MPI_Win_post", {WAIT_ALL(0)}},
    {AT_1 "MPI_Win_wait without MPI_Win_post", {POST(0, 0), WAIT_ALL(0), WAIT_ALL(0)}},
    {AT_1 "MPI_Win_post again before MPI_Win_wait", {POST(0, 0), POST(0, 0)}},
    {AT_1 "MPI_Win_start again before MPI_Win_complete", {BEGIN(0, 0), BEGIN(0, 0)}},
    {AT_1 "unlocks rank 1 of a window, which it has not locked", {UNLOCK(1, 0)}},
    {AT_1 "unlocks rank 0 of a window, which it has not locked",
     {LOCK(0, 0), UNLOCK(0, 0), UNLOCK(0, 0)}},
    {AT_1 "unlocks rank 1 of a window, which it has not locked", {LOCK(MP_ANY, 0), UNLOCK(1, 0)}},
    {AT_1 "MPI_Win_unlock_all without MPI_Win_lock_all", {LOCK(0, 0), UNLOCK(MP_ANY, 0)}},
    {AT_1 "locks rank 0 of a window again before it has unlocked it",
     {LOCK(0, 0), LOCK_ALONE(0, 0)}},
    {AT_1 "locks a window of which it holds a lock", {LOCK(MP_ANY, 0), LOCK(1, 0)}},
    {AT_1 "locks a window of which it holds a lock", {LOCK(0, 0), LOCK(MP_ANY, 0)}},
    {AT_1 "rank 7 is not in this window's communicator", {LOCK(NOBODY, 0)}},
    {AT_1 "rank 7 is not in this window's communicator", {FLUSH(NOBODY, 0)}},
    {AT_1 "rank 7 is not in this window's communicator", {PUT(NOBODY, 8, 0)}},
    {AT_1 "rank -1 is not in this window's communicator", {GET(MP_ANY, 8, 0)}},
    {AT_1 "rank 7 is not in this window's communicator", {POST(TO_NOBODY, 0)}},
    {AT_1 "rank 7 is not in this window's communicator", {BEGIN(TO_NOBODY, 0)}},
    {AT_1 "frees a window in the middle of an epoch: MPI_Win_unlock has not been called",
     {LOCK(0, 0), FREE(0)}},
    {AT_1 "frees a window in the middle of an epoch: MPI_Win_unlock_all has not been called",
     {LOCK(MP_ANY, 0), FREE(0)}},
    {AT_1 "frees a window in the middle of an epoch: MPI_Win_complete has not been called",
     {BEGIN(0, 0), FREE(0)}},
    {AT_1 "frees a window in the middle of an epoch: MPI_Win_wait has not been called",
     {POST(0, 0), FREE(0)}},
    {"rank 0 at 2 s: MPI_Win_wait without MPI_Win_post", {UNTIL(1), WAIT_ALL(0)}},
};

static int wrongs_go(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	static const struct windows_case nothing;

	if (step < BEFORE || rank != 0)
		return moves_go(s, &nothing, rank, step, err);
	return move_do(s, rank, &wrongs[s->which].move[step - BEFORE], err);
}

static void wrong_calls_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
		steps_fail(PLAIN, wrongs_go, (int)i, CASE_RANKS, wrongs[i].words);
}

/* A window that was freed, one that was never made, one of a communicator without the rank. */
static int strange_go(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	static const uint32_t all_but_0[] = {1, 2, 3};

	if (s->which == 0)
		return step == 0 ? mp_win_make(s->mp, rank, MP_COMM_WORLD, &s->win[rank], err)
		       : step == 1
		           ? mp_win_sync(s->mp, rank, s->win[rank], MP_WIN_FREE, MP_ANY, err)
		       : rank == 0
		           ? mp_win_sync(s->mp, rank, s->win[rank], MP_WIN_FENCE, MP_ANY, err)
		           : STEPS_OVER;
	if (s->which == 1)
		return mp_rma(s->mp, rank, (struct mp_win){5}, MP_PUT, 1, 8, NULL, err);
	if (rank == 0)
		return step == 0 ? mp_sleep(s->mp, rank, 1, err)
		                 : mp_rma(s->mp, rank, s->win[1], MP_PUT, 1, 8, NULL, err);
	if (step == 0)
		return mp_comm_make(s->mp, rank, 1, all_but_0, 3, &s->comm[rank], err);
	if (step == 1)
		return mp_win_make(s->mp, rank, s->comm[rank], &s->win[rank], err);
	return s->which == 3 && step == 2 && rank == 1
	           ? mp_rma(s->mp, rank, s->win[1], MP_PUT, 0, 8, NULL, err)
	           : STEPS_OVER;
}

static void windows_that_are_not_there(void **state)
{
	(void)state;
	steps_fail(PLAIN, strange_go, 0, 2, ": window 0 was not made by this rank, or is freed");
	steps_fail(PLAIN, strange_go, 1, 2,
	           "rank 0 at 0 s: window 5 was not made by this rank, or is freed");
	steps_fail(PLAIN, strange_go, 2, 4,
	           "rank 0 at 1 s: window 0 was not made by this rank, or is freed");
	steps_fail(PLAIN, strange_go, 3, 4, ": rank 0 is not in this window's communicator");
}

/* Operations outside of an epoch are told, once per rank and window: before any, to a rank that is
 * not in the group of start, to one that is not locked. */
static const struct windows_case outside[] = {
    {2, "", {{PUT(1, 8, 0), PUT(1, 8, 0)}}},
    {3, "", {{BEGIN(TO_1, LATER), GET(2, 8, LATER), FINISH(LATER)}, {POST(TO_0, 0)}}},
    {3, "", {{LOCK(1, LATER), ACCUMULATE(2, 8, LATER), UNLOCK(1, LATER)}}},
};

static int outside_go(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	return moves_go(s, &outside[s->which], rank, step, err);
}

static void outside_of_epochs(void **state)
{
	static const char *const words[] = {
	    "MPI_Put to rank 1 outside of an epoch, by rank 0",
	    "MPI_Get to rank 2 outside of an epoch, by rank 0",
	    "MPI_Accumulate to rank 2 outside of an epoch, by rank 0"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct steps s;

		steps_do(&s, PLAIN, outside_go, i, outside[i].ranks);
		steps_tell(&s, words[i], 1);
		sim_release(&s.sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_ends_at_its_date),
	    cmocka_unit_test(wrong_calls_are_told),
	    cmocka_unit_test(windows_that_are_not_there),
	    cmocka_unit_test(outside_of_epochs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
