/* coll_messages.c: prints the messages that the step lists of a collective algorithm make, for
 * comparison with other programs' lists.
 *
 * Reads lines "kind algorithm p root count type_size shape compat per_host" (shape: of the counts
 * of vector forms, see cases.h; per_host: ranks on each host, in blocks; negative: cyclic) and
 * prints for each
 * the line and then, per rank, what it posts in order: "rank: S<to>:<bytes> R<from>:<bytes> …";
 * "refused: why" instead where the algorithm refuses. The name of a selector stands for the
 * algorithm that it chooses; "name@K" or "name@K,BYTES" gives an algorithm its parameters. Argument
 * "names": prints the names of all algorithms; "table": the table of docs/collectives.md; "ompi":
 * those that have a number in Open MPI; "chosen": of each line the algorithm, instead of its
 * messages. */
#include "../property/coll/cases.h"
#include "coll/rules/numbers.h"

#include <inttypes.h>
#include <string.h>

static void print_rank(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank)
{
	struct coll_cursor c = {0};
	struct coll_steps steps;
	printf("%" PRIu32 ":", rank);
	while (coll_next(alg, a, rank, &c, &steps) == 0)
		for (uint32_t i = 0; i < steps.n; i++) {
			const struct coll_step *s = &steps.s[i];
			if (s->kind == STEP_SEND || s->kind == STEP_ISEND)
				printf(" S%" PRIu32 ":%" PRId64, s->peer, s->len);
			if (s->kind == STEP_RECV || s->kind == STEP_IRECV)
				printf(" R%" PRIu32 ":%" PRId64, s->peer, s->len);
		}
	printf("\n");
}

/* The algorithm of that name, or the choice of the selector (or "file:PATH") of that name, with its
 * parameters. The parts of algorithms made of others are then chosen by that selector too, behind a
 * file by the selector ompi-4. NULL: said why. */
static const struct coll_alg *choose(struct coll_args *args, const char *full_name,
                                     struct coll_policy *policy)
{
	struct err err;
	char name[256];
	uint32_t k = 0;
	int64_t segment = 0;
	const char *at = strncmp(full_name, "file:", 5) == 0 ? NULL : strchr(full_name, '@');
	snprintf(name, sizeof name, "%.*s", at ? (int)(at - full_name) : (int)sizeof name - 1,
	         full_name);
	if (at)
		sscanf(at, "@%" SCNu32 ",%" SCNd64, &k, &segment);
	int is_file = strncmp(name, "file:", 5) == 0;
	*policy = (struct coll_policy){.selector = coll_selector_find(is_file ? "ompi-4" : name)};
	if (coll_policy_set(policy, args[0].kind, name, &err) < 0) {
		printf("unknown: %s\n", err.text);
		return NULL;
	}
	for (uint32_t r = 0; r < args[0].size; r++)
		args[r].policy = policy;
	struct coll_choice c = coll_decide(&args[0]);
	for (uint32_t r = 0; r < args[0].size; r++) {
		args[r].segment = at ? segment : c.segment;
		args[r].fanout = at ? k : c.fanout;
	}
	if (c.wanted && !is_file && c.selector == NULL) {
		printf("refused: %s\n", c.refused);
		return NULL;
	}
	return c.alg;
}

enum { NEIGHBOURS = 3 };
/* Rank r of a neighbourhood collective sends to r+1, r+2, r+3 and hears from r-1, r-2, r-3; its
 * i-th block of vector forms is i elements longer, that of allgatherv r mod 5. */
static void neighbourhood(const struct coll_case *c, struct coll_args *a, uint32_t r,
                          int32_t *ranks, int64_t *counts)
{
	for (uint32_t i = 0; i < NEIGHBOURS; i++) {
		ranks[i] = (int32_t)((r + 1 + i) % c->p);
		ranks[NEIGHBOURS + i] = (int32_t)((r + c->p * NEIGHBOURS - 1 - i) % c->p);
		counts[i] = c->count + i;
		counts[NEIGHBOURS + i] = c->count + (c->kind == COLL_NEIGHBOR_ALLGATHERV
		                                         ? (uint32_t)ranks[NEIGHBOURS + i] % 5
		                                         : i);
	}
	a->destinations = ranks;
	a->sources = ranks + NEIGHBOURS;
	a->n_destinations = a->n_sources = NEIGHBOURS;
	if (c->kind == COLL_NEIGHBOR_ALLTOALLV || c->kind == COLL_NEIGHBOR_ALLTOALLW)
		a->counts = counts;
	if (a->counts || c->kind == COLL_NEIGHBOR_ALLGATHERV)
		a->counts2 = counts + NEIGHBOURS;
	if (c->kind == COLL_NEIGHBOR_ALLGATHERV)
		a->count += r % 5;
	if (c->kind == COLL_NEIGHBOR_ALLTOALLW)
		a->type_size = a->type_size2 = 1;
}

