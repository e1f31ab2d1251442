/* goal_binary.c: GOAL's binary form, little-endian and packed, as LogGOPSim's txt2bin writes it, or
 * LogGOPSim 2's, whose operations are longer (docs/foreign-traces.md has their layouts). */
#include "bytes.h"
#include "goal_graph.h"

#include <stdlib.h>

enum { MAGIC = 4223, MAGIC_INVALID = 2342, RANGES_AT = 14, RANGES_FROM = 8 };
/* Bytes of an operation, of which LogGOPSim reads the first NODE_BYTES alone; where in them it is
 * said how many depend on its end, and on its start. */
enum { NODE_BYTES = 39, NODE_BYTES_2 = 104, ENDS_AT = 23, STARTS_AT = 31 };

struct goal_binary {
	char *file;
	size_t n;
	size_t node_bytes;
	struct goal_graph graph;
};

static int binary_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	struct bytes b = {.at = head, .end = head + n};
	uint64_t magic = bytes_take(&b, 8);

	if (n < RANGES_AT || (magic != MAGIC && magic != MAGIC_INVALID))
		return 0;
	if (magic == MAGIC_INVALID)
		return err_set(err, ERR_INPUT,
		               "%s: a GOAL file that LogGOPSim used up (--save-mem): make it anew "
		               "with txt2bin",
		               path);
	return 1;
}

/* Whether operations of so many bytes, and what depends on them, fill what follows the roots: both
 * forms have the same magic number. */
static int fits(struct bytes b, uint64_t nodes, size_t bytes)
{
	uint64_t room = (uint64_t)(b.end - b.at), listed = 0;
	struct bytes at;

	if (nodes * bytes > room)
		return 0;
	for (uint64_t i = 0; i < nodes; i++) {
		at = (struct bytes){.at = b.at + i * bytes + ENDS_AT, .end = b.end};
		listed += bytes_take(&at, 4);
		at = (struct bytes){.at = b.at + i * bytes + STARTS_AT, .end = b.end};
		listed += bytes_take(&at, 4);
	}
	return listed * 4 == room - nodes * bytes;
}

static int binary_open(struct foreign *f, struct err *err)
{
	struct goal_binary *g = f->impl = calloc(1, sizeof *g);
	struct bytes b;
	uint64_t ranks;

	if (!g)
		return err_nomem(err, "a schedule", sizeof *g);
	g->file = input_read_all(f->path, &g->n, err);
	if (!g->file)
		return -1;
	b = (struct bytes){.at = (unsigned char *)g->file + 8,
	                   .end = (unsigned char *)g->file + g->n};
	ranks = bytes_take(&b, 4);
	if (ranks == 0 || ranks > INT32_MAX || RANGES_AT + ranks * 16 > g->n)
		return err_set(err, ERR_INPUT,
		               "%s: %zu bytes cannot hold the %llu ranks that it says", f->path,
		               g->n, (unsigned long long)ranks);
	return foreign_ranks(f, (uint32_t)ranks, err);
}

struct goal_links { /* of one node: where its dependents are in the appendix */
	uint32_t ends, ends_at, starts, starts_at;
};

/* Which rank's it is, rank_read says. */
static int node_error(const struct foreign *f, unsigned kind, struct err *err)
{
	const struct goal_binary *g = f->impl;

	if (goal_portals(kind))
		return err_set(err, ERR_INPUT, "%s: operation %u: %s %s", f->path, g->graph.n,
		               goal_portals(kind), goal_portals_remedy);
	return err_set(err, ERR_INPUT,
	               "%s: operation %u is of kind %u: expected 1, 2 or 3, as txt2bin of "
	               "LogGOPSim writes",
	               f->path, g->graph.n, kind);
}

static int node_read(struct foreign *f, struct bytes *b, struct goal_links *links, struct err *err)
{
	struct goal_binary *g = f->impl;
	struct goal_node node = {0};
	const unsigned char *from = b->at;
	uint64_t peer, tag;

	bytes_skip(b, 4); /* how many it waits for: counted anew */
	node.kind = (uint8_t)bytes_take(b, 1);
	peer = bytes_take(b, 4);
	node.size = (int64_t)(bytes_take(b, 8) & INT64_MAX);
	tag = bytes_take(b, 4);
	node.cpu = (uint8_t)bytes_take(b, 1);
	node.nic = (uint8_t)bytes_take(b, 1);
	links->ends = (uint32_t)bytes_take(b, 4);
	links->ends_at = (uint32_t)bytes_take(b, 4);
	links->starts = (uint32_t)bytes_take(b, 4);
	links->starts_at = (uint32_t)bytes_take(b, 4);
	bytes_skip(b, g->node_bytes - (size_t)(b->at - from));
	if (node.kind < GOAL_SEND || node.kind > GOAL_CALC)
		return node_error(f, node.kind, err);
	if (goal_is_mark(f->ranks, node.kind, peer) && goal_mark(f, &node, err) < 0)
		return -1;
	if (node.kind != GOAL_CALC && peer >= f->ranks &&
	    !(node.kind == GOAL_RECV && peer == UINT32_MAX))
		return err_set(err, ERR_INPUT,
		               "%s: operation %u has a message with rank %llu: there are %u",
		               f->path, g->graph.n, (unsigned long long)peer, f->ranks);
	node.peer = node.kind == GOAL_CALC ? 0 : (int32_t)peer;
	node.tag = tag == UINT32_MAX ? (node.kind == GOAL_RECV ? TRACE_ANY : 0)
	                             : (int32_t)(tag & INT32_MAX);
	return goal_node_add(&g->graph, &node, err);
}

