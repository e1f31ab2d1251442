/* order.c: the order in which receives from MPI_ANY_SOURCE get their messages.
 *
 * A trace says from whom each of them got one (and, TRACE_WILD_SOURCE, that it would have taken
 * another). On another machine others come first, and a program that answers whoever came, as the
 * master of a farm does, would wait in the replay for one while another is there. So such a receive
 * begins a *segment*: with it goes all that follows and concerns its sender only (computations,
 * blocking messages to and from it), up to the next receive of the same form. Segments that follow
 * each other in the trace may run in another order: the one whose message comes first runs first.
 * What concerns anybody else (a message, a collective, a request, a new communicator) ends the row
 * of segments, and comes after all of them.
 *
 * Invariants
 *  1. The segments of one sender keep their order: each pair of ranks says to each other what it
 *     said in the traced run, in that order. The receives that change places are alike
 *     (communicator, tag or MPI_ANY_TAG): the program could have got its messages in this order.
 *  2. A segment begins when its message is there, or in its turn. As long as it then needs nothing
 *     that waits for an earlier one (a long send to a rank which first wants a message of a third
 *     one that the earlier segment is to answer), the row ends as it did in the traced run: what
 *     was next there can always be done, earlier or now. Else the simulation may end in a deadlock;
 *     the caller then repeats it in the recorded order.
 *  3. Events are read ahead only when the rank is to choose, at most `segments_most` segments, and
 *     their steps are copied. The last segment that was read is whole only when the row is closed:
 *     until then it is not chosen.
 *
 *   in the trace --a receive that may move--> choosing <--> in a segment
 *        ^                                       |
 *        +----------- no segment left -----------+ */
#include "replay_int.h"

#include <math.h>

/* Steps that a segment may have, that all rows together may have before they are read no further;
 * segments of a row that is read whatever the number of ranks. */
enum { SEGMENT_STEPS = 64, STEPS_MOST = 1 << 20, SEGMENTS_LEAST = 64 };

/* An event, without what those of segments do not have. */
struct step {
	double volume, duration;
	int64_t count, type_size, region, place;
	uint64_t comm;
	int32_t peer, tag, type;
	uint32_t number; /* of the event in its rank */
	uint32_t next;   /* in its segment */
	uint16_t flags;
	uint8_t op;
};

struct segment {
	uint32_t first, last, steps;
	int32_t peer;
	uint32_t next, prev; /* in its row */
	uint32_t same;       /* the next of its peer in the row */
	uint32_t last_same;  /* of the first of its peer: the last of them */
};

/* The row of segments that a rank is at. */
struct ahead {
	uint32_t first, last, n; /* segments not begun */
	uint32_t at;             /* next step of the one that has begun, or ENTRY_NONE */
	uint32_t read;           /* number of the last event read */
	uint8_t closed;          /* by `end`, which is the end of the trace if `over` */
	uint8_t over;
	struct trace_event
	    end; /* its arrays hold: nothing more of the rank is read until it has run */
};

void ahead_init(struct replay *r)
{
	slots_init(&r->ahead, sizeof(struct ahead), offsetof(struct ahead, first),
	           "ranks that read ahead");
	slots_init(&r->segment, sizeof(struct segment), offsetof(struct segment, next),
	           "receives read ahead");
	slots_init(&r->step, sizeof(struct step), offsetof(struct step, next), "events read ahead");
}

void ahead_release(struct replay *r)
{
	slots_release(&r->ahead);
	slots_release(&r->segment);
	slots_release(&r->step);
}

static struct step *step_at(const struct replay *r, uint32_t i)
{
	return slots_at(&r->step, i, sizeof(struct step));
}

static struct segment *segment_at(const struct replay *r, uint32_t i)
{
	return slots_at(&r->segment, i, sizeof(struct segment));
}

static struct ahead *ahead_at(const struct replay *r, uint32_t i)
{
	return slots_at(&r->ahead, i, sizeof(struct ahead));
}

