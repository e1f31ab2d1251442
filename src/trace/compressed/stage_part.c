/* stage_part.c: one reading of a rank: its events one by one, its requests by the trace's number.
 */
#include "stage_int.h"

#include <stdlib.h>
#include <string.h>

static const double DURATION_MOST = 1e15; /* nanoseconds */

struct stage_request *part_request(struct stage_part *p, int64_t number)
{
	uint32_t i = hash64_find(&p->number, (uint64_t)number);

	return i == HASH_NONE ? NULL : &p->request[i];
}

struct stage_request *part_request_add(struct stage_part *p, int64_t number, struct err *err)
{
	struct stage_request *r = part_request(p, number);
	uint32_t i;

	if (r)
		return r;
	if (p->spares > 0) {
		i = p->spare[--p->spares];
	} else {
		r = vec_grow(p->request, &p->cap, sizeof *r, (size_t)p->requests + 1, "requests",
		             err);
		if (!r)
			return NULL;
		p->request = r;
		i = p->requests++;
	}
	if (hash64_put(&p->number, (uint64_t)number, i, err) < 0)
		return NULL;
	p->request[i] = (struct stage_request){.id = STAGE_NONE};
	return &p->request[i];
}

/* A request is through; a persistent one waits for its next start. */
void part_request_end(struct stage_part *p, int64_t number)
{
	struct stage_request *r = part_request(p, number);
	struct err none;
	uint32_t *spare;

	if (!r)
		return;
	r->active = 0;
	if (r->persistent)
		return;
	spare = vec_grow(p->spare, &p->cap_spare, sizeof *spare, (size_t)p->spares + 1, "requests",
	                 &none);
	if (spare) {
		p->spare = spare;
		spare[p->spares++] = (uint32_t)(r - p->request);
	}
	hash64_remove(&p->number, (uint64_t)number);
}

void part_release(struct stage_part *p)
{
	hash64_release(&p->number);
	free(p->request);
	free(p->spare);
}

int part_read(struct stage *s, uint32_t rank, int reading, struct err *err)
{
	struct stage_rank *r = &s->rank[rank];
	struct stage_part *p = reading == COMPOSING ? &r->composed : &r->spoken;
	int more;

	if (p->has || p->ended)
		return p->has;
	more = s->raw(s->self, reading, rank, &p->ev, err);
	if (more < 0)
		return -1;
	p->has = (uint8_t)more;
	p->ended = !more;
	return more;
}

/* In nanoseconds, at least one: what it took, or what it counts. */
int64_t part_duration(const struct trace_event *ev)
{
	double ns = ev->duration > 0 ? ev->duration * 1e9 : 0;

	if (ev->duration < 0 && ev->op == TRACE_COMPUTE)
		ns = ev->volume;
	return ns > DURATION_MOST ? (int64_t)DURATION_MOST : ns > 1 ? (int64_t)ns : 1;
}

int part_completed(const struct trace_event *ev,
                   int (*each)(void *self, int64_t number, struct err *err), void *self,
                   struct err *err)
{
	const int64_t *list = ev->op == TRACE_WAITALL ? ev->reqs : ev->done;
	int64_t n = ev->op == TRACE_WAITALL ? ev->n_reqs : ev->n_done;

	if (!trace_op_has(ev->op, TRACE_COMPLETES) || ev->flags & TRACE_NO_DONE)
		return 0;
	if (ev->op == TRACE_WAIT && ev->req >= 0)
		return each(self, ev->req, err);
	for (int64_t i = 0; i < n; i++)
		if (each(self, list[i], err) < 0)
			return -1;
	return 0;
}

int op_meets(const struct trace_event *ev, uint64_t *comm)
{
	*comm = ev->comm;
	if (ev->op == TRACE_COMM_CREATE_GROUP)
		return ev->n_members > 0;
	if (trace_op_makes_comm((enum trace_op)ev->op)) {
		*comm = ev->parent;
		return 1;
	}
	return trace_op_is_collective((enum trace_op)ev->op) || ev->op == TRACE_COMM_FREE;
}
