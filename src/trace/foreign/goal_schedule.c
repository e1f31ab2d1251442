/* goal_schedule.c: a GOAL file as the graph that it is (../schedule.h).
 *
 * The text goes through the reader of sequences, whose graph of a rank is taken as it comes. The
 * binary form, which is made for large schedules, is read in one pass here; of whatever is strange
 * in it nothing is said: that is left to the reader of sequences. */
#include "../schedule.h"
#include "bytes.h"
#include "goal_graph.h"

#include "base/memory.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int ops_room(struct trace_schedule *s, uint64_t n, struct err *err)
{
	struct schedule_op *op;

	if (n >= INT32_MAX)
		return 1;
	if (n > s->ops_cap &&
	    memory_check((n - s->ops_cap) * sizeof *op, "operations of a schedule", err) < 0)
		return -1;
	op = vec_grow(s->op, &s->ops_cap, sizeof *op, n, "operations of a schedule", err);
	if (!op)
		return -1;
	s->op = op;
	return 0;
}

static int edges_room(struct trace_schedule *s, uint64_t n, struct err *err)
{
	uint32_t *edge;

	if (n >= UINT32_MAX)
		return 1;
	if (n > s->edges_cap &&
	    memory_check((n - s->edges_cap) * sizeof *edge, "dependencies of a schedule", err) < 0)
		return -1;
	edge = vec_grow(s->edge, &s->edges_cap, sizeof *edge, n, "dependencies of a schedule", err);
	if (!edge)
		return -1;
	s->edge = edge;
	return 0;
}

static int ranks_make(struct trace_schedule *s, uint32_t ranks, struct err *err)
{
	s->ranks = ranks;
	s->cpus = s->nics = 1;
	s->first = malloc(((size_t)ranks + 1) * sizeof *s->first);
	return s->first ? 0 : err_nomem(err, "ranks", ((size_t)ranks + 1) * sizeof *s->first);
}

static void op_note(struct trace_schedule *s, const struct schedule_op *op)
{
	if (op->cpu >= s->cpus)
		s->cpus = op->cpu + 1u;
	if (op->nic >= s->nics)
		s->nics = op->nic + 1u;
	s->any |= op->kind == SCHEDULE_RECV && (op->peer == TRACE_ANY || op->tag == TRACE_ANY);
	s->computing += op->kind == SCHEDULE_CALC ? (double)op->size : 0;
}

void trace_schedule_release(struct trace_schedule *s)
{
	free(s->op);
	free(s->edge);
	free(s->first);
	str_release(&s->notices);
	*s = (struct trace_schedule){0};
}

/* --- by the reader of sequences --- */

static void graph_ops(struct trace_schedule *s, uint32_t rank, const struct goal_graph *g)
{
	struct schedule_op *op = s->op + s->n_ops;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct goal_node *node = &g->node[i];

		op[i] = (struct schedule_op){.size = node->size,
		                             .rank = rank,
		                             .peer = node->peer,
		                             .tag = node->tag,
		                             .kind = node->kind,
		                             .cpu = node->cpu,
		                             .nic = node->nic};
		op_note(s, &op[i]);
	}
	for (uint32_t k = 0; k < g->n_edges; k++) {
		op[g->edge[k].from].out++; /* counted, and made a place below */
		op[g->edge[k].to].waits++;
	}
}

/* Those that wait for the start first, each in the order of the file: as they are released. While
 * they are put `out` is the place of the next one. */
static void graph_edges(struct trace_schedule *s, const struct goal_graph *g)
{
	struct schedule_op *op = s->op + s->n_ops;
	uint32_t at = s->n_edges;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t outs = op[i].out;

		op[i].out = at;
		at += outs;
	}
	for (int start = 1; start >= 0; start--)
		for (uint32_t k = 0; k < g->n_edges; k++) {
			const struct goal_edge *e = &g->edge[k];

			if ((e->start != 0) == start)
				s->edge[op[e->from].out++] = schedule_edge(e->to, start);
		}
	for (uint32_t i = g->n; i-- > 0;)
		op[i].out = i > 0 ? op[i - 1].out : s->n_edges;
}

