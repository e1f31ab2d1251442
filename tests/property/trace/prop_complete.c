/* prop_complete.c: files of ranks as the tracer leaves them, with random wildcard receives,
 * resolves and numbers that are used again, and what completing makes of them, beside a slow
 * reading of the whole list: each receive looks behind itself for what was resolved. The seed is
 * printed. */
#include "../prop.h"

#include "unit/trace/trace_test.h"

#include "base/rng.h"

enum { FILES = 300, LINES = 70, REQS = 5, RANKS = 4 };

enum kind { OTHER, IRECV, RECV_INIT, RESOLVE };

struct line {
	enum kind kind;
	int req, peer, tag; /* -1: any; of a resolve: what came */
	char text[96];
};
struct file {
	struct line line[LINES];
	int n, whole, cut; /* whole: says how many events; cut: half a line follows */
};

static int below(struct rng *r, int n)
{
	return (int)rng_below(r, (uint64_t)n);
}

static void other_draw(struct rng *r, struct line *l)
{
	switch (below(r, 5)) {
	case 0:
		snprintf(l->text, sizeof l->text, "compute %d t=1.5e-05", below(r, 1000));
		break;
	case 1:
		snprintf(l->text, sizeof l->text, "recv -1 -1 8 6 t=0.25");
		break;
	case 2:
		snprintf(l->text, sizeof l->text, "start 1 reqs=%d", below(r, REQS));
		break;
	case 3:
		snprintf(l->text, sizeof l->text, "isend %d 7 8 6 req=%d", below(r, RANKS),
		         REQS + below(r, 3));
		break;
	default:
		snprintf(l->text, sizeof l->text, "barrier   t=0"); /* as it stands */
		break;
	}
}

/* Persistent receives are mostly resolved with one message. */
static void line_draw(struct rng *r, struct line *l)
{
	static const enum kind kinds[] = {OTHER, OTHER, IRECV, IRECV, RECV_INIT, RESOLVE, RESOLVE};

	*l = (struct line){.kind = kinds[below(r, 7)], .req = below(r, REQS)};
	l->peer = below(r, 3) ? -1 : below(r, RANKS);
	l->tag = below(r, 3) ? -1 : below(r, 4);
	if (l->kind == RESOLVE) {
		l->peer = below(r, 4) ? 1 : below(r, RANKS);
		l->tag = below(r, 4) ? 2 : below(r, 4);
		snprintf(l->text, sizeof l->text, "resolve %d %d req=%d", l->peer, l->tag, l->req);
	} else if (l->kind == OTHER) {
		other_draw(r, l);
	} else {
		snprintf(l->text, sizeof l->text, "%s %d %d 1000 6 req=%d",
		         l->kind == IRECV ? "irecv" : "recv_init", l->peer, l->tag, l->req);
	}
}

static void file_draw(struct rng *r, struct file *f)
{
	f->n = below(r, LINES);
	f->whole = below(r, 2);
	f->cut = !f->whole && below(r, 2);
	for (int i = 0; i < f->n; i++)
		line_draw(r, &f->line[i]);
}

static void file_put(const struct file *f, struct str *s)
{
	str_puts(s, "# orrery-trace 1\n# run 8f7d4abdf34820ec\n");
	for (int i = 0; i < f->n; i++)
		str_printf(s, "2 %s\n", f->line[i].text);
	if (f->whole)
		str_printf(s, "# end %d\n", f->n);
	if (f->cut)
		str_puts(s, "2 irecv -1 -1 10");
}

static int is_receive(const struct line *l)
{
	return l->kind == IRECV || l->kind == RECV_INIT;
}

/* What line i was resolved with, from it to the next receive of its number: 1; 0: it was not, or
 * not always with the same. */
static int resolved(const struct file *f, int i, int *peer, int *tag)
{
	int found = 0;

	if (!is_receive(&f->line[i]) || (f->line[i].peer != -1 && f->line[i].tag != -1))
		return 0;
	for (int k = i + 1; k < f->n; k++) {
		const struct line *l = &f->line[k];

		if (l->req != f->line[i].req)
			continue;
		if (is_receive(l))
			break;
		if (l->kind != RESOLVE)
			continue;
		if (found && (*peer != l->peer || *tag != l->tag))
			return 0;
		*peer = l->peer;
		*tag = l->tag;
		found = 1;
	}
	return found;
}

static void line_completed(const struct file *f, int i, struct str *s, uint64_t *patched)
{
	const struct line *l = &f->line[i];
	int peer = 0, tag = 0;

	if (!resolved(f, i, &peer, &tag)) {
		str_printf(s, "2 %s\n", l->text);
		return;
	}
	++*patched;
	str_printf(s, "2 %s %d %d 1000 6 req=%d", l->kind == IRECV ? "irecv" : "recv_init", peer,
	           tag, l->req);
	if (l->kind == IRECV) /* a persistent one has no one message */
		str_printf(s, " any=%s",
		           l->peer == -1 && l->tag == -1 ? "both"
		           : l->peer == -1               ? "source"
		                                         : "tag");
	str_puts(s, "\n");
}

static void completed(const struct file *f, struct str *s, uint64_t *patched)
{
	int events = 0;

	*patched = 0;
	str_puts(s, "# orrery-trace 1\n# run 8f7d4abdf34820ec\n");
	for (int i = 0; i < f->n; i++) {
		if (f->line[i].kind == RESOLVE)
			continue;
		line_completed(f, i, s, patched);
		events++;
	}
	if (f->whole)
		str_printf(s, "# end %d\n", events);
}

static void files_are_completed(void **state)
{
	static struct file f;
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(FILES); seed++) {
		struct str before = {0}, after = {0};
		uint64_t patched, got, dropped;
		struct err err;
		struct rng r;
		char *text;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "completing", 0);
		file_draw(&r, &f);
		file_put(&f, &before);
		completed(&f, &after, &patched);
		remove(file_make(path, dir, "rank-2.tit", ""));
		file_make(path, dir, "rank-2.tit", before.s);
		for (int times = 0; times < 2; times++) { /* twice is the same */
			assert_ok(trace_folder_complete(dir, RANKS, &got, &dropped, NULL, &err),
			          err);
			text = file_text(path);
			assert_string_equal(text, after.s);
			free(text);
			assert_int_equal(got, times ? 0 : patched);
			assert_int_equal(dropped, times ? 0 : f.cut);
		}
		str_release(&before);
		str_release(&after);
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(files_are_completed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
