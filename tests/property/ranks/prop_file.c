/* prop_file.c: files beside an array of bytes: random views, of which each rank has some of the
 * etypes and nobody those of another, and random accesses of all kinds through them (MPI 4.0,
 * chapter 14). All ranks draw the same plan, so each knows the whole file.
 *
 * A view is written out: slot[i] is the place, in etypes, of the i-th etype of a tile of `tile`
 * etypes; tiles follow each other from disp on. Memory holds ints in one of two layouts. */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/layout.h"
#include "base/rng.h"

#include <byteswap.h>

enum { MOST = 5, TILE = 12, PHASES = 10, COUNT = 30, BYTES = 1 << 16, CASES = 40 };
enum way { AT, OWN, AT_ALL, ALL, ORDERED, SHARED, WAYS };
enum form { BLOCKING, REQUEST, SPLIT, FORMS };

struct view {
	int64_t disp; /* bytes */
	int tile, n[MOST], slot[MOST][TILE];
	int ints; /* of an etype */
	int external;
};
struct phase {
	struct view view;
	int write, sets_view;
	enum way way;
	enum form form;
	enum layout layout;
	int count[MOST]; /* etypes */
	int64_t offset[MOST];
	int64_t resize;     /* bytes, -1: not */
	int seek, preallot; /* whence, where it moves a pointer */
};
struct plan {
	int n, phases;
	uint64_t seed;
	char path[128];
	struct phase phase[PHASES];
};

/* The file as it must be, and the pointers. */
struct model {
	unsigned char byte[BYTES];
	int64_t size, own[MOST], shared;
	struct view view;
};

/* The place of etype p of a rank's view, in bytes. */
static int64_t place(const struct view *v, int rank, int64_t p)
{
	int n = v->n[rank];

	return v->disp + 4 * v->ints * (p / n * v->tile + v->slot[rank][p % n]);
}

/* How many of its etypes begin before the end of the file. */
static int64_t etypes_before(const struct view *v, int rank, int64_t size)
{
	int64_t p = 0;

	while (place(v, rank, p) < size)
		p++;
	return p;
}

/* How many ints of these etypes are in the file: it may end in the midst of one. */
static int64_t ints_there(const struct view *v, int rank, int64_t at, int64_t etypes, int64_t size)
{
	int64_t n = 0;

	while (n < etypes * v->ints &&
	       place(v, rank, at + n / v->ints) + 4 * (n % v->ints) + 4 <= size)
		n++;
	return n;
}

static int value(int phase, int rank, int64_t i)
{
	return phase * 100003 + rank * 7919 + (int)i * 31 + 1;
}

static void model_write(struct model *m, int64_t at, int x, int external)
{
	uint32_t bits = external ? bswap_32((uint32_t)x) : (uint32_t)x;

	assert_true(at + 4 <= BYTES);
	memcpy(m->byte + at, &bits, 4);
	m->size = at + 4 > m->size ? at + 4 : m->size;
}

static int model_read(const struct model *m, int64_t at, int external)
{
	uint32_t bits;

	memcpy(&bits, m->byte + at, 4);
	return (int)(external ? bswap_32(bits) : bits);
}

/* --- what an access must do --- */

/* Where each rank's access begins. */
static void begins(const struct plan *p, const struct phase *f, struct model *m, int64_t *at)
{
	for (int r = 0; r < p->n; r++) {
		if (f->way == AT || f->way == AT_ALL) {
			at[r] = f->offset[r];
		} else if (f->way == ORDERED || f->way == SHARED) {
			at[r] = m->shared;
			m->shared += f->count[r];
		} else {
			at[r] = m->own[r];
		}
	}
}

/* done: ints */
static void model_apply(const struct plan *p, int number, struct model *m, const int64_t *at,
                        int64_t *done)
{
	const struct phase *f = &p->phase[number];
	const struct view *v = &m->view;

	for (int r = 0; r < p->n; r++) {
		done[r] = f->write ? (int64_t)f->count[r] * v->ints
		                   : ints_there(v, r, at[r], f->count[r], m->size);
		if (f->way == OWN || f->way == ALL)
			m->own[r] = at[r] + f->count[r];
	}
	for (int r = 0; f->write && r < p->n; r++)
		for (int64_t i = 0; i < f->count[r]; i++)
			for (int k = 0; k < v->ints; k++)
				model_write(m, place(v, r, at[r] + i) + 4 * k,
				            value(number, r, i * v->ints + k), v->external);
}

/* --- doing it --- */