static int graph_take(struct foreign *f, uint32_t rank, struct goal_graph *g, struct err *err)
{
	struct trace_schedule *s = f->schedule;
	int r = s->first ? 0 : ranks_make(s, f->ranks, err);

	if (r == 0)
		r = ops_room(s, (uint64_t)s->n_ops + g->n + 1, err);
	if (r == 0)
		r = edges_room(s, (uint64_t)s->n_edges + g->n_edges + 1, err);
	if (r != 0)
		return r < 0 ? -1 : err_set(err, ERR_INPUT, "%s: too many operations", f->path);
	graph_ops(s, rank, g);
	graph_edges(s, g);
	s->first[rank] = s->n_ops;
	s->n_ops += g->n;
	s->n_edges += g->n_edges;
	goal_graph_clear(g);
	return 0;
}

static int text_read(const char *path, struct trace_schedule *s, struct err *err)
{
	struct foreign f = {.path = path, .pass = 2, .graph_take = graph_take, .schedule = s};
	struct err why;
	int opened, r;

	hash64_init(&f.ledger_index);
	hash_str_init(&f.noted);
	opened = foreign_goal.open(&f, &why);
	r = opened < 0 ? -1 : foreign_goal.read(&f, &why);
	foreign_goal.close(&f);
	s->notices = f.notices;
	str_init(&f.notices);
	foreign_release(&f);
	if (r < 0 && (opened < 0 || why.kind == ERR_LIMIT)) {
		*err = why;
		return -1;
	}
	return r == 0 && s->first;
}

/* --- the binary form --- */

enum { RANGES_AT = 14, RANGES_FROM = 8, NODE_BYTES = 39 };

static uint32_t word(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return le32toh(v);
}

static uint64_t long_word(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return le64toh(v);
}

/* An operation of 39 bytes: see docs/foreign-traces.md. */
static int node_take(struct trace_schedule *s, uint32_t rank, const unsigned char *p,
                     struct schedule_op *op)
{
	uint32_t kind = p[4], peer = word(p + 5), tag = word(p + 17);
	int any = kind == SCHEDULE_RECV && peer == UINT32_MAX;

	if (goal_is_mark(s->ranks, kind, peer)) {
		*op = (struct schedule_op){
		    .rank = rank, .kind = SCHEDULE_CALC, .cpu = p[21], .nic = p[22]};
		op_note(s, op);
		if (!s->notices.n)
			str_printf(&s->notices, "%s\n", goal_mark_note);
		return 1;
	}

	if (kind < SCHEDULE_SEND || kind > SCHEDULE_CALC ||
	    (kind != SCHEDULE_CALC && peer >= s->ranks && !any))
		return 0;
	*op = (struct schedule_op){
	    .size = (int64_t)(long_word(p + 9) & INT64_MAX),
	    .rank = rank,
	    .peer = kind == SCHEDULE_CALC ? 0 : (int32_t)peer,
	    .tag = tag == UINT32_MAX ? (kind == SCHEDULE_RECV ? TRACE_ANY : 0)
	                             : (int32_t)(tag & INT32_MAX),
	    .kind = (uint8_t)kind,
	    .cpu = p[21],
	    .nic = p[22],
	};
	op_note(s, op);
	return 1;
}

/* Of `n` operations the edges, from the list of `room` words that each names its part of. */
static int listed_take(struct trace_schedule *s, struct schedule_op *op, uint32_t n,
                       const unsigned char *list, uint64_t room, uint32_t count, uint64_t at,
                       int start)
{
	if (count > 0 && at + count > room)
		return 0;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t to = word(list + (at + k) * 4);

		if (to >= n)
			return 0;
		op[to].waits++;
		s->edge[s->n_edges++] = schedule_edge(to, start);
	}
	return 1;
}

static int edges_take(struct trace_schedule *s, uint32_t n, const unsigned char *node,
                      const unsigned char *list, uint64_t room)
{
	struct schedule_op *op = s->op + s->n_ops;

	for (uint32_t i = 0; i < n; i++, node += NODE_BYTES) {
		op[i].out = s->n_edges;
		if (!listed_take(s, op, n, list, room, word(node + 31), word(node + 35), 1) ||
		    !listed_take(s, op, n, list, room, word(node + 23), word(node + 27), 0))
			return 0;
	}
	return 1;
}

/* One rank's. */
struct part {
	const unsigned char *node, *list;
	uint64_t nodes, listed;
};

