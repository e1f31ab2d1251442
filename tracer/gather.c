/* gather.c: see gather.h. Whatever fails on a rank, it goes on receiving and sending, so that no
 * other waits for it: what it sends says that it has failed. */
#include "gather.h"
#include "sink.h"
#include "trace/notes.h"

#include "mpi_late.h"

#include "trace/compressed/block_out.h"
#include "trace/compressed/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TAG = 1, PIECE = 1 << 28, BATCH = 256 << 10 };
enum { MESSAGE_FAILED = -1 };

struct child {
	int rank;
	struct pack_map map;
};
struct gather {
	MPI_Comm comm;
	int rank, ranks, parent; /* parent: -1 at the root */
	struct child *child;
	int children;
	int failed;
	struct err *err; /* of the first failure */
	struct sink *sink;
	struct bundle bundle; /* of this rank and those below it */
	struct str batch;     /* costs on their way up */
	struct output file;   /* root */
	struct block_out out;
	struct str moved;
};

/* What went wrong here is told once. */
static void fail(struct gather *g, const struct err *err)
{
	if (!g->failed)
		*g->err = *err;
	g->failed = 1;
}

/* --- the tree --- */

static int tree_make(struct gather *g, int k)
{
	int64_t step = 1;

	g->parent = -1;
	g->child = malloc(sizeof *g->child * 31 * (size_t)k);
	if (!g->child)
		return -1;
	for (; step < g->ranks; step *= k) {
		int64_t digit = g->rank / step % k;

		if (digit) {
			g->parent = (int)(g->rank - digit * step);
			break;
		}
		for (int j = 1; j < k && g->rank + j * step < g->ranks; j++)
			g->child[g->children++] = (struct child){(int)(g->rank + j * step), {0}};
	}
	return 0;
}

/* --- messages --- */

/* n: MESSAGE_FAILED: nothing but that. */
static void message_send(struct gather *g, const char *bytes, int64_t n)
{
	PMPI_Send(&n, (int)sizeof n, MPI_BYTE, g->parent, TAG, g->comm);
	for (int64_t at = 0; at < n; at += PIECE)
		PMPI_Send(bytes + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, g->parent,
		          TAG, g->comm);
}

/* n bytes that nobody can keep: cut, which is an error that the communicator returns. */
static void message_drop(struct gather *g, int from, int64_t n)
{
	char nothing;

	for (; n > 0; n -= PIECE)
		PMPI_Recv(&nothing, 0, MPI_BYTE, from, TAG, g->comm, MPI_STATUS_IGNORE);
}

/* A message into out: its length, or MESSAGE_FAILED. */
static int64_t message_take(struct gather *g, int from, struct str *out)
{
	int64_t n = 0;

	PMPI_Recv(&n, (int)sizeof n, MPI_BYTE, from, TAG, g->comm, MPI_STATUS_IGNORE);
	str_clear(out);
	if (n <= 0)
		return n;
	if (out->cap < (size_t)n + 1) {
		str_release(out);
		out->s = malloc((size_t)n + 1);
		out->cap = out->s ? (size_t)n + 1 : 0;
	}
	if (!out->s) {
		struct err err;

		err_nomem(&err, "the traces of other ranks", (size_t)n);
		fail(g, &err);
		message_drop(g, from, n);
		return MESSAGE_FAILED;
	}
	for (int64_t at = 0; at < n; at += PIECE)
		PMPI_Recv(out->s + at, (int)(n - at < PIECE ? n - at : PIECE), MPI_BYTE, from, TAG,
		          g->comm, MPI_STATUS_IGNORE);
	out->s[n] = '\0';
	out->n = (size_t)n;
	return n;
}

/* --- structures --- */