/* Not in line: the hash of a rank would be reckoned for each rank that goes on, and is rarely
 * wanted. */
static __attribute__((noinline)) struct ahead *ahead_of(const struct replay *r, uint32_t rank)
{
	uint32_t i = hash64_find(&r->ahead_of, rank);

	BUG_ON(i == HASH_NONE);
	return ahead_at(r, i);
}

static uint64_t pair_key(uint32_t rank, int32_t peer)
{
	return (uint64_t)rank << 32 | (uint32_t)peer;
}

static struct step *head_of(const struct replay *r, uint32_t segment)
{
	return step_at(r, segment_at(r, segment)->first);
}

/* --- making --- */

static uint32_t step_make(struct replay *r, const struct trace_event *ev, uint32_t number,
                          struct err *err)
{
	uint32_t i = slots_take(&r->step, err);

	if (i == ENTRY_NONE)
		return ENTRY_NONE;
	r->steps++;
	*step_at(r, i) = (struct step){
	    .volume = ev->volume,
	    .duration = ev->duration,
	    .count = ev->count,
	    .type_size = ev->type_size,
	    .region = ev->region,
	    .place = ev->place,
	    .comm = ev->comm,
	    .peer = ev->peer,
	    .tag = ev->tag,
	    .type = ev->type,
	    .number = number,
	    .next = ENTRY_NONE,
	    .flags = ev->flags,
	    .op = ev->op,
	};
	return i;
}

static void step_event(const struct step *s, struct trace_event *ev)
{
	trace_event_init(ev, s->op);
	ev->volume = s->volume;
	ev->duration = s->duration;
	ev->count = s->count;
	ev->type_size = s->type_size;
	ev->region = s->region;
	ev->place = s->place;
	ev->comm = s->comm;
	ev->peer = s->peer;
	ev->tag = s->tag;
	ev->type = s->type;
	ev->flags = s->flags;
}

static void step_free(struct replay *r, uint32_t i)
{
	slots_give(&r->step, i);
	r->steps--;
}

/* A segment that begins with this event, at the end of the row. */
static int segment_add(struct replay *r, uint32_t rank, struct ahead *a,
                       const struct trace_event *ev, struct err *err)
{
	uint32_t step = step_make(r, ev, a->read, err),
	         i = step == ENTRY_NONE ? ENTRY_NONE : slots_take(&r->segment, err), first;

	if (i == ENTRY_NONE)
		return -1;
	*segment_at(r, i) = (struct segment){.first = step,
	                                     .last = step,
	                                     .steps = 1,
	                                     .peer = ev->peer,
	                                     .next = ENTRY_NONE,
	                                     .prev = a->n > 0 ? a->last : ENTRY_NONE,
	                                     .same = ENTRY_NONE,
	                                     .last_same = i};
	if (a->n++ == 0)
		a->first = i;
	else
		segment_at(r, a->last)->next = i;
	a->last = i;
	first = hash64_find(&r->first_of, pair_key(rank, ev->peer));
	if (first == HASH_NONE)
		return hash64_put(&r->first_of, pair_key(rank, ev->peer), i, err);
	segment_at(r, segment_at(r, first)->last_same)->same = i;
	segment_at(r, first)->last_same = i;
	return 0;
}

static int segment_append(struct replay *r, struct ahead *a, const struct trace_event *ev,
                          struct err *err)
{
	struct segment *s = segment_at(r, a->last);
	uint32_t step = step_make(r, ev, a->read, err);

	if (step == ENTRY_NONE)
		return -1;
	step_at(r, s->last)->next = step;
	s->last = step;
	s->steps++;
	return 0;
}

int ahead_begin(struct replay *r, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	uint32_t i = slots_take(&r->ahead, err);

	if (i == ENTRY_NONE || hash64_put(&r->ahead_of, rank, i, err) < 0)
		return -1;
	*ahead_at(r, i) = (struct ahead){.at = ENTRY_NONE, .read = r->cursor[rank].event};
	r->cursor[rank].ahead = 1;
	return segment_add(r, rank, ahead_at(r, i), ev, err);
}

