/* held.c: ranks that are coroutines of the simulator's process share this library: the state of
 * each is one struct, which what the library calls its state points into while the rank runs. */
#include <stdlib.h>

#include "front.h"
#include "link.h"
#include "measure.h"
#include "objects/local.h"
#include "objects/object.h"
#include "stack.h"

struct held {
	struct link link;
	struct orr_local local;
};

static const struct hold *hold;
static const struct orr_local *lender;
static struct held none; /* of no rank */

static void begin(struct held *h, uint32_t rank)
{
	struct link *l = &h->link;

	pthread_mutex_init(&h->local.mutex, NULL);
	h->local.lender = lender;
	l->hold = hold;
	l->head = hold->head;
	l->heap = hold->heap;
	l->c = hold->channel;
	l->rank = rank;
	l->ranks = hold->head->world;
}

static void enter(void *state, uint32_t rank)
{
	struct held *h = state;

	if (!h->link.hold)
		begin(h, rank);
	link_now = &h->link;
	orr_local_now = &h->local;
}

static void nobody(void)
{
	link_now = &none.link;
	orr_local_now = &none.local;
}

/* What is in tables goes; objects that the program has not freed stay: whoever counts them knows
 * of no rank that is no more. */
static void leave(void *state)
{
	struct held *h = state;

	enter(state, h->link.rank);
	h->link.running = 0; /* nothing is told to the simulator any more */
	free(h->link.free_number);
	free(h->link.free_comm);
	free(h->link.named);
	free(h->link.ordered);
	free(h->link.spawning);
	stacks_free(h->link.stacks);
	free(h->link.touches); /* its types go with all others */
	if (h->local.started)
		orr_local_end();
	nobody(); /* the state is freed: what is asked after it, at exit too, is asked of no rank */
}

__attribute__((visibility("default"))) orrery_hold_fn orrery_hold;
void orrery_hold(const struct hold *h, struct hold_library *out)
{
	hold = h;
	if (h->head->computation == WIRE_MEASURED)
		measure_start(h->head->tick);
	none.link.head = NULL; /* who asks for a host before there is a rank gets none */
	nobody();
	pthread_mutex_init(&none.local.mutex, NULL);
	*out = (struct hold_library){.state = sizeof(struct held),
	                             .enter = enter,
	                             .leave = leave,
	                             .exits = life_ends,
	                             .moved = front_moved,
	                             .place = &front_place};
	if (orr_local_start() == MPI_SUCCESS)
		lender = &none.local;
}
