/* allgather_mesh.c: STAR-MPI's allgathers on meshes: own blocks along the row, then rows along
 * the column, then planes. */
#include "mesh.h"

struct mesh mesh_2d(uint32_t p)
{
	uint32_t x = 1;
	while ((uint64_t)(x + 1) * (x + 1) <= p)
		x++;
	for (; x <= p / 2; x++)
		if (p % x == 0)
			return x <= p / x ? (struct mesh){x, p / x, 1} : (struct mesh){p / x, x, 1};
	return (struct mesh){0};
}

struct mesh mesh_3d(uint32_t p)
{
	uint32_t x = 1;
	while ((uint64_t)(x + 1) * (x + 1) * (x + 1) <= p)
		x++;
	for (; x <= p / 3; x++)
		if (p % ((uint64_t)x * x) == 0)
			return (struct mesh){x, x, p / (x * x)};
	return (struct mesh){0};
}

struct mesh_line mesh_row(const struct mesh *m, uint32_t rank)
{
	return (struct mesh_line){rank / m->y * m->y, 1, m->y};
}

struct mesh_line mesh_column(const struct mesh *m, uint32_t rank)
{
	uint32_t plane = m->x * m->y;
	return (struct mesh_line){rank / plane * plane + rank % m->y, m->y, m->x};
}

/* Blocks around rank, in groups of n consecutive ones. */
static struct piece group(const struct coll_args *a, uint32_t rank, uint32_t n)
{
	int64_t m = a->count2 * a->type_size2;
	return piece_at(BUF_RECV, rank / n * n * m, n * m);
}

/* Step i of 2n of an exchange on a line, of groups of `width` blocks. */
static void line_step(const struct coll_args *a, uint32_t rank, struct mesh_line line,
                      uint32_t width, uint32_t i, struct coll_steps *out)
{
	uint32_t peer = line.first + i % line.n * line.stride;
	if (peer != rank && i < line.n)
		step_irecv(out, peer, group(a, peer, width), i);
	else if (peer != rank)
		step_send(out, peer, group(a, rank, width));
	if (i == 2 * line.n - 1)
		step_waitall(out);
}

/* Planes: from rank + i planes, i = 1 … z-1, around the end. */
static void plane_step(const struct coll_args *a, uint32_t rank, const struct mesh *m, uint32_t i,
                       struct coll_steps *out)
{
	uint32_t plane = m->x * m->y, others = m->z - 1,
	         peer = rank_add(a, rank, (i % others + 1) * plane);
	if (i < others)
		step_irecv(out, peer, group(a, peer, plane), i);
	else
		step_send(out, peer, group(a, rank, plane));
	if (i == 2 * others - 1)
		step_waitall(out);
}

static int mesh_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      const struct mesh *m, struct coll_steps *out)
{
	uint32_t rows = 2 * m->y, columns = 2 * m->x, planes = 2 * (m->z - 1);
	if (round == 0)
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	else if (round <= rows)
		line_step(a, rank, mesh_row(m, rank), 1, round - 1, out);
	else if (round <= rows + columns)
		line_step(a, rank, mesh_column(m, rank), m->y, round - 1 - rows, out);
	else if (round <= rows + columns + planes)
		plane_step(a, rank, m, round - 1 - rows - columns, out);
	else
		return COLL_END;
	return 0;
}

static int two_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	struct mesh m = mesh_2d(a->size);
	return mesh_round(a, rank, round, &m, out);
}
static const char *two_refuses(const struct coll_args *a)
{
	return mesh_2d(a->size).x ? NULL : "the number of ranks is not a product of two";
}

const struct coll_alg coll_allgather_2dmesh = {.kind = COLL_ALLGATHER,
                                               .name = "2dmesh",
                                               .source = "STAR-MPI",
                                               .cost = "(x+y-2) L + (p-1) m/B",
                                               .round = two_round,
                                               .refuses = two_refuses};

static int three_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	struct mesh m = mesh_3d(a->size);
	return mesh_round(a, rank, round, &m, out);
}
static const char *three_refuses(const struct coll_args *a)
{
	return mesh_3d(a->size).x ? NULL
	                          : "the number of ranks is not a square times another number";
}

const struct coll_alg coll_allgather_3dmesh = {.kind = COLL_ALLGATHER,
                                               .name = "3dmesh",
                                               .source = "STAR-MPI",
                                               .cost = "(2x+z-3) L + (p-1) m/B",
                                               .round = three_round,
                                               .refuses = three_refuses};