/* --- reading ahead --- */

static int is_probe(uint8_t op)
{
	return op != TRACE_RECV;
}

/* The program could have got either's message first. */
static int heads_alike(const struct step *a, const struct trace_event *b)
{
	const uint16_t wild = TRACE_WILD_SOURCE | TRACE_WILD_TAG;

	return is_probe(a->op) == is_probe(b->op) && a->comm == b->comm &&
	       (a->flags & wild) == (b->flags & wild) &&
	       (a->flags & TRACE_WILD_TAG || a->tag == b->tag);
}

/* It concerns this rank and peer only, and is over when it returns. */
static int stays_with(const struct trace_event *ev, int32_t peer)
{
	switch ((enum trace_op)ev->op) {
	case TRACE_COMPUTE:
	case TRACE_SLEEP:
	case TRACE_LOCATION:
	case TRACE_COMM_SIZE:
		return 1;
	case TRACE_SEND:
	case TRACE_SSEND:
	case TRACE_BSEND:
	case TRACE_RSEND:
	case TRACE_RECV:
	case TRACE_PROBE:
	case TRACE_IPROBE:
		return ev->peer == peer && !(ev->flags & TRACE_WILD_SOURCE);
	default:
		return 0;
	}
}

/* Numbers of regions are made known at once: segments that change places all name them. */
static int is_new_region(const struct replay *r, uint32_t rank, const struct trace_event *ev)
{
	return ev->op == TRACE_REGION && trace_regions_find(&r->regions, rank, ev) < 0;
}

static int read_one(struct replay *r, uint32_t rank, struct ahead *a, struct err *err)
{
	struct trace_event ev;
	int s = trace_next(r->trace, rank, &ev, err);

	if (s < 0)
		return -1;
	if (s == 0) {
		a->closed = a->over = 1;
		return 0;
	}
	a->read++;
	if (event_may_move(r, &ev) && heads_alike(head_of(r, a->last), &ev))
		return segment_add(r, rank, a, &ev, err);
	if (is_new_region(r, rank, &ev)) {
		count_action(r);
		return region_event(r, rank, &ev, err);
	}
	if (segment_at(r, a->last)->steps < SEGMENT_STEPS &&
	    stays_with(&ev, segment_at(r, a->last)->peer))
		return segment_append(r, a, &ev, err);
	a->closed = 1;
	a->end = ev;
	return 0;
}

static int look_further(struct replay *r, uint32_t rank, struct ahead *a, struct err *err)
{
	uint64_t most = 4 * (uint64_t)r->ranks > SEGMENTS_LEAST ? 4 * (uint64_t)r->ranks
	                                                        : SEGMENTS_LEAST;

	while (!a->closed && (a->n == 1 || (a->n > 0 && a->n <= most && r->steps < STEPS_MOST)))
		if (read_one(r, rank, a, err) < 0)
			return -1;
	return 0;
}

/* --- choosing --- */

/* The segment may be chosen. */
static int is_whole(const struct ahead *a, uint32_t i)
{
	return a->closed || i != a->last;
}

/* There are segments of several peers to choose from. */
static int there_is_choice(const struct replay *r, const struct ahead *a)
{
	uint32_t i = a->first;

	while (i != ENTRY_NONE && segment_at(r, i)->peer == segment_at(r, a->first)->peer)
		i = segment_at(r, i)->next;
	return i != ENTRY_NONE && is_whole(a, i);
}

/* The first segment of this peer, if it may be chosen; or ENTRY_NONE. */
static uint32_t segment_find(const struct replay *r, uint32_t rank, const struct ahead *a,
                             int32_t peer)
{
	uint32_t i = hash64_find(&r->first_of, pair_key(rank, peer));

	return i != HASH_NONE && is_whole(a, i) ? i : ENTRY_NONE;
}

