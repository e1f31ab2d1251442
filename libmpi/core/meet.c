/* meet.c: see meet.h. */
#include "meet.h"

#include <string.h>

#include "objects/core.h"
#include "orr_mpi.h"

uint64_t name_mix(uint64_t x, uint64_t y)
{
	x ^= y + 0x9e3779b97f4a7c15u + (x << 6) + (x >> 2);
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) >> 1;
}

/* The operation of a meeting; what it tells is in the block. */
static struct wire_op *meeting_op(struct orr_comm *c, const struct orr_group *g,
                                  const struct wire_agree *w)
{
	struct wire_op *op = link_room(WIRE_COMM_AGREE, sizeof *w + w->n * sizeof(uint32_t));
	uint32_t *member;

	(void)c;
	memcpy(op + 1, w, sizeof *w);
	member = (void *)((struct wire_agree *)(op + 1) + 1);
	for (uint32_t i = 0; i < w->n; i++)
		member[i] = (uint32_t)g->member[i];
	return op;
}

static struct wire_answer *look_again(struct orr_comm *c, const struct orr_group *g,
                                      const struct wire_agree *w, uint32_t meeting, int mode)
{
	struct wire_op *op = meeting_op(c, g, w);

	op->mode = (uint8_t)mode;
	op->a = meeting;
	return link_ask(op);
}

static struct wire_answer *look(struct orr_comm *c, const struct orr_group *g,
                                const struct wire_agree *w)
{
	struct wire_answer *a = look_again(c, g, w, 0, WIRE_LOOKS);
	double pause = 0;

	while (!a->flag) {
		uint32_t meeting = a->value;

		link_pause(&pause);
		a = look_again(c, g, w, meeting, WIRE_LOOKS_AGAIN);
	}
	return a;
}

/* Until the request that only the simulator knows is complete. */
static void number_wait(uint32_t number)
{
	double pause = 0;

	for (;;) {
		void *to;
		struct wire_op *op = link_room_list(WIRE_TEST, 0, 1, sizeof number, &to);

		memcpy(to, &number, sizeof number);
		if (link_ask(op)->n > 0)
			break;
		link_pause(&pause);
	}
	link_number_free(number);
}

static void agree_beside(const struct wire_agree *w)
{
	uint32_t number = link_number();
	struct wire_op *op = link_room(WIRE_COMM_AGREE, sizeof(struct wire_agree));

	op->flags |= WIRE_RESTS;
	*(struct wire_agree *)(op + 1) = *w;
	((struct wire_agree *)(op + 1))->request = number;
	link_put(op);
	number_wait(number);
}

static void agree_as(const struct wire_agree *w)
{
	struct wire_op *op;

	if (link_several()) {
		agree_beside(w);
		return;
	}
	op = link_room(WIRE_COMM_AGREE, sizeof(struct wire_agree));
	*(struct wire_agree *)(op + 1) = *w;
	link_put(op);
}

void agree(struct orr_comm *c, enum mp_agreement what)
{
	agree_over(comm_core(c)->id, what);
}

void agree_over(uint32_t comm, enum mp_agreement what)
{
	agree_as(&(struct wire_agree){.comm = comm, .what = what, .request = WIRE_NONE});
}

void agree_bridge(uint32_t comm, const struct mp_bridge *b)
{
	agree_as(&(struct wire_agree){.comm = comm,
	                              .what = WIRE_AGREE_BRIDGE,
	                              .request = WIRE_NONE,
	                              .turn = b->turn,
	                              .leader = b->leader,
	                              .local = b->local,
	                              .remote = b->remote});
}

static void meet_as(struct orr_comm *c, const struct orr_group *g, uint64_t key, uint32_t what,
                    const void *data, size_t bytes, uint32_t of, struct told *out)
{
	struct wire_agree w = {.comm = c ? comm_core(c)->id : WIRE_NONE,
	                       .what = what,
	                       .key = key,
	                       .request = WIRE_NONE,
	                       .n = c ? 0 : (uint32_t)g->n,
	                       .bytes = bytes,
	                       .told = of};
	int several = link_several();
	struct wire_answer *a;

	if (several && what < WIRE_AGREE_NO_TIME) {
		agree_beside(&(struct wire_agree){.comm = w.comm, .what = what});
		w.what = WIRE_AGREE_NO_TIME;
	}
	if (bytes > 0) {
		w.data = link_block(bytes);
		memcpy(link_at(w.data), data, bytes);
	}
	a = several ? look(c, g, &w) : link_ask(meeting_op(c, g, &w));
	*out = (struct told){
	    .block = a->list, .n = a->n, .length = a->list ? link_at(a->list) : NULL};
}

void meet(struct orr_comm *c, const struct orr_group *g, uint64_t key, uint32_t what,
          const void *data, size_t bytes, struct told *out)
{
	meet_as(c, g, key, what, data, bytes, WIRE_TOLD_ALL, out);
}

void meet_some(struct orr_comm *c, uint64_t key, uint32_t what, const void *data, size_t bytes,
               uint32_t of, struct told *out)
{
	meet_as(c, NULL, key, what, data, bytes, of, out);
}

static struct wire_agree in_no_time(const struct orr_comm *c, const struct orr_group *among,
                                    uint64_t key)
{
	return (struct wire_agree){.comm = c ? comm_core(c)->id : WIRE_NONE,
	                           .what = WIRE_AGREE_NO_TIME,
	                           .key = key,
	                           .request = WIRE_NONE,
	                           .n = c ? 0 : (uint32_t)among->n};
}

void meet_begin(struct orr_comm *c, const struct orr_group *among, uint64_t key, const void *data,
                size_t bytes, struct orr_giving *g)
{
	struct wire_agree w = in_no_time(c, among, key);
	struct wire_answer *a;

	if (bytes > 0) {
		w.bytes = bytes;
		w.data = link_block(bytes);
		memcpy(link_at(w.data), data, bytes);
	}
	a = look_again(c, among, &w, 0, WIRE_LOOKS);
	*g = (struct orr_giving){.meeting = a->value, .is_told = a->flag, .block = a->list};
}

void meet_end(struct orr_comm *c, const struct orr_group *among, const struct orr_giving *g,
              struct told *out)
{
	struct wire_agree w = in_no_time(c, among, 1);
	uint64_t block = g->block;
	struct wire_answer *a;
	double pause = 0;

	while (!block) {
		int several = link_several();

		a = look_again(c, among, &w, g->meeting,
		               several ? WIRE_LOOKS_AGAIN : WIRE_MEETS_AGAIN);
		block = a->list;
		if (block)
			break;
		link_pause(&pause);
	}
	*out = (struct told){.block = block,
	                     .n = c ? (uint32_t)(c->size + (c->remote ? c->remote->n : 0))
	                            : (uint32_t)among->n,
	                     .length = link_at(block)};
}

const void *told_text(const struct told *t, uint32_t i)
{
	const char *p = (const char *)(t->length + t->n);

	while (i-- > 0)
		p += t->length[i];
	return p;
}

void told_end(struct told *t)
{
	link_block_free(t->block);
}

void take_turn(struct orr_comm *c, uint64_t object, uint32_t *count)
{
	struct told t;

	if (link_state()->provided != MPI_THREAD_MULTIPLE)
		return;
	meet(c, NULL, name_mix(name_mix(23, object), ++*count), WIRE_AGREE_TURN, NULL, 0, &t);
	told_end(&t);
}