/* What this rank did, its i-th part: a chapter that was put away, the nest at the end, nothing. */
static int own_part(struct gather *g, uint32_t i, struct err *err)
{
	struct sink *s = g->sink;
	struct str packed = {0};
	int r;

	if (i > s->chapters)
		return 0;
	if (i == s->chapters)
		return s->nest.events ? bundle_add(&g->bundle, s->rank, &s->nest, err) : 0;
	r = sink_chapter(s, i, &packed, err);
	if (r == 0)
		r = bundle_merge(&g->bundle, (const uint8_t *)packed.s, packed.n, NULL, err);
	str_release(&packed);
	return r;
}

static void child_merge(struct gather *g, struct child *c, struct str *bytes)
{
	struct err err;
	int64_t n = message_take(g, c->rank, bytes);

	pack_map_release(&c->map);
	if (n < 0)
		g->failed = 1;
	else if (!g->failed &&
	         bundle_merge(&g->bundle, (const uint8_t *)bytes->s, bytes->n, &c->map, &err) < 0)
		fail(g, &err);
}

static void structures_up(struct gather *g, uint32_t part)
{
	struct str bytes = {0};
	struct err err;

	if (!g->failed && own_part(g, part, &err) < 0)
		fail(g, &err);
	for (int i = 0; i < g->children; i++)
		child_merge(g, &g->child[i], &bytes);
	str_clear(&bytes);
	if (g->parent >= 0) {
		if (!g->failed)
			bundle_pack(&g->bundle, 0, &bytes);
		message_send(g, bytes.s,
		             g->failed || bytes.failed ? MESSAGE_FAILED : (int64_t)bytes.n);
	} else if (!g->failed &&
	           block_out_bundle(&g->out, &g->bundle, (uint32_t)g->ranks, &err) < 0) {
		fail(g, &err);
	}
	str_release(&bytes);
}

/* --- costs: batches of (rank, length, bytes), up to an empty one --- */

static void batch_send(struct gather *g)
{
	if (g->batch.n > 0 && !g->batch.failed)
		message_send(g, g->batch.s, (int64_t)g->batch.n);
	g->failed |= g->batch.failed;
	str_clear(&g->batch);
}

static void costs_pass(struct gather *g, uint32_t rank, const uint8_t *own, size_t n)
{
	uint32_t head[2] = {rank, (uint32_t)n};
	struct err err;

	if (g->failed)
		return;
	if (g->parent < 0) {
		if (block_out_costs(&g->out, rank, own, n, &err) < 0)
			fail(g, &err);
		return;
	}
	str_putn(&g->batch, (const char *)head, sizeof head);
	str_putn(&g->batch, (const char *)own, n);
	if (g->batch.n > BATCH || g->batch.failed)
		batch_send(g);
}

/* Costs of a rank below, whose lists have the numbers of the child. */
static void costs_move(struct gather *g, const struct child *c, uint32_t rank, const uint8_t *own,
                       size_t n)
{
	struct err err;

	if (g->failed)
		return;
	if (bundle_own_moved(&g->bundle, rank, &c->map, own, n, &g->moved, &err) < 0)
		fail(g, &err);
	else if (g->moved.n > 0)
		costs_pass(g, rank, (const uint8_t *)g->moved.s, g->moved.n);
	else
		costs_pass(g, rank, own, n);
}

static void batch_take(struct gather *g, const struct child *c, const struct str *batch)
{
	const uint8_t *p = (const uint8_t *)batch->s, *end = p + batch->n;

	while (end - p >= 8) {
		uint32_t head[2];

		memcpy(head, p, sizeof head);
		p += sizeof head;
		if (head[1] > (size_t)(end - p))
			return; /* a batch is whole */
		costs_move(g, c, head[0], p, head[1]);
		p += head[1];
	}
}

