/* prop_probes.c: probes beside the standard's words (MPI 4.0, 3.8) as a list: Iprobe and Probe tell
 * the first message sent of those that fit and that nobody has received; so does Mprobe, which
 * takes it out, so that no other receive or probe gets it, and Mrecv or Imrecv of its handle does;
 * a receive posted before takes what fits it first. Each event is a second after the one before, so
 * that the order in which messages come is known; they are told apart by their sizes. */
#include "unit/mp/sim.h"

#include "property/prop.h"

enum { SENDERS = 3, EVENTS_MOST = 40, TAGS = 2, HANDLES = 3, POSTED = 4 };
enum what { NOTHING, SEND_, IPROBE_, PROBE_, MPROBE_, MRECV_, IMRECV_, RECV_, IRECV_, WAIT_ };

struct event { /* in its second */
	enum what what;
	int rank, source, tag, slot;
	int message; /* that must be found or received; -1: none */
};
struct letter { /* a message */
	int source, tag, taken;
};
struct story {
	struct event event[EVENTS_MOST];
	struct letter letter[EVENTS_MOST]; /* by event */
	int n;
	/* of the run */
	int at[SENDERS + 1], asleep[SENDERS + 1], blocked[SENDERS + 1];
	struct mp_request handle[HANDLES], posted[POSTED];
	uint64_t seed;
};

static double size_of(int message)
{
	return 50 + message;
}
static int fits(const struct letter *l, int source, int tag)
{
	return (source == ANY || source == l->source) && (tag == ANY || tag == l->tag);
}
/* The first sent that nobody has. */
static int first_fitting(const struct story *s, int source, int tag)
{
	for (int i = 0; i < s->n; i++)
		if (s->event[i].what == SEND_ && !s->letter[i].taken &&
		    fits(&s->letter[i], source, tag))
			return i;
	return -1;
}

/* --- drawing, with the model beside --- */

struct open_ones {
	int handle[HANDLES];                                          /* the message, -1: none */
	int posted[POSTED], source[POSTED], tag[POSTED], got[POSTED]; /* posted: when, -1: not */
};

static void pattern_draw(struct event *e, struct rng *r)
{
	e->source = prop_once_in(r, 2) ? ANY : 1 + (int)rng_below(r, SENDERS);
	e->tag = prop_once_in(r, 2) ? ANY : (int)rng_below(r, TAGS);
}
/* A message goes to the first receive posted that fits it. */
static void send_draw(struct story *s, struct open_ones *o, struct event *e, struct rng *r)
{
	int first = -1;

	e->rank = e->source = 1 + (int)rng_below(r, SENDERS);
	e->tag = (int)rng_below(r, TAGS);
	e->message = s->n;
	s->letter[s->n] = (struct letter){e->source, e->tag, 0};
	for (int k = 0; k < POSTED; k++)
		if (o->posted[k] >= 0 && o->got[k] < 0 &&
		    fits(&s->letter[s->n], o->source[k], o->tag[k]) &&
		    (first < 0 || o->posted[k] < o->posted[first]))
			first = k;
	if (first >= 0) {
		o->got[first] = s->n;
		s->letter[s->n].taken = 1;
	}
}
static void irecv_draw(struct story *s, struct open_ones *o, struct event *e, int k)
{
	int found = first_fitting(s, e->source, e->tag);

	e->slot = k;
	o->posted[k] = s->n;
	o->source[k] = e->source;
	o->tag[k] = e->tag;
	o->got[k] = found;
	if (found >= 0)
		s->letter[found].taken = 1;
}
/* What blocks is drawn only where it does not. */
static void event_draw(struct story *s, struct open_ones *o, struct rng *r)
{
	struct event *e = &s->event[s->n];
	int k = (int)rng_below(r, HANDLES), found;

	*e = (struct event){.what = (enum what)(1 + rng_below(r, 9)), .message = -1};
	pattern_draw(e, r);
	found = first_fitting(s, e->source, e->tag);
	if (e->what == SEND_ || (found < 0 && (e->what == PROBE_ || e->what == RECV_)) ||
	    (e->what == MPROBE_ && (found < 0 || o->handle[k] >= 0)) ||
	    ((e->what == MRECV_ || e->what == IMRECV_) && o->handle[k] < 0)) {
		e->what = SEND_;
		send_draw(s, o, e, r);
	} else if (e->what == IRECV_ || e->what == WAIT_) {
		int p = (int)rng_below(r, POSTED);

		if (o->posted[p] < 0) {
			e->what = IRECV_;
			irecv_draw(s, o, e, p);
		} else if (o->got[p] >= 0) {
			e->what = WAIT_;
			e->slot = p;
			e->message = o->got[p];
			o->posted[p] = -1;
		} else {
			e->what = NOTHING;
		}
	} else if (e->what == MRECV_ || e->what == IMRECV_) {
		e->slot = k;
		e->message = o->handle[k];
		o->handle[k] = -1;
	} else {
		e->message = found;
		e->slot = k;
		if (e->what == MPROBE_)
			o->handle[k] = found;
		if (e->what == MPROBE_ || e->what == RECV_)
			s->letter[found].taken = 1;
	}
	s->n++;
}
static void story_draw(struct story *s, struct rng *r)
{
	struct open_ones o = {.handle = {-1, -1, -1}, .posted = {-1, -1, -1, -1}};

	memset(s, 0, sizeof *s);
	while (s->n < EVENTS_MOST)
		event_draw(s, &o, r);
}