struct own {
	int me;
	MPI_File fh;
	MPI_Datatype type; /* of memory */
	int *buf;
	int64_t ints;
};

static void view_set(const struct own *o, const struct view *v)
{
	MPI_Datatype etype, blocks, filetype;
	MPI_Count disp[TILE];
	int n = v->n[o->me];

	OK(orr_Type_contiguous(v->ints, MPI_INT, &etype));
	OK(orr_Type_commit(&etype));
	for (int i = 0; i < n; i++)
		disp[i] = v->slot[o->me][i];
	OK(orr_Type_create_indexed_block(n, 1, disp, etype, &blocks));
	OK(orr_Type_create_resized(blocks, 0, 4 * v->ints * v->tile, &filetype));
	OK(orr_Type_commit(&filetype));
	OK(orr_File_set_view(o->fh, v->disp, etype, filetype, v->external ? "external32" : "native",
	                     MPI_INFO_NULL));
	OK(orr_Type_free(&etype)); /* the view keeps them */
	OK(orr_Type_free(&blocks));
	OK(orr_Type_free(&filetype));
}

static void go_blocking(const struct own *o, const struct phase *f, MPI_Status *s)
{
	MPI_Offset at = f->offset[o->me];
	int w = f->write;

	switch (f->way) {
	case AT:
		OK(w ? orr_File_write_at(o->fh, at, o->buf, o->ints, o->type, s)
		     : orr_File_read_at(o->fh, at, o->buf, o->ints, o->type, s));
		break;
	case OWN:
		OK(w ? orr_File_write(o->fh, o->buf, o->ints, o->type, s)
		     : orr_File_read(o->fh, o->buf, o->ints, o->type, s));
		break;
	case AT_ALL:
		OK(w ? orr_File_write_at_all(o->fh, at, o->buf, o->ints, o->type, s)
		     : orr_File_read_at_all(o->fh, at, o->buf, o->ints, o->type, s));
		break;
	case ALL:
		OK(w ? orr_File_write_all(o->fh, o->buf, o->ints, o->type, s)
		     : orr_File_read_all(o->fh, o->buf, o->ints, o->type, s));
		break;
	case ORDERED:
		OK(w ? orr_File_write_ordered(o->fh, o->buf, o->ints, o->type, s)
		     : orr_File_read_ordered(o->fh, o->buf, o->ints, o->type, s));
		break;
	default: /* alone: one after the other */
		OK(w ? orr_File_write_shared(o->fh, o->buf, o->ints, o->type, s)
		     : orr_File_read_shared(o->fh, o->buf, o->ints, o->type, s));
	}
}

static void go_request(const struct own *o, const struct phase *f, MPI_Status *s)
{
	MPI_Offset at = f->offset[o->me];
	MPI_Request q;
	int w = f->write;

	switch (f->way) {
	case AT:
		OK(w ? orr_File_iwrite_at(o->fh, at, o->buf, o->ints, o->type, &q)
		     : orr_File_iread_at(o->fh, at, o->buf, o->ints, o->type, &q));
		break;
	case OWN:
		OK(w ? orr_File_iwrite(o->fh, o->buf, o->ints, o->type, &q)
		     : orr_File_iread(o->fh, o->buf, o->ints, o->type, &q));
		break;
	case AT_ALL:
		OK(w ? orr_File_iwrite_at_all(o->fh, at, o->buf, o->ints, o->type, &q)
		     : orr_File_iread_at_all(o->fh, at, o->buf, o->ints, o->type, &q));
		break;
	case ALL:
		OK(w ? orr_File_iwrite_all(o->fh, o->buf, o->ints, o->type, &q)
		     : orr_File_iread_all(o->fh, o->buf, o->ints, o->type, &q));
		break;
	default:
		OK(w ? orr_File_iwrite_shared(o->fh, o->buf, o->ints, o->type, &q)
		     : orr_File_iread_shared(o->fh, o->buf, o->ints, o->type, &q));
	}
	OK(orr_Wait(&q, s));
}