static int edges_read(struct foreign *f, const unsigned char *appendix, size_t room, uint32_t from,
                      uint32_t n, uint32_t at, int start, struct err *err)
{
	struct goal_binary *g = f->impl;
	struct bytes b;

	if (n > 0 && ((uint64_t)at + n) * 4 > room)
		return err_set(err, ERR_INPUT,
		               "%s: what depends on operation %u is beyond the end of the rank",
		               f->path, from);
	b = (struct bytes){.at = appendix + (n ? (size_t)at * 4 : 0), .end = appendix + room};
	while (n-- > 0) {
		uint32_t to = (uint32_t)bytes_take(&b, 4);

		if (to >= g->graph.n)
			return err_set(
			    err, ERR_INPUT,
			    "%s: at byte %td: operation %u depends on operation %u: there are %u",
			    f->path, b.at - 4 - (unsigned char *)g->file, to, from, g->graph.n);
		if (goal_edge_add(&g->graph, from, to, start, err) < 0)
			return -1;
	}
	return 0;
}

static int nodes_read(struct foreign *f, struct bytes *b, uint32_t nodes, struct err *err)
{
	struct goal_links *links = malloc(((size_t)nodes + 1) * sizeof *links);
	int r = 0;

	if (!links)
		return err_nomem(err, "a schedule", (size_t)nodes * sizeof *links);
	for (uint32_t i = 0; i < nodes && r == 0; i++)
		r = node_read(f, b, &links[i], err);
	for (uint32_t i = 0; i < nodes && r == 0; i++) {
		const unsigned char *appendix = b->at;
		size_t room = (size_t)(b->end - b->at);

		r = edges_read(f, appendix, room, i, links[i].ends, links[i].ends_at, 0, err);
		if (r == 0)
			r = edges_read(f, appendix, room, i, links[i].starts, links[i].starts_at, 1,
			               err);
	}
	free(links);
	return r;
}

static int rank_read(struct foreign *f, uint32_t rank, struct err *err)
{
	struct goal_binary *g = f->impl;
	const unsigned char *file = (unsigned char *)g->file;
	struct bytes b = {.at = file + RANGES_AT + (size_t)rank * 16, .end = file + g->n};
	uint64_t from = bytes_take(&b, 8), to = bytes_take(&b, 8), nodes, roots;

	if (from > to || to > g->n - RANGES_FROM)
		return err_set(err, ERR_INPUT, "%s: rank %u lies outside the file", f->path, rank);
	b = (struct bytes){.at = file + RANGES_FROM + from, .end = file + RANGES_FROM + to};
	nodes = bytes_take(&b, 4);
	roots = bytes_take(&b, 4);
	bytes_skip(&b, roots * 4);
	if (!b.over && !g->node_bytes && nodes > 0)
		g->node_bytes = !fits(b, nodes, NODE_BYTES) && fits(b, nodes, NODE_BYTES_2)
		                    ? NODE_BYTES_2
		                    : NODE_BYTES;
	if (b.over || nodes * g->node_bytes > (uint64_t)(b.end - b.at))
		return err_set(err, ERR_INPUT, "%s: rank %u: its bytes cannot hold %llu operations",
		               f->path, rank, (unsigned long long)nodes);
	if (nodes_read(f, &b, (uint32_t)nodes, err) < 0)
		return foreign_at(f, f->path, err, "rank %u", rank);
	return goal_graph_put(f, rank, &g->graph, err);
}

static int binary_read(struct foreign *f, struct err *err)
{
	struct goal_binary *g = f->impl;
	int r;

	do { /* all again */
		r = 0;
		for (uint32_t i = 0; i < f->ranks && r == 0; i++)
			r = rank_read(f, i, err);
		if (r == 0)
			r = goal_graph_end(f, &g->graph, err);
	} while (r > 0);
	return r;
}

static void binary_close(struct foreign *f)
{
	struct goal_binary *g = f->impl;

	if (!g)
		return;
	goal_graph_release(&g->graph);
	free(g->file);
	free(g);
}

const struct foreign_format foreign_goal_binary = {
    .name = "GOAL (binary)",
    .probe = binary_probe,
    .open = binary_open,
    .read = binary_read,
    .close = binary_close,
    .passes = 1,
    .requests_differ = 1,
};
