/* coll_plan.c: what the plan of every collective is made of: counts and sizes as the tracer writes
 * them (tracer/record_coll.c), so that a run and the replay of its trace give mp the same; buffers
 * as pieces, whose packed forms follow each other without gaps in the order of ranks, as algorithms
 * want them (src/coll/coll.h). A send buffer in place is a copy of what MPI says. */
#include "coll_plan_int.h"

#include <stdlib.h>

#include "objects/errhandler.h"
#include "p2p.h"

int plan_new(enum coll_kind kind, MPI_Comm comm, struct coll_plan **out)
{
	struct orr_comm *c = orr_comm_of(comm);
	struct coll_plan *p;

	if (!c)
		return MPI_ERR_COMM;
	p = calloc(1, sizeof *p);
	if (!p)
		return MPI_ERR_NO_MEM;
	p->comm = orr_object_keep(c);
	p->w = (struct wire_coll){.comm = comm_core(c)->id,
	                          .kind = kind,
	                          .commutative = 1,
	                          .trace_type = -1,
	                          .trace_type2 = -1};
	*out = p;
	return MPI_SUCCESS;
}

int plan_fail(struct coll_plan *p, int code)
{
	coll_plan_free(p);
	return code;
}

/* Not on two groups, nor in a neighbourhood (MPI 4.0, 6.2.2, 8.6). */
int plan_in_place_check(const struct coll_plan *p, const void *buf)
{
	return buf == MPI_IN_PLACE && (p->comm->remote || p->w.kind > COLL_EXSCAN)
	           ? orr_error_note(MPI_ERR_BUFFER, "MPI_IN_PLACE is for collectives of one group")
	           : MPI_SUCCESS;
}

int plan_type_find(MPI_Datatype datatype, struct orr_type **type)
{
	*type = orr_type_of(datatype);
	return *type && (*type)->committed ? MPI_SUCCESS : MPI_ERR_TYPE;
}

/* Each pair of ranks has data of its own, or none. */
static int is_pairwise(const struct coll_plan *p)
{
	return p->w.kind == COLL_ALLTOALLV || p->w.kind == COLL_ALLTOALLW;
}

/* What others are compared with: elements of one class in all buffers, or nothing. Who exchanges
 * nothing with some rank may have other types than that one. */
static void class_note(struct coll_plan *p, MPI_Count count, const struct orr_type *type)
{
	int empty = count == 0 || type->size == 0;
	uint8_t class = empty ? TYPES_UNKNOWN : elements_class(type);

	if (empty && !is_pairwise(p))
		return;
	if (p->typed && p->w.types != class)
		class = TYPES_UNKNOWN;
	p->typed = 1;
	p->w.types = class;
}

int plan_piece_add(struct coll_plan *p, int receives, const void *buf, MPI_Count count,
                   struct orr_type *type)
{
	uint32_t n = p->n_send + p->n_recv;
	struct coll_piece *piece = p->piece;
	int64_t bytes;
	int code;

	if (count < 0)
		return orr_error_note(MPI_ERR_COUNT, "%lld", (long long)count);
	code = orr_type_bytes(type, count, &bytes);
	if (code != MPI_SUCCESS)
		return code;
	if (__builtin_add_overflow(p->bytes[receives], bytes, &p->bytes[receives]))
		return orr_error_note(MPI_ERR_COUNT, "all blocks together pass 2^63 bytes");
	if (buf == MPI_IN_PLACE && count > 0) /* where a buffer has to be */
		return MPI_ERR_BUFFER;
	if (count > 0 && !(receives && p->keeps) && buffer_check(buf, bytes, type) != MPI_SUCCESS)
		return MPI_ERR_BUFFER;
	if (n == p->cap) {
		p->cap = n ? 2 * n : 4;
		piece = realloc(piece, p->cap * sizeof *piece);
		if (!piece)
			return MPI_ERR_NO_MEM;
		p->piece = piece;
	}
	orr_type_keep(type);
	p->packed |= !type->dense;
	class_note(p, count, type);
	piece[n] = (struct coll_piece){(void *)(uintptr_t)buf, count, type};
	if (receives)
		p->n_recv++;
	else
		p->n_send++;
	return MPI_SUCCESS;
}