static void go_split(const struct own *o, const struct phase *f, MPI_Status *s)
{
	MPI_Offset at = f->offset[o->me];
	int w = f->write;

	switch (f->way) {
	case AT_ALL:
		OK(w ? orr_File_write_at_all_begin(o->fh, at, o->buf, o->ints, o->type)
		     : orr_File_read_at_all_begin(o->fh, at, o->buf, o->ints, o->type));
		OK(w ? orr_File_write_at_all_end(o->fh, o->buf, s)
		     : orr_File_read_at_all_end(o->fh, o->buf, s));
		break;
	case ALL:
		OK(w ? orr_File_write_all_begin(o->fh, o->buf, o->ints, o->type)
		     : orr_File_read_all_begin(o->fh, o->buf, o->ints, o->type));
		OK(w ? orr_File_write_all_end(o->fh, o->buf, s)
		     : orr_File_read_all_end(o->fh, o->buf, s));
		break;
	default:
		OK(w ? orr_File_write_ordered_begin(o->fh, o->buf, o->ints, o->type)
		     : orr_File_read_ordered_begin(o->fh, o->buf, o->ints, o->type));
		OK(w ? orr_File_write_ordered_end(o->fh, o->buf, s)
		     : orr_File_read_ordered_end(o->fh, o->buf, s));
	}
}

/* Ranks take turns: else which one comes first is nobody's business. */
static void access_go(const struct own *o, const struct plan *p, const struct phase *f,
                      MPI_Status *s)
{
	for (int turn = 0; turn < (f->way == SHARED ? p->n : 1); turn++) {
		if (f->way != SHARED || turn == o->me) {
			if (f->form == SPLIT)
				go_split(o, f, s);
			else if (f->form == REQUEST)
				go_request(o, f, s);
			else
				go_blocking(o, f, s);
		}
		OK(orr_Barrier(MPI_COMM_WORLD));
	}
}

static void access_check(const struct own *o, const struct plan *p, int number,
                         const struct model *m, int64_t at, int64_t done, const MPI_Status *s)
{
	const struct phase *f = &p->phase[number];
	const struct view *v = &m->view;
	MPI_Count n;

	OK(orr_Get_count(s, MPI_INT, &n));
	if (n != done)
		fail_msg("seed %llu, phase %d, rank %d: %lld ints, not %lld",
		         (unsigned long long)p->seed, number, o->me, (long long)n, (long long)done);
	for (int64_t i = 0; !f->write && i < o->ints; i++) {
		int got = o->buf[layout_place(f->layout, (int)i)], want = UNTOUCHED;

		if (i < done)
			want = model_read(m, place(v, o->me, at + i / v->ints) + 4 * (i % v->ints),
			                  v->external);
		if (got != want)
			fail_msg("seed %llu, phase %d, rank %d: int %lld is %d, not %d",
			         (unsigned long long)p->seed, number, o->me, (long long)i, got,
			         want);
	}
}

/* --- pointers --- */

static void pointers_check(const struct own *o, const struct plan *p, int number,
                           const struct model *m)
{
	MPI_Offset at, byte, size;

	OK(orr_File_get_position(o->fh, &at));
	if (at != m->own[o->me])
		fail_msg("seed %llu, phase %d, rank %d: the pointer is at %lld, not %lld",
		         (unsigned long long)p->seed, number, o->me, (long long)at,
		         (long long)m->own[o->me]);
	OK(orr_File_get_byte_offset(o->fh, at, &byte));
	assert_int_equal(byte, place(&m->view, o->me, at));
	OK(orr_File_get_position_shared(o->fh, &at));
	assert_int_equal(at, m->shared);
	OK(orr_File_get_size(o->fh, &size));
	assert_int_equal(size, m->size);
}

/* Each rank's own pointer goes somewhere: from the begin, from where it is, from the end. */
static void seeks(const struct own *o, const struct plan *p, const struct phase *f, struct model *m)
{
	for (int r = 0; r < p->n; r++) {
		int64_t from = f->seek == MPI_SEEK_SET   ? 0
		               : f->seek == MPI_SEEK_CUR ? m->own[r]
		                                         : etypes_before(&m->view, r, m->size);

		m->own[r] = from + f->offset[r];
	}
	OK(orr_File_seek(o->fh, f->offset[o->me], f->seek));
	OK(orr_Barrier(MPI_COMM_WORLD)); /* the end is where it was for all */
}

static void resizes(const struct own *o, const struct phase *f, struct model *m)
{
	if (f->preallot)
		OK(orr_File_preallocate(o->fh, f->resize));
	else
		OK(orr_File_set_size(o->fh, f->resize));
	if (f->preallot && f->resize <= m->size)
		return;
	if (f->resize < m->size)
		memset(m->byte + f->resize, 0, (size_t)(m->size - f->resize));
	m->size = f->resize;
}