/* --- running: each rank does its own events, and sleeps through all seconds --- */

static int act(struct mp *mp, struct story *s, uint32_t rank, const struct event *e,
               struct err *err)
{
	struct mp_message m = {.peer = e->source, .tag = e->tag, .bytes = 1e6};
	struct mp_message out = {.peer = 0, .tag = e->tag, .bytes = size_of(e->message)};

	switch (e->what) {
	case SEND_:
		return mp_send(mp, rank, &out, MP_STANDARD, err);
	case IPROBE_:
		return mp_iprobe(mp, rank, &m, err);
	case PROBE_:
		return mp_probe(mp, rank, &m, err);
	case MPROBE_:
		return mp_mprobe(mp, rank, &m, err);
	case MRECV_:
		return mp_mrecv(mp, rank, s->handle[e->slot], 1e6, err);
	case IMRECV_: { /* waited for at once: what it gets is the point */
		struct mp_request q;

		if (mp_imrecv(mp, rank, s->handle[e->slot], 1e6, &q, err) == MP_ERROR)
			return MP_ERROR;
		return mp_wait(mp, rank, MP_WAIT, &q, 1, err);
	}
	case RECV_:
		return mp_recv(mp, rank, &m, err);
	case IRECV_:
		return mp_irecv(mp, rank, &m, &s->posted[e->slot], err);
	case WAIT_:
		return mp_wait(mp, rank, MP_WAIT, &s->posted[e->slot], 1, err);
	default:
		return MP_DONE;
	}
}
static void check(const struct story *s, struct mp *mp, int at)
{
	const struct event *e = &s->event[at];
	const struct mp_result *got = mp_result(mp, 0);
	const struct letter *l = e->message >= 0 ? &s->letter[e->message] : NULL;

	if (e->what == IPROBE_)
		assert_int_equal(got->flag, l != NULL);
	if (l && e->what != SEND_ &&
	    (got->bytes != size_of(e->message) || got->source != l->source || got->tag != l->tag))
		fail_msg("seed %llu: event %d, sort %d: %g bytes of rank %d, tag %d, not those of "
		         "event %d (%g of %d, tag %d)",
		         (unsigned long long)s->seed, at, (int)e->what, got->bytes, got->source,
		         got->tag, e->message, size_of(e->message), l->source, l->tag);
}
static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct story *s = self;

	for (; s->at[rank] < s->n; s->at[rank]++) {
		int at = s->at[rank], status;
		const struct event *e = &s->event[at];

		if (!s->asleep[rank] && e->rank == (int)rank) {
			status = s->blocked[rank] ? MP_DONE : act(mp, s, rank, e, err);
			s->blocked[rank] = status == MP_BLOCKED;
			if (status == MP_ERROR)
				return -1;
			if (s->blocked[rank])
				return 0;
			if (e->what == MPROBE_)
				s->handle[e->slot] = mp_result(mp, rank)->message;
			if (rank == 0)
				check(s, mp, at);
		}
		s->asleep[rank] = !s->asleep[rank];
		if (s->asleep[rank]) { /* to the next whole second */
			if (mp_sleep(mp, rank, at + 1 - mp_now(mp), err) == MP_ERROR)
				return -1;
			return 0;
		}
	}
	return 1;
}
static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	snprintf(buf, n, "event %d", ((struct story *)self)->at[rank]);
	return buf;
}

static void probes_tell_the_first_that_nobody_has(void **state)
{
	static const char *const settings[] = {PLAIN, PLAIN " smpi/async-small-thresh:65536",
	                                       PLAIN " smpi/iprobe:0"};
	static const struct act nothing[] = {{0}};
	static const struct act *const lists[] = {nothing, nothing, nothing, nothing};
	struct prop_run run = prop_begin(150);
	static struct story story;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct mp_program program = {.self = &story, .resume = resume, .place = place};
		struct sim s;
		struct rng r;

		rng_init(&r, run.seed + i, "probes", 0);
		story_draw(&story, &r);
		story.seed = run.seed + i;
		sim_init(&s, FLAT, settings[i % 3], lists, SENDERS + 1);
		if (mp_run(s.mp, &program, NULL, &s.err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)story.seed, s.err.text);
		sim_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(probes_tell_the_first_that_nobody_has)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