/* Where block i is, which is not empty. */
static int block_place(const struct blocks *b, int i, const struct orr_type *type, int64_t *place)
{
	int64_t at = b->displs ? b->displs[i] : i;

	if (b->types) {
		*place = at;
		return MPI_SUCCESS;
	}
	return (!b->displs && __builtin_mul_overflow(at, b->count, &at)) ||
	               __builtin_mul_overflow(at, orr_type_span(type), place)
	           ? orr_error_note(MPI_ERR_ARG, "block %d would be 2^63 bytes from the first", i)
	           : MPI_SUCCESS;
}

int plan_blocks_add(struct coll_plan *p, int receives, const struct blocks *b)
{
	for (int i = 0; i < b->n; i++) {
		MPI_Count count = b->counts ? b->counts[i] : b->count;
		struct orr_type *type = b->type;
		int64_t place = 0;
		int code = b->types && count > 0 ? plan_type_find(b->types[i], &type) : MPI_SUCCESS;

		if (count < 0)
			return orr_error_note(MPI_ERR_COUNT, "%lld", (long long)count);
		if (code != MPI_SUCCESS)
			return code;
		if (!type) { /* of no elements: not looked at */
			class_note(p, 0, NULL);
			continue;
		}
		if (count > 0)
			code = block_place(b, i, type, &place);
		if (code != MPI_SUCCESS)
			return code;
		code = plan_piece_add(p, receives, (const char *)b->buf + place, count, type);
		if (code != MPI_SUCCESS)
			return code;
	}
	return MPI_SUCCESS;
}

/* One count per block, in elements, or bytes where each block has its type: the blocks have been
 * added then. */
int plan_counts_set(struct coll_plan *p, const struct blocks *send, const struct blocks *recv)
{
	const struct blocks *sides[] = {send, recv};
	int64_t *to;

	p->w.n_counts = send ? (uint32_t)send->n : 0;
	p->w.n_counts2 = recv ? (uint32_t)recv->n : 0;
	p->counts = to = malloc((p->w.n_counts + p->w.n_counts2 + 1) * sizeof *to);
	if (!to)
		return MPI_ERR_NO_MEM;
	for (int side = 0; side < 2; side++)
		for (int i = 0; sides[side] && i < sides[side]->n; i++) {
			const struct blocks *b = sides[side];
			MPI_Count count = b->counts ? b->counts[i] : b->count;

			*to++ = b->types && count > 0 ? count * orr_type_of(b->types[i])->size
			                              : count;
		}
	return MPI_SUCCESS;
}

int plan_root_set(struct coll_plan *p, int root, enum role *role)
{
	const struct orr_comm *c = p->comm;

	*role = ROLE_MEMBER;
	if (c->remote && root == MPI_ROOT) {
		*role = ROLE_ROOT;
		p->w.root = COLL_ROOT;
	} else if (c->remote && root == MPI_PROC_NULL) {
		*role = ROLE_WATCHES;
		p->w.root = COLL_NO_ROOT;
		p->w.type_size = p->w.type_size2 = 1;
	} else if (root < 0 || root >= plan_others(c)) {
		return rank_note(MPI_ERR_ROOT, root, plan_others(c));
	} else {
		p->w.root = (uint32_t)root;
		if (!c->remote && root == c->rank)
			*role = ROLE_ROOT;
	}
	return MPI_SUCCESS;
}

/* One side: its type and count are set, if this rank has it. */
int plan_side_set(struct coll_plan *p, int receives, MPI_Count count, MPI_Datatype datatype,
                  struct orr_type **type)
{
	int code = plan_type_find(datatype, type);

	if (code != MPI_SUCCESS || count < 0)
		return code != MPI_SUCCESS ? code : MPI_ERR_COUNT;
	if (receives) {
		p->w.count2 = count;
		p->w.type_size2 = (*type)->size;
	} else {
		p->w.count = count;
		p->w.type_size = (*type)->size;
		p->w.basic_type = (*type)->basic != BASIC_NONE;
	}
	return MPI_SUCCESS;
}

/* The send side of an allgather in place: this rank's own block. A place that is none is told when
 * all blocks are added. */
struct blocks plan_own_block(const struct orr_comm *c, const struct blocks *b)
{
	MPI_Count count = b->counts ? b->counts[c->rank] : b->count;
	int64_t place = 0;

	if (count > 0 && block_place(b, c->rank, b->type, &place) != MPI_SUCCESS)
		place = 0;
	return (struct blocks){
	    .n = 1, .count = count, .buf = (const char *)b->buf + place, .type = b->type};
}