static void phase_go(struct own *o, const struct plan *p, int number, struct model *m)
{
	const struct phase *f = &p->phase[number];
	int64_t at[MOST], done[MOST];
	MPI_Status s;

	if (f->sets_view) {
		m->view = f->view;
		view_set(o, &f->view);
		memset(m->own, 0, sizeof m->own);
		m->shared = 0;
	}
	if (f->resize >= 0)
		resizes(o, f, m);
	if (f->seek)
		seeks(o, p, f, m);
	begins(p, f, m, at);
	o->ints = (int64_t)f->count[o->me] * m->view.ints;
	o->type = layout_type(f->layout);
	o->buf = ints_new(2 * COUNT * m->view.ints);
	for (int64_t i = 0; f->write && i < o->ints; i++)
		o->buf[layout_place(f->layout, (int)i)] = value(number, o->me, i);
	model_apply(p, number, m, at, done);
	access_go(o, p, f, &s);
	OK(orr_File_sync(o->fh));
	OK(orr_Barrier(MPI_COMM_WORLD));
	access_check(o, p, number, m, at[o->me], done[o->me], &s);
	pointers_check(o, p, number, m);
	layout_type_end(o->type);
	free(o->buf);
	OK(orr_Barrier(MPI_COMM_WORLD));
}

static void body(int me, void *arg)
{
	const struct plan *p = arg;
	struct model *m = calloc(1, sizeof *m);
	struct own o = {.me = me};

	assert_non_null(m);
	OK(orr_File_open(MPI_COMM_WORLD, p->path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
	                 &o.fh));
	for (int i = 0; i < p->phases; i++)
		phase_go(&o, p, i, m);
	OK(orr_File_close(&o.fh));
	free(m);
}

/* --- what is drawn --- */

/* Each etype of a tile is some rank's, or nobody's; each rank has one at least. Ranks that share a
 * pointer have the same view. */
static void view_draw(struct rng *r, int n, int same, struct view *v)
{
	int owner[TILE];

	*v = (struct view){.disp = 4 * (int64_t)rng_below(r, 10),
	                   .ints = 1 + (int)rng_below(r, 2),
	                   .external = (int)rng_below(r, 2)};
	v->tile = n + (int)rng_below(r, (uint64_t)(TILE - n + 1));
	for (int i = 0; i < v->tile; i++)
		owner[i] = i < n ? i : (int)rng_below(r, (uint64_t)n + 1);
	for (int i = v->tile - 1; i > 0; i--) {
		int k = (int)rng_below(r, (uint64_t)i + 1), x = owner[i];

		owner[i] = owner[k], owner[k] = x;
	}
	for (int i = 0; i < v->tile; i++)
		for (int k = 0; k < n; k++)
			if (same ? owner[i] < n : owner[i] == k)
				v->slot[k][v->n[k]++] = i;
}

static void phase_draw(struct rng *r, int n, int first, int same, struct phase *f)
{
	static const int whence[] = {0, MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};

	*f = (struct phase){.write = (int)rng_below(r, 2),
	                    .sets_view = first || rng_below(r, 4) == 0,
	                    .way = (enum way)rng_below(r, same ? WAYS : ORDERED),
	                    .form = (enum form)rng_below(r, FORMS),
	                    .layout = (enum layout)rng_below(r, SWAPPED),
	                    .resize = -1,
	                    .seek = whence[rng_below(r, 4)]};
	if (same) /* all would write to one place */
		f->way = rng_below(r, 2) ? ORDERED : SHARED;
	if (rng_below(r, 5) == 0)
		f->resize = 4 * (int64_t)rng_below(r, 400);
	f->preallot = f->resize > 0 && rng_below(r, 2);
	if (f->form == SPLIT && (f->way == AT || f->way == OWN || f->way == SHARED))
		f->form = BLOCKING;
	if (f->form == REQUEST && f->way == ORDERED)
		f->form = BLOCKING;
	view_draw(r, n, same, &f->view);
	for (int k = 0; k < n; k++) {
		f->count[k] = (int)rng_below(r, COUNT);
		f->offset[k] = (int64_t)rng_below(r, 40);
	}
}

static void files(void **state)
{
	static struct plan p;
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (uint64_t seed = from; seed <= to; seed++) {
		struct ranks run = {.body = body, .arg = &p};
		struct rng r;
		int same;

		rng_init(&r, seed, "files", 0);
		p = (struct plan){.seed = seed, .n = 1 + (int)rng_below(&r, MOST)};
		p.phases = 1 + (int)rng_below(&r, PHASES);
		same = rng_below(&r, 3) == 0;
		for (int i = 0; i < p.phases; i++)
			phase_draw(&r, p.n, i == 0, same, &p.phase[i]);
		snprintf(p.path, sizeof p.path, "%s/file", t.dir);
		unlink(p.path);
		run.n = p.n;
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
	}
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(files)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
