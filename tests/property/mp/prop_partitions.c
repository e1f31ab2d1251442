/* prop_partitions.c: partitioned requests (MPI 4.0, chapter 4) beside dates worked by hand, on
 * random programs of a sender and a receiver that cut the same bytes differently and start several
 * times: a partition leaves when its sender has said that it is ready and has paid for sending it,
 * and its receiver has started; those that leave at once share the way, k of b bytes taking 20e-6 +
 * k (b + 16) / 100e6; Parrived returns when what makes up its partition is there; a start is over
 * when all are. */
#include "unit/mp/sim.h"

#include "property/prop.h"

enum { PARTS_MOST = 12, STARTS = 3, STEPS_MOST = 80 };
enum what { INIT_, BEGIN, SLEEP_, READY, ARRIVED, WAIT_ };

struct step {
	enum what what;
	double seconds;
	int64_t parts[PARTS_MOST];
	uint32_t n;
	uint32_t start; /* which */
};
struct side {
	struct step step[STEPS_MOST];
	double date[STEPS_MOST]; /* at which it returned */
	int n, at, blocked;
	uint32_t parts;
	double bytes; /* of a partition */
	struct mp_request req;
};
struct channel {
	struct side side[2]; /* the sender, the receiver */
	double cost;         /* of sending one */
	double paid[STARTS][PARTS_MOST], there[STARTS][PARTS_MOST], begun[STARTS][2];
};

/* --- drawing --- */

static struct step *add(struct side *s, enum what what, uint32_t start)
{
	assert_true(s->n < STEPS_MOST);
	s->step[s->n] = (struct step){.what = what, .start = start};
	return &s->step[s->n++];
}
/* Some milliseconds, and a part of one of its own: no two events are close. */
static void sleep_add(struct side *s, uint32_t start, struct rng *r)
{
	add(s, SLEEP_, start)->seconds = 1e-2 * prop_from(r, 1, 5) + 1e-4 * prop_from(r, 0, 9);
}
/* All partitions, in any order, some at a time. */
static void sender_draw(struct side *s, uint32_t start, struct rng *r)
{
	int64_t order[PARTS_MOST];
	uint32_t done = 0;

	for (uint32_t i = 0; i < s->parts; i++) {
		uint32_t k = (uint32_t)rng_below(r, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	add(s, BEGIN, start);
	while (done < s->parts) {
		struct step *ready;

		if (prop_once_in(r, 2))
			sleep_add(s, start, r);
		ready = add(s, READY, start);
		ready->n = prop_from(r, 1, s->parts - done);
		memcpy(ready->parts, &order[done], ready->n * sizeof *order);
		done += ready->n;
		sleep_add(s, start, r);
	}
	add(s, WAIT_, start);
}
static void receiver_draw(struct side *s, uint32_t start, struct rng *r)
{
	if (prop_once_in(r, 2))
		sleep_add(s, start, r);
	add(s, BEGIN, start);
	for (int n = (int)prop_from(r, 0, 4); n > 0; n--) {
		if (prop_once_in(r, 2))
			sleep_add(s, start, r);
		add(s, ARRIVED, start)->parts[0] = prop_from(r, 0, s->parts - 1);
	}
	add(s, WAIT_, start);
	if (prop_once_in(r, 2)) /* all are there when it is inactive */
		add(s, ARRIVED, start)->parts[0] = prop_from(r, 0, s->parts - 1);
}
static void channel_draw(struct channel *c, struct rng *r)
{
	uint32_t per = prop_from(r, 1, 4), coarse = prop_from(r, 1, 3), fine = per * coarse;
	int sender_fine = (int)rng_below(r, 2);
	double bytes = prop_from(r, 1, 300);

	memset(c, 0, sizeof *c);
	c->cost = prop_once_in(r, 2) ? 0 : 2.3e-3;
	for (int i = 0; i < 2; i++) {
		struct side *s = &c->side[i];
		int is_fine = sender_fine == (i == 0);

		s->parts = is_fine ? fine : coarse;
		s->bytes = is_fine ? bytes : bytes * per;
		add(s, INIT_, 0);
	}
	for (uint32_t k = 0; k < STARTS; k++) {
		sender_draw(&c->side[0], k, r);
		receiver_draw(&c->side[1], k, r);
	}
}

/* --- running --- */

static int do_step(struct mp *mp, struct side *s, uint32_t rank, const struct step *a,
                   struct err *err)
{
	struct mp_message m = {.peer = (int32_t)(1 - rank), .tag = 3, .bytes = s->bytes};

	switch (a->what) {
	case INIT_:
		return mp_part_init(mp, rank, rank == 0, &m, s->parts, &s->req, err);
	case BEGIN:
		return mp_start(mp, rank, &s->req, 1, err);
	case SLEEP_:
		return mp_sleep(mp, rank, a->seconds, err);
	case READY:
		return mp_pready(mp, rank, s->req, a->parts, a->n, err);
	case ARRIVED:
		return mp_parrived(mp, rank, s->req, (uint32_t)a->parts[0], err);
	default:
		return mp_wait(mp, rank, MP_WAIT, &s->req, 1, err);
	}
}
static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct side *s = &((struct channel *)self)->side[rank];

	for (; s->at < s->n; s->date[s->at++] = mp_now(mp)) {
		int status = s->blocked ? MP_DONE : do_step(mp, s, rank, &s->step[s->at], err);

		s->blocked = status == MP_BLOCKED;
		if (status == MP_ERROR)
			return -1;
		if (s->blocked)
			return 0;
	}
	return mp_request_free(mp, rank, s->req, err) == MP_ERROR ? -1 : 1;
}
static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	snprintf(buf, n, "step %d", ((struct channel *)self)->side[rank].at);
	return buf;
}

