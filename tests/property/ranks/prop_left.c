/* prop_left.c: with --checks, objects that ranks made and never freed are told, each kind with how
 * many there are and of whom; random numbers of all kinds, of which some are freed, beside a plain
 * count. What only another object still holds was freed; what is predefined, or was only asked for
 * and given back, was never the program's. */
#include "../prop.h"

#include "../../unit/ranks/ranks.h"

#include "base/rng.h"

enum { RANKS = 4, EACH = 6, CASES = 60 };
enum kind { COMMS, TYPES, OPERATORS, GROUPS, INFOS, HANDLERS, REQUESTS, KINDS };

struct plan {
	uint64_t seed;
	int n, made[RANKS][KINDS], freed[RANKS][KINDS];
};

static void adds(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void handles(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

union any {
	MPI_Comm comm;
	MPI_Datatype type;
	MPI_Op op;
	MPI_Group group;
	MPI_Info info;
	MPI_Errhandler handler;
	MPI_Request request;
};

static void make(enum kind k, union any *x, int *buf)
{
	MPI_Datatype inner;
	const int ranks[] = {0};
	MPI_Group world;

	switch (k) {
	case COMMS:
		OK(orr_Comm_dup(MPI_COMM_SELF, &x->comm));
		break;
	case TYPES: /* the one inside is freed: only the other one is left */
		OK(orr_Type_contiguous(2, MPI_INT, &inner));
		OK(orr_Type_vector(2, 1, 2, inner, &x->type));
		OK(orr_Type_free(&inner));
		break;
	case OPERATORS:
		OK(orr_Op_create((MPI_User_function *)adds, 1, &x->op));
		break;
	case GROUPS:
		OK(orr_Comm_group(MPI_COMM_WORLD, &world));
		OK(orr_Group_incl(world, 1, ranks, &x->group));
		OK(orr_Group_free(&world));
		break;
	case INFOS:
		OK(orr_Info_create(&x->info));
		OK(orr_Info_set(x->info, "key", "value"));
		break;
	case HANDLERS:
		OK(orr_Comm_create_errhandler((MPI_Comm_errhandler_function *)handles,
		                              &x->handler));
		break;
	default:
		OK(orr_Recv_init(buf, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &x->request));
	}
}

static void unmake(enum kind k, union any *x)
{
	switch (k) {
	case COMMS:
		OK(orr_Comm_free(&x->comm));
		break;
	case TYPES:
		OK(orr_Type_free(&x->type));
		break;
	case OPERATORS:
		OK(orr_Op_free(&x->op));
		break;
	case GROUPS:
		OK(orr_Group_free(&x->group));
		break;
	case INFOS:
		OK(orr_Info_free(&x->info));
		break;
	case HANDLERS:
		OK(orr_Errhandler_free(&x->handler));
		break;
	default:
		OK(orr_Request_free(&x->request));
	}
}

/* Things that leave nothing: asked for and given back; predefined; made by the library for itself.
 */
static void harmless(void)
{
	MPI_Errhandler h;
	MPI_Group g, none;
	MPI_Info i;
	int x = 1, y;
	MPI_Request q;

	OK(orr_Comm_get_errhandler(MPI_COMM_WORLD, &h));
	OK(orr_Comm_group(MPI_COMM_WORLD, &g));
	OK(orr_Group_difference(g, g, &none)); /* MPI_GROUP_EMPTY */
	OK(orr_Group_free(&g));
	OK(orr_Comm_get_info(MPI_COMM_WORLD, &i));
	OK(orr_Info_free(&i));
	OK(orr_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
}

static void body(int me, void *arg)
{
	const struct plan *p = arg;
	union any x[KINDS][EACH];
	static int buf;

	for (int k = 0; k < KINDS; k++)
		for (int i = 0; i < p->made[me][k]; i++)
			make((enum kind)k, &x[k][i], &buf);
	harmless();
	for (int k = KINDS - 1; k >= 0; k--)
		for (int i = 0; i < p->freed[me][k]; i++)
			unmake((enum kind)k, &x[k][i]);
}

/* The line of a kind, as it must be; "": none. */
static void line_of(const struct plan *p, enum kind k, char *out, size_t n)
{
	static const char *const names[KINDS][2] = {{"communicator", "communicators"},
	                                            {"datatype", "datatypes"},
	                                            {"operator", "operators"},
	                                            {"group", "groups"},
	                                            {"info", "infos"},
	                                            {"error handler", "error handlers"},
	                                            {"request", "requests"}};
	int left = 0, ranks = 0, first = -1;

	for (int r = 0; r < p->n; r++) {
		int its = p->made[r][k] - p->freed[r][k];

		left += its;
		ranks += its > 0;
		if (its > 0 && first < 0)
			first = r;
	}
	if (left == 0)
		snprintf(out, n, "%s", "");
	else if (ranks == 1)
		snprintf(out, n, "never freed: %d %s, by rank %d", left, names[k][left != 1],
		         first);
	else
		snprintf(out, n, "never freed: %d %s, by %d ranks", left, names[k][left != 1],
		         ranks);
}

/* What is told, without where each was made: it was made in this test. */
static int told_lines(const char *text, char lines[][128])
{
	int n = 0;

	while (*text) {
		const char *end = strchr(text, '\n'), *at = strstr(text, ", made at "),
		           *by = at ? strstr(at, ", by ") : NULL;

		assert_true(end && at && by && by < end && n < 2 * KINDS);
		snprintf(lines[n++], 128, "%.*s%.*s", (int)(at - text), text, (int)(end - by), by);
		text = end + 1;
	}
	return n;
}

static void left(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(CASES); seed++) {
		struct plan p = {.seed = seed};
		struct ranks run = {.body = body, .arg = &p, .checks = 1};
		char lines[2 * KINDS][128], want[128];
		int n, expected = 0;
		struct rng r;

		rng_init(&r, seed, "left", 0);
		run.n = p.n = 1 + (int)rng_below(&r, RANKS);
		for (int rank = 0; rank < p.n; rank++)
			for (int k = 0; k < KINDS; k++) {
				p.made[rank][k] = (int)rng_below(&r, EACH);
				p.freed[rank][k] = rng_below(&r, 2)
				                       ? p.made[rank][k]
				                       : (int)rng_below(
				                             &r, (uint64_t)p.made[rank][k] + 1);
			}
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
		n = told_lines(run.left, lines);
		for (int k = 0; k < KINDS; k++) {
			int found = 0;

			line_of(&p, (enum kind)k, want, sizeof want);
			expected += *want != '\0';
			for (int i = 0; i < n; i++)
				found += strcmp(lines[i], want) == 0;
			if (*want && found != 1)
				fail_msg("seed %llu: \"%s\" is not in:\n%s",
				         (unsigned long long)seed, want, run.left);
		}
		if (n != expected)
			fail_msg("seed %llu: %d lines, not %d:\n%s", (unsigned long long)seed, n,
			         expected, run.left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(left)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