static void costs_up(struct gather *g)
{
	struct str batch = {0};
	struct err err;

	for (uint32_t i = 0; i < g->bundle.members; i++) {
		const struct bundle_member *m = &g->bundle.member[i];

		if (m->own)
			costs_pass(g, m->rank, m->own, m->bytes);
	}
	for (int i = 0; i < g->children; i++) {
		int64_t n;

		while ((n = message_take(g, g->child[i].rank, &batch)) > 0)
			batch_take(g, &g->child[i], &batch);
		g->failed |= n < 0;
	}
	str_release(&batch);
	if (g->parent >= 0) {
		batch_send(g);
		message_send(g, NULL, g->failed ? MESSAGE_FAILED : 0);
	} else if (!g->failed && block_out_costs_end(&g->out, &err) < 0) {
		fail(g, &err);
	}
}

/* --- all of it --- */

static int file_write(void *self, const void *bytes, size_t n, struct err *err)
{
	return output_write(self, bytes, n, err);
}

static void file_begin(struct gather *g, const char *dir)
{
	char path[4096];
	struct err err;

	g->out.write = file_write;
	g->out.self = &g->file;
	snprintf(path, sizeof path, "%s/events", dir);
	if (output_open(&g->file, path, &err) < 0 || fchmod(g->file.fd, 0600) < 0 ||
	    block_out_head(&g->out, (uint32_t)g->ranks, &err) < 0)
		fail(g, &err);
}

static void notes_up(struct gather *g)
{
	struct str *all = &g->sink->notes, more = {0};
	struct err err;

	for (int i = 0; i < g->children; i++) {
		int64_t n = message_take(g, g->child[i].rank, &more);

		if (n < 0)
			g->failed = 1;
		else if (!g->failed && n > 0 && notes_merge(all, more.s, &err) < 0)
			fail(g, &err);
	}
	str_release(&more);
	if (g->parent >= 0)
		message_send(g, all->s, g->failed ? MESSAGE_FAILED : (int64_t)all->n);
}

static void file_end(struct gather *g)
{
	const struct str *notes = &g->sink->notes;
	struct err err;

	if (g->failed)
		return;
	if (block_out_put(&g->out, BLOCK_NOTES, notes->s, notes->n, &err) < 0 ||
	    block_out_put(&g->out, BLOCK_END, NULL, 0, &err) < 0 ||
	    output_commit(&g->file, &err) < 0)
		fail(g, &err);
}

static void gather_release(struct gather *g)
{
	for (int i = 0; i < g->children; i++)
		pack_map_release(&g->child[i].map);
	free(g->child);
	bundle_release(&g->bundle);
	str_release(&g->batch);
	str_release(&g->moved);
	if (g->parent < 0) {
		block_out_release(&g->out);
		output_release(&g->file);
	}
	PMPI_Comm_free(&g->comm);
}

/* Everything but agreeing on whether it can be done. */
static int tree_run(struct gather *g, const char *dir, uint32_t parts)
{
	int done;

	if (g->parent < 0)
		file_begin(g, dir);
	for (uint32_t i = 0; i < parts; i++) {
		bundle_release(&g->bundle);
		structures_up(g, i);
		costs_up(g);
	}
	notes_up(g);
	if (g->parent < 0)
		file_end(g);
	done = !g->failed;
	PMPI_Bcast(&done, 1, MPI_INT, 0, g->comm);
	return done;
}

int gather_run(MPI_Comm world, struct sink *s, const char *dir, int tree, int ok, struct err *err)
{
	struct gather g = {.err = err, .sink = s, .file.fd = -1};
	int mine[2], all[2];

	err->kind = ERR_NONE;
	PMPI_Comm_dup(world, &g.comm);
	PMPI_Comm_set_errhandler(g.comm, MPI_ERRORS_RETURN);
	PMPI_Comm_rank(g.comm, &g.rank);
	PMPI_Comm_size(g.comm, &g.ranks);
	bundle_init(&g.bundle, 100);
	mine[0] = ok && s && tree_make(&g, tree) == 0;
	mine[1] = s ? -(int)s->chapters - 1 : 0;
	PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, g.comm);
	if (all[0])
		all[0] = tree_run(&g, dir, (uint32_t)-all[1]);
	gather_release(&g);
	if (s)
		sink_close(s, all[0]);
	return all[0];
}