/* --- the model --- */

static void arrivals(struct channel *c, uint32_t k)
{
	const struct side *s = &c->side[0];
	double leaves[PARTS_MOST];

	for (uint32_t i = 0; i < s->parts; i++)
		leaves[i] = fmax(c->paid[k][i], c->begun[k][1]);
	for (uint32_t i = 0; i < s->parts; i++) {
		uint32_t together = 0;

		for (uint32_t j = 0; j < s->parts; j++)
			together += fabs(leaves[j] - leaves[i]) < 1e-9;
		c->there[k][i] = leaves[i] + 20e-6 + together * (s->bytes + 16) / 100e6;
	}
}
static double all_there(const struct channel *c, uint32_t k)
{
	double last = 0;

	for (uint32_t i = 0; i < c->side[0].parts; i++)
		last = fmax(last, c->there[k][i]);
	return last;
}
/* What makes up the receiver's partition. */
static double part_there(const struct channel *c, uint32_t k, int64_t part)
{
	const struct side *s = &c->side[0], *r = &c->side[1];
	double last = 0;

	for (uint32_t i = 0; i < s->parts; i++)
		if (i * s->bytes < (double)(part + 1) * r->bytes - 1e-6 &&
		    (i + 1) * s->bytes > (double)part * r->bytes + 1e-6)
			last = fmax(last, c->there[k][i]);
	return last;
}
static double expected(struct channel *c, int rank, const struct step *a, double now)
{
	switch (a->what) {
	case BEGIN:
		c->begun[a->start][rank] = now;
		return now;
	case SLEEP_:
		return now + a->seconds;
	case READY:
		now += a->n * c->cost;
		for (uint32_t i = 0; i < a->n; i++)
			c->paid[a->start][a->parts[i]] = now;
		return now;
	case ARRIVED:
		return fmax(now, part_there(c, a->start, a->parts[0]));
	case WAIT_:
		return fmax(now, all_there(c, a->start));
	default:
		return now;
	}
}
/* Of one start: first what leaves, then who waits for it. */
static void walk(struct channel *c, uint64_t seed)
{
	double now[2] = {0, 0};
	int at[2] = {0, 0};

	for (uint32_t k = 0; k < STARTS; k++) {
		for (int i = 0; i < 2; i++)
			for (int j = at[i]; j < c->side[i].n && c->side[i].step[j].start == k; j++)
				if (c->side[i].step[j].what ==
				    BEGIN) /* seen, so that both are known */
					c->begun[k][i] = c->side[i].date[j];
		for (int i = 0; i < 2; i++) {
			struct side *s = &c->side[i];

			for (; at[i] < s->n && s->step[at[i]].start == k; at[i]++) {
				const struct step *a = &s->step[at[i]];

				if (a->what == WAIT_ && i == 0)
					arrivals(c, k);
				now[i] = expected(c, i, a, now[i]);
				if (fabs(s->date[at[i]] - now[i]) > 1e-9)
					fail_msg("seed %llu: rank %d, step %d, sort %d: %.12g, not "
					         "%.12g",
					         (unsigned long long)seed, i, at[i], (int)a->what,
					         s->date[at[i]], now[i]);
			}
		}
	}
}

static void partitions_arrive_when_they_should(void **state)
{
	static const struct act nothing[] = {{0}};
	static const struct act *const lists[] = {nothing, nothing};
	struct prop_run run = prop_begin(150);
	static struct channel c;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct mp_program program = {.self = &c, .resume = resume, .place = place};
		struct sim s;
		struct rng r;

		rng_init(&r, run.seed + i, "partitions", 0);
		channel_draw(&c, &r);
		sim_init(&s, FLAT, c.cost > 0 ? PLAIN " smpi/ois:0:0.0023:0" : PLAIN, lists, 2);
		if (mp_run(s.mp, &program, NULL, &s.err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)(run.seed + i), s.err.text);
		walk(&c, run.seed + i);
		sim_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(partitions_arrive_when_they_should)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