static void print_case(const struct coll_case *c, const char *name, int compat, int only_name)
{
	struct coll_args *args = calloc(c->p, sizeof *args);
	int64_t *counts = calloc((size_t)c->p * (c->p + 1), sizeof *counts);
	if (!args || !counts)
		exit(3);
	case_args(c, args, counts);
	for (uint32_t r = 0; r < c->p; r++)
		args[r].compat = (uint8_t)compat;
	int32_t *ranks = calloc(c->p, 2 * NEIGHBOURS * sizeof *ranks);
	int64_t *blocks = calloc(c->p, 2 * NEIGHBOURS * sizeof *blocks);
	if (!ranks || !blocks)
		exit(3);
	for (uint32_t r = 0; r < c->p && c->kind > COLL_EXSCAN; r++)
		neighbourhood(c, &args[r], r, ranks + 2 * (size_t)NEIGHBOURS * r,
		              blocks + 2 * (size_t)NEIGHBOURS * r);
	struct coll_shape shape;
	int shaped = case_shape(c, &shape);
	for (uint32_t r = 0; r < c->p; r++)
		args[r].shape = shaped ? &shape : NULL;
	struct coll_policy policy;
	const struct coll_alg *alg = choose(args, name, &policy);
	if (only_name && alg)
		printf("%s:%s\n", coll_kind_name(alg->kind), alg->name);
	for (uint32_t r = 0; alg && !only_name && r < c->p; r++)
		print_rank(alg, &args[r], r);
	coll_policy_release(&policy);
	if (shaped)
		coll_shape_release(&shape);
	free(ranks);
	free(blocks);
	free(args);
	free(counts);
}

static void print_names(void)
{
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if (!(*alg)->defect)
			printf("%s:%s\n", coll_kind_name((*alg)->kind), (*alg)->name);
}

/* The rows of docs/collectives.md. */
static void print_table(void)
{
	for (int k = 0; k < COLL_KINDS; k++) {
		const char *kind = coll_kind_name((enum coll_kind)k);
		for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
			if ((*alg)->kind == (enum coll_kind)k)
				printf("| %s | `%s` | %s | %s |%s\n", kind, (*alg)->name,
				       (*alg)->cost, (*alg)->source, (*alg)->defect ? " *" : "");
	}
}

static void print_numbered(void)
{
	for (int k = 0; k < COLL_KINDS; k++)
		for (uint32_t i = 1; i <= OMPI_NUMBER_MAX; i++) {
			const struct coll_alg *alg = coll_ompi_alg((enum coll_kind)k, i);
			if (alg)
				printf("%s:%s\n", coll_kind_name(alg->kind), alg->name);
		}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int only_name = strcmp(mode, "chosen") == 0;
	if (*mode && !only_name) {
		if (strcmp(mode, "table") == 0)
			print_table();
		else if (strcmp(mode, "ompi") == 0)
			print_numbered();
		else
			print_names();
		return 0;
	}
	char kind[32], name[256];
	struct coll_case c = {.commutative = 1};
	int shape, compat, per_host;
	while (scanf("%31s %255s %" SCNu32 " %" SCNu32 " %" SCNd64 " %" SCNd64 " %d %d %d", kind,
	             name, &c.p, &c.root, &c.count, &c.type_size, &shape, &compat,
	             &per_host) == 9) {
		c.per_host = (uint32_t)abs(per_host);
		c.placement = per_host < -1 ? CYCLIC : per_host > 1 ? IN_BLOCKS : ALONE;
		c.kind = coll_kind_find(kind);
		c.shape = (enum counts_shape)shape;
		if (!only_name)
			printf("%s %s %" PRIu32 " %" PRIu32 " %" PRId64 " %" PRId64 " %d %d %d\n",
			       kind, name, c.p, c.root, c.count, c.type_size, shape, compat,
			       per_host);
		if (c.kind == COLL_KINDS)
			printf("unknown: kind\n");
		else
			print_case(&c, name, compat, only_name);
	}
	return 0;
}
