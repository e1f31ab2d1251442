/* comm_names.c: see comm_names.h. */
#include "comm_names.h"

void comm_names_init(struct comm_names *n)
{
	*n = (struct comm_names){.count = 0};
	hash64_init(&n->made);
}

void comm_names_release(struct comm_names *n)
{
	hash64_release(&n->made);
}

void comm_names_begin(struct comm_names *n)
{
	n->count = 0;
}

static uint64_t name_make(uint64_t comm, uint32_t count)
{
	return (comm >> 32 << 32) | (uint64_t)(count + 2);
}

/* A communicator of which `first` is the first member; other: that of the other group, or -1. It is
 * named after the lesser of the two. */
static int made(struct comm_names *n, uint32_t rank, uint64_t comm, int64_t first, int64_t other,
                struct err *err)
{
	if (first != (int64_t)rank || hash64_find(&n->made, comm) != HASH_NONE)
		return 0;
	n->count++;
	if (other >= 0 && other < first)
		return 0;
	return hash64_put(&n->made, comm, n->count - 1, err);
}

int comm_names_event(struct comm_names *n, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	if (!trace_op_makes_comm((enum trace_op)ev->op) || ev->n_members == 0)
		return 0;
	return made(n, rank, ev->comm, ev->members[0], ev->n_remote ? ev->remote[0] : -1, err);
}

/* The first item of the list that a call has in this field, or -1. */
static int64_t list_first(const struct bundle *b, const struct call *c, enum call_field f)
{
	uint32_t n = 0;
	const int64_t *list = c->field[f] ? interned_get(&b->lists, (uint32_t)c->field[f], &n)
	                                  : NULL;

	return n ? list[0] : -1;
}

static int call_count(struct comm_names *n, const struct bundle *b, const struct call *c,
                      struct err *err)
{
	int64_t first = list_first(b, c, CALL_MEMBERS);

	if (first < 0 || !trace_op_makes_comm((enum trace_op)c->field[CALL_OP]))
		return 0;
	return made(n, b->member[0].rank, (uint64_t)c->field[CALL_COMM], first,
	            list_first(b, c, CALL_REMOTE), err);
}

/* A name is made once, so that no two of these calls are one, and none is in a loop: their order
 * is that of the nodes. */
int comm_names_bundle(struct comm_names *n, const struct bundle *b, struct err *err)
{
	const struct bundle_class *c = b->cls;

	BUG_ON(b->members != 1);
	for (uint32_t i = 0; i < c->nodes; i++)
		if (!(c->node[i] & 1) && call_count(n, b, &c->call[c->node[i] / 2], err) < 0)
			return -1;
	return 0;
}

uint64_t comm_names_find(const struct comm_names *n, uint64_t comm)
{
	uint32_t count = n->made.n ? hash64_find(&n->made, comm) : HASH_NONE;

	return count == HASH_NONE ? comm : name_make(comm, count);
}

void comm_names_rename_event(const struct comm_names *n, struct trace_event *ev)
{
	ev->comm = comm_names_find(n, ev->comm);
	ev->parent = comm_names_find(n, ev->parent);
}

/* Names are never open: they are parameters of calls. */
static void call_rename(const struct comm_names *n, struct bundle_class *c, uint32_t call,
                        enum call_field f)
{
	struct column *param = &c->param[class_param_at(call, f)];

	c->call[call].field[f] = (int64_t)comm_names_find(n, (uint64_t)c->call[call].field[f]);
	param->same = (int64_t)comm_names_find(n, (uint64_t)param->same);
	for (uint32_t i = 0; param->v && i < param->n; i++)
		param->v[i] = (int64_t)comm_names_find(n, (uint64_t)param->v[i]);
}

void comm_names_rename_bundle(const struct comm_names *n, struct bundle *b)
{
	for (uint32_t i = 0; n->made.n && i < b->classes; i++)
		for (uint32_t k = 0; k < b->cls[i].calls; k++) {
			call_rename(n, &b->cls[i], k, CALL_COMM);
			call_rename(n, &b->cls[i], k, CALL_PARENT);
		}
}
