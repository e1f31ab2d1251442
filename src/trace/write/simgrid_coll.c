/* simgrid_coll.c: collectives in SimGrid's plain form, by the same letters as in ours: there are
 * only those of the world, with 32-bit counts. */
#include "simgrid_int.h"

static int vector_put(struct simgrid *sg, struct text *t, uint32_t rank,
                      const struct trace_event *ev, const int64_t *v, int64_t n,
                      struct simgrid_unit u, struct err *err)
{
	if (n != 0 && n != sg->ranks)
		return simgrid_cannot(rank, ev, "it has not one count per rank of the world", err);
	for (uint32_t i = 0; i < sg->ranks; i++) {
		int64_t count = n == 0 ? 0 : simgrid_units(v[i], u);

		if (count > INT32_MAX)
			return simgrid_cannot(
			    rank, ev,
			    "a count is over 2147483647, which SimGrid's replayer cannot read",
			    err);
		simgrid_number(t, count);
	}
	return 0;
}

static int count_put(struct text *t, uint32_t rank, const struct trace_event *ev, int64_t count,
                     struct simgrid_unit u, struct err *err)
{
	int64_t units = simgrid_units(count, u);

	if (units > INT32_MAX)
		return simgrid_cannot(
		    rank, ev, "a count is over 2147483647, which SimGrid's replayer cannot read",
		    err);
	simgrid_number(t, units);
	return 0;
}

/* The buffers of alltoallv: at least what the counts need, as all displacements are 0 there. */
static int64_t buffer_of(int64_t given, const int64_t *v, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		given = v[i] > given ? v[i] : given;
	return given;
}

static int argument_put(struct simgrid *sg, struct text *t, uint32_t rank,
                        const struct trace_event *ev, char letter, struct err *err)
{
	struct simgrid_unit u = simgrid_unit(ev->type, ev->type_size),
	                    u2 = simgrid_unit(ev->type2, ev->type_size2);
	int buffers = ev->op == TRACE_ALLTOALLV || ev->op == TRACE_ALLTOALLW;

	switch (letter) {
	case 'c':
		return count_put(
		    t, rank, ev,
		    buffers ? buffer_of(ev->count, ev->counts, ev->n_counts) : ev->count, u, err);
	case 'k':
		return count_put(t, rank, ev,
		                 buffers ? buffer_of(ev->count2, ev->counts2, ev->n_counts2)
		                         : ev->count2,
		                 u2, err);
	case 'S':
		return vector_put(sg, t, rank, ev, ev->counts, ev->n_counts, u, err);
	case 'R':
		return vector_put(sg, t, rank, ev, ev->counts2, ev->n_counts2,
		                  ev->op == TRACE_REDUCE_SCATTER ? u : u2, err);
	case 'r':
		simgrid_number(t, ev->root);
		break;
	case 'd':
		simgrid_number(t, u.type);
		break;
	case 'e':
		simgrid_number(t, u2.type);
		break;
	case 'f':
		text_char(t, ' ');
		text_double(t, ev->volume);
		break;
	default:
		break;
	}
	return 0;
}

static int same_counts_put(struct simgrid *sg, struct text *t, uint32_t rank,
                           const struct trace_event *ev, struct err *err)
{
	struct simgrid_unit u = simgrid_unit(ev->type, ev->type_size);

	simgrid_begin(t, rank, "reducescatter");
	for (uint32_t i = 0; i < sg->ranks; i++)
		if (count_put(t, rank, ev, ev->count, u, err) < 0)
			return -1;
	text_char(t, ' ');
	text_double(t, ev->volume);
	simgrid_number(t, u.type);
	simgrid_end(t);
	return 0;
}

static void volume_only_put(struct text *t, uint32_t rank, const struct trace_event *ev)
{
	if (!(ev->volume > 0))
		return;
	simgrid_begin(t, rank, "compute ");
	text_double(t, ev->volume);
	simgrid_end(t);
}

int simgrid_collective(struct simgrid *sg, struct text *t, uint32_t rank,
                       const struct trace_event *ev, struct err *err)
{
	enum simgrid_comm kind = simgrid_comm_kind(&sg->comms, ev->comm);
	const struct action *a = &trace_ops[ev->op];

	if (kind == COMM_SINGLE) {
		volume_only_put(t, rank, ev);
		return 0;
	}
	if (ev->flags & TRACE_NONBLOCKING)
		return simgrid_cannot(rank, ev,
		                      "SimGrid's replayer has no non-blocking collectives", err);
	if (kind == COMM_SUB)
		return simgrid_cannot(
		    rank, ev,
		    "SimGrid's replayer runs collectives on MPI_COMM_WORLD only, and this is "
		    "another communicator",
		    err);
	sg->losses[LOSS_OPERATOR] += (ev->flags &
	                              (TRACE_NONCOMMUTATIVE | TRACE_COMMUTATIVE_UNKNOWN)) != 0;
	if (ev->op == TRACE_REDUCE_SCATTER_BLOCK)
		return same_counts_put(sg, t, rank, ev, err);
	simgrid_begin(t, rank, ev->op == TRACE_ALLTOALLW ? "alltoallv" : a->name);
	for (const char *letter = a->args; *letter; letter++)
		if (argument_put(sg, t, rank, ev, *letter, err) < 0)
			return -1;
	simgrid_end(t);
	return 0;
}