static int part_find(const unsigned char *file, size_t n, uint32_t rank, struct part *out)
{
	const unsigned char *range = file + RANGES_AT + (size_t)rank * 16, *p;
	uint64_t from = long_word(range), to = long_word(range + 8), roots;

	if (from > to || to > n - RANGES_FROM || to - from < 8)
		return 0;
	p = file + RANGES_FROM + from;
	roots = word(p + 4);
	out->nodes = word(p);
	if (to - from < 8 + roots * 4 + out->nodes * NODE_BYTES)
		return 0;
	out->node = p + 8 + roots * 4;
	out->list = out->node + out->nodes * NODE_BYTES;
	out->listed = (to - from - 8 - roots * 4 - out->nodes * NODE_BYTES) / 4;
	return 1;
}

static int part_take(struct trace_schedule *s, uint32_t rank, const struct part *part)
{
	struct schedule_op *op = s->op + s->n_ops;
	uint64_t listed = 0;

	for (uint64_t i = 0; i < part->nodes; i++) {
		const unsigned char *node = part->node + i * NODE_BYTES;

		if (!node_take(s, rank, node, &op[i]))
			return 0;
		listed += (uint64_t)word(node + 23) + word(node + 31);
	}
	if (listed != part->listed || /* those of LogGOPSim 2 are longer */
	    !edges_take(s, (uint32_t)part->nodes, part->node, part->list, part->listed))
		return 0;
	s->n_ops += (uint32_t)part->nodes;
	return 1;
}

/* 1; 0: it is not as txt2bin writes it; -1. */
static int binary_take(struct trace_schedule *s, const unsigned char *file, size_t n,
                       struct err *err)
{
	uint64_t ranks = n >= RANGES_AT ? word(file + 8) : 0, nodes = 0, listed = 0;
	struct part part;
	int r;

	if (ranks == 0 || ranks > INT32_MAX || RANGES_AT + ranks * 16 > n)
		return 0;
	for (uint32_t i = 0; i < ranks; i++) {
		if (!part_find(file, n, i, &part))
			return 0;
		nodes += part.nodes;
		listed += part.listed;
	}
	if (ranks_make(s, (uint32_t)ranks, err) < 0)
		return -1;
	if ((r = ops_room(s, nodes + 1, err)) != 0 || (r = edges_room(s, listed + 1, err)) != 0)
		return r < 0 ? -1 : 0;
	memory_filled_soon(s->op, (size_t)nodes * sizeof *s->op);
	for (uint32_t i = 0; i < ranks; i++) {
		s->first[i] = s->n_ops;
		if (!part_find(file, n, i, &part) || !part_take(s, i, &part))
			return 0;
	}
	return 1;
}

/* A file that is compressed is left to the reader of sequences. */
static int binary_read(const char *path, struct trace_schedule *s, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;
	struct stat st;
	void *file = MAP_FAILED;

	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (fstat(fd, &st) < 0)
		r = err_sys(err, errno, "cannot look at %s", path);
	else if (S_ISREG(st.st_mode) && st.st_size > RANGES_AT) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
		if (file == MAP_FAILED)
			r = err_sys(err, errno, "cannot read %s", path);
	}
	close(fd);
	if (file == MAP_FAILED)
		return r;
	if (!input_is_packed(file, 4))
		r = binary_take(s, file, (size_t)st.st_size, err);
	munmap(file, (size_t)st.st_size);
	return r;
}

/* Of what has no memory here nobody knows what it is; what is wrong otherwise is said by others. */
static int unknown(const struct err *why, struct err *err)
{
	if (why->kind != ERR_LIMIT)
		return 0;
	*err = *why;
	return -1;
}

int trace_schedule_read(const char *path, struct trace_schedule *out, struct err *err)
{
	unsigned char head[FOREIGN_HEAD];
	struct err why = {0};
	struct stat st;
	int n, is, r = 0;

	*out = (struct trace_schedule){0};
	if (stat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0; /* "-", or whoever opens it says so */
	n = foreign_head_read(path, head, err);
	if (n <= 0)
		return n;
	is = foreign_goal_binary.probe(path, head, (size_t)n, &why);
	if (is > 0)
		r = binary_read(path, out, err);
	else if (is == 0 && (is = foreign_goal.probe(path, head, (size_t)n, &why)) > 0)
		r = text_read(path, out, err);
	if (is < 0)
		r = unknown(&why, err);
	if (r == 1) {
		out->first[out->ranks] = out->n_ops;
		out->op[out->n_ops].out = out->n_edges;
	} else
		trace_schedule_release(out);
	return r;
}