/* The segment, the first of its peer, begins: it leaves the row. */
static int segment_begin(struct replay *r, uint32_t rank, struct ahead *a, uint32_t i,
                         struct err *err)
{
	struct segment *s = segment_at(r, i);
	uint32_t same = s->same;

	if (s->prev == ENTRY_NONE)
		a->first = s->next;
	else
		segment_at(r, s->prev)->next = s->next;
	if (s->next == ENTRY_NONE)
		a->last = s->prev;
	else
		segment_at(r, s->next)->prev = s->prev;
	a->n--;
	a->at = s->first;
	if (same != ENTRY_NONE)
		segment_at(r, same)->last_same = s->last_same;
	slots_give(&r->segment, i);
	if (same != ENTRY_NONE)
		return hash64_put(&r->first_of, pair_key(rank, s->peer), same, err);
	hash64_remove(&r->first_of, pair_key(rank, s->peer));
	return 0;
}

static uint32_t step_pop(struct replay *r, struct ahead *a)
{
	uint32_t i = a->at;

	a->at = step_at(r, i)->next;
	step_free(r, i);
	return i;
}

static int row_ended(struct replay *r, uint32_t rank, struct ahead *a, struct trace_event *ev)
{
	uint32_t i = hash64_remove(&r->ahead_of, rank);

	r->cursor[rank].ahead = 0;
	r->cursor[rank].event = a->read;
	*ev = a->end;
	slots_give(&r->ahead, i);
	return !a->over;
}

int ahead_next(struct replay *r, uint32_t rank, struct trace_event *ev, struct err *err)
{
	struct ahead *a = ahead_of(r, rank);
	struct cursor *c = &r->cursor[rank];
	const struct step *s;

	if (a->at == ENTRY_NONE) {
		if (look_further(r, rank, a, err) < 0)
			return -1;
		if (a->n == 0)
			return row_ended(r, rank, a, ev);
		if (there_is_choice(r, a)) {
			c->event = head_of(r, a->first)->number;
			c->op = head_of(r, a->first)->op;
			return AHEAD_CHOOSES;
		}
		if (segment_begin(r, rank, a, a->first, err) < 0)
			return -1;
	}
	s = step_at(r, step_pop(r, a));
	step_event(s, ev);
	c->event = s->number;
	return 1;
}

int ahead_choose(struct replay *r, struct mp *mp, uint32_t rank, struct err *err)
{
	const struct step *head = head_of(r, ahead_of(r, rank)->first);
	struct mp_message m = {.comm = MP_COMM_WORLD, .peer = MP_ANY, .bytes = HUGE_VAL};

	m.tag = head->flags & TRACE_WILD_TAG ? MP_ANY : head->tag;
	if (head->comm != 0 && comm_find(r, mp, rank, head->comm, &m.comm, err) < 0)
		return MP_ERROR;
	return is_probe(head->op) ? mp_probe_among(mp, rank, &m, err)
	                          : mp_recv_among(mp, rank, &m, err);
}

int ahead_takes(void *self, uint32_t rank, uint32_t source, int32_t tag, struct mp_message *m)
{
	struct replay *r = self;
	uint32_t i = segment_find(r, rank, ahead_of(r, rank), (int32_t)source);
	struct trace_event ev;

	if (i == ENTRY_NONE || head_of(r, i)->tag != tag)
		return 0;
	step_event(head_of(r, i), &ev);
	message_fields(&ev, m);
	r->cursor[rank].event = head_of(r, i)->number;
	return 1;
}

int ahead_chosen(struct replay *r, uint32_t rank, int32_t source, struct err *err)
{
	struct ahead *a = ahead_of(r, rank);
	uint32_t i = segment_find(r, rank, a, source);

	BUG_ON(i == ENTRY_NONE);
	r->moved += i != a->first;
	if (segment_begin(r, rank, a, i, err) < 0)
		return MP_ERROR;
	step_pop(r, a);
	return MP_DONE;
}
