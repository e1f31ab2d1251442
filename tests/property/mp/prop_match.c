/* prop_match.c: which receive gets which message, against the standard's words (MPI 4.0, 3.5) as a
 * list: random sends of three ranks and receives of a fourth, of any source, of any tag, exact,
 * some taken back, each a second after the other, so that the order in which they come is known. A
 * message goes to the first receive posted that fits it; a receive takes the first message come
 * that fits it. Messages are told apart by their sizes. */
#include "../prop.h"

#include "unit/mp/sim.h"

#include "base/rng.h"

enum { SENDERS = 3, EVENTS = 15, TAGS = 3, CASES = 250 };

struct post { /* of a receive or a message, by its number */
	int source, tag;
	int with; /* the other's number, -1: nobody yet */
	int is_receive, request, gone;
};
struct list {
	struct post at[EVENTS];
	int n;
};

static int fits(const struct post *receive, const struct post *message)
{
	return (receive->source == ANY || receive->source == message->source) &&
	       (receive->tag == ANY || receive->tag == message->tag);
}

/* The first that waits for it. */
static void meet(struct list *l, int new)
{
	struct post *x = &l->at[new];

	for (int i = 0; i < new && x->with < 0; i++) {
		struct post *y = &l->at[i];

		if (y->with < 0 && !y->gone && y->is_receive != x->is_receive &&
		    (x->is_receive ? fits(x, y) : fits(y, x))) {
			y->with = new;
			x->with = i;
		}
	}
}

static double size_of(int number)
{
	return 100 + number;
}

struct programs {
	struct act act[SENDERS + 1][SIM_ACTS];
	int n[SENDERS + 1];
	const struct act *list[SENDERS + 1];
};

static void act_add(struct programs *p, int rank, struct act a)
{
	p->act[rank][p->n[rank]++] = a;
}

static void receive_add(struct programs *p, struct list *l, struct rng *r)
{
	struct post x = {rng_below(r, 3) ? 1 + (int)rng_below(r, SENDERS) : ANY,
	                 rng_below(r, 3) ? (int)rng_below(r, TAGS) : ANY,
	                 -1,
	                 1,
	                 0,
	                 0};

	x.request = l->n;
	act_add(p, 0, (struct act)IRECV(x.source, x.tag, 1e6, x.request));
	l->at[l->n] = x;
	meet(l, l->n++);
}

static void message_add(struct programs *p, struct list *l, int source, int tag)
{
	l->at[l->n] = (struct post){source, tag, -1, 0, 0, 0};
	act_add(p, source, (struct act)SEND(0, tag, size_of(l->n)));
	meet(l, l->n++);
}

/* A receive that nothing has come for is taken back. */
static void receive_cancel(struct programs *p, struct list *l, int i)
{
	if (!l->at[i].is_receive || l->at[i].with >= 0 || l->at[i].gone)
		return;
	act_add(p, 0, (struct act)CANCEL(l->at[i].request));
	l->at[i].gone = 1;
}

/* Each event is a second after the one before: one rank does something, all sleep. */
static void second(struct programs *p)
{
	for (int rank = 0; rank <= SENDERS; rank++)
		act_add(p, rank, (struct act)SLEEP(1));
}

static void events_draw(struct programs *p, struct list *l, struct rng *r)
{
	while (l->n < EVENTS) {
		uint64_t what = rng_below(r, 9);

		if (what < 4)
			receive_add(p, l, r);
		else if (what < 8)
			message_add(p, l, 1 + (int)rng_below(r, SENDERS), (int)rng_below(r, TAGS));
		else if (l->n > 0) {
			receive_cancel(p, l, (int)rng_below(r, (uint64_t)l->n));
			continue; /* in the same second as the next */
		}
		second(p);
	}
}

/* At the end: receives without a message are taken back, messages without a receive are received
 * by their own source and tag, the first sent first. Where each wait stands is kept in `at`. */
static void end_draw(struct programs *p, struct list *l, int at[EVENTS])
{
	for (int i = 0; i < l->n; i++) {
		receive_cancel(p, l, i);
		at[i] = -1;
		if (l->at[i].is_receive) {
			at[i] = p->n[0];
			act_add(p, 0, (struct act)WAIT(l->at[i].request));
		}
	}
	for (int i = 0; i < l->n; i++)
		if (!l->at[i].is_receive && l->at[i].with < 0) {
			at[i] = p->n[0];
			act_add(p, 0, (struct act)RECV(l->at[i].source, l->at[i].tag, 1e6));
		}
	for (int rank = 0; rank <= SENDERS; rank++)
		p->list[rank] = p->act[rank];
}

static void met_as_the_list_says(const struct sim *s, const struct list *l, const int at[EVENTS],
                                 uint64_t seed)
{
	for (int i = 0; i < l->n; i++) {
		const struct post *x = &l->at[i];
		int message = x->is_receive ? x->with : i;
		const struct seen *seen;

		if (at[i] < 0 || x->gone)
			continue;
		seen = &s->rank[0].seen[at[i]];
		if (seen->bytes != size_of(message) || seen->source != l->at[message].source ||
		    seen->tag != l->at[message].tag)
			fail_msg("seed %d: event %d got %g bytes of %d, tag %d, not message %d",
			         (int)seed, i, seen->bytes, seen->source, seen->tag, message);
	}
}

static void messages_meet_as_the_standard_says(void **state)
{
	static const char *const settings[] = {PLAIN, PLAIN " smpi/async-small-thresh:65536"};
	static struct programs p;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(CASES); seed++) {
		struct list l = {.n = 0};
		int at[EVENTS];
		struct sim s;
		struct rng r;

		memset(&p, 0, sizeof p);
		rng_init(&r, seed, "match", 0);
		events_draw(&p, &l, &r);
		end_draw(&p, &l, at);
		sim_do(&s, FLAT, settings[seed % 2], p.list, SENDERS + 1);
		met_as_the_list_says(&s, &l, at, seed);
		sim_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages_meet_as_the_standard_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
