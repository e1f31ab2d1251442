/* rules.c: walking the rules of a tuning file. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

uint32_t rule_new(struct coll_rules *r, enum rule_test test, uint32_t line, struct err *err)
{
	struct rule *v = vec_grow(r->v, &r->cap, sizeof *v, (size_t)r->n + 1,
	                          "rules of a tuning file", err);
	if (!v)
		return RULE_NONE;
	r->v = v;
	v[r->n] = (struct rule){
	    .test = (uint8_t)test, .line = line, .then = RULE_NONE, .otherwise = RULE_NONE};
	return r->n++;
}

void coll_rules_free(struct coll_rules *r)
{
	if (!r)
		return;
	free(r->v);
	free(r->path);
	free(r);
}

const char *coll_rules_path(const struct coll_rules *r)
{
	return r->path;
}

/* JSON begins with a brace, Open MPI's rules with a number, a comment or "rule-file-version". */
static int parse(struct coll_rules *r, const char *text, size_t n, struct err *err)
{
	size_t at = strspn(text, " \t\r\n");
	return text[at] == '{' ? coll_rules_parse_mpich(r, text, n, err)
	                       : coll_rules_parse_ompi(r, text, n, err);
}

struct coll_rules *coll_rules_parse(const char *path, const char *text, size_t n, struct err *err)
{
	struct coll_rules *r = calloc(1, sizeof *r);
	if (!r || !(r->path = strdup(path))) {
		err_nomem(err, "rules of a tuning file", sizeof *r);
		coll_rules_free(r);
		return NULL;
	}
	if (input_is_text(path, text, n, err) < 0 || parse(r, text, n, err) < 0) {
		coll_rules_free(r);
		return NULL;
	}
	return r;
}

struct coll_rules *coll_rules_read(const char *path, struct err *err)
{
	size_t n;
	/* it is read for each run; and a device may never end */
	char *text = input_regular(path, err) < 0 ? NULL : input_read_all(path, &n, err);
	if (!text)
		return NULL;
	struct coll_rules *r = coll_rules_parse(path, text, n, err);
	free(text);
	return r;
}

/* --- measures --- */

static int is_reduce_scatter(const struct coll_args *a)
{
	return a->kind == COLL_REDUCE_SCATTER || a->kind == COLL_REDUCE_SCATTER_BLOCK;
}

/* Elements and bytes of one rank's buffer or block, as each rank sees it: the receiving side's
 * where that is the one known to all. */
static int64_t own_count(const struct coll_args *a)
{
	return a->kind == COLL_ALLGATHER || (a->kind == COLL_SCATTER && a->count == 0) ? a->count2
	                                                                               : a->count;
}
static int64_t own_bytes(const struct coll_args *a)
{
	int64_t ts = a->kind == COLL_ALLGATHER || (a->kind == COLL_SCATTER && a->count == 0)
	                 ? a->type_size2
	                 : a->type_size;
	return own_count(a) * ts;
}

static int64_t sum_of(const int64_t *counts, uint32_t p)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < p; i++)
		sum += counts[i];
	return sum;
}

static int64_t total_bytes(const struct coll_args *a)
{
	if (a->kind == COLL_ALLGATHERV)
		return coll_block_elements(a, 0, a->size) * a->type_size2;
	if (is_reduce_scatter(a))
		return coll_block_elements(a, 0, a->size) * a->type_size;
	if (a->counts)
		return sum_of(a->counts, a->size) * a->type_size;
	return own_bytes(a) * a->size;
}

/* MPICH's get_count. */
static int64_t count_of(const struct coll_args *a)
{
	if (a->kind == COLL_ALLGATHERV || a->kind == COLL_REDUCE_SCATTER)
		return coll_block_elements(a, 0, a->size);
	return own_count(a);
}

/* Open MPI, coll_tuned_decision_dynamic.c: the whole of what all ranks send or get, for allgatherv
 * the mean block; for scans, whose count it leaves out, p elements; nothing for barrier and
 * alltoallv. */
static int64_t ompi_bytes(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
	case COLL_ALLTOALLV:
		return 0;
	case COLL_BCAST:
	case COLL_REDUCE:
	case COLL_ALLREDUCE:
		return own_bytes(a);
	case COLL_ALLGATHERV:
		return total_bytes(a) / a->size;
	case COLL_SCAN:
	case COLL_EXSCAN:
		return a->type_size * a->size;
	default:
		return total_bytes(a);
	}
}

static int all_on_one_node(const struct coll_args *a)
{
	return a->size == 1 || a->flat == FLAT_HOST || (a->shape && a->shape->nodes == 1);
}
static uint32_t node_count(const struct coll_args *a)
{
	return all_on_one_node(a) ? 1 : a->shape ? a->shape->nodes : a->size;
}
/* A communicator has levels if some host has two of its ranks. */
static enum rule_hierarchy hierarchy_of(const struct coll_args *a)
{
	if (a->flat)
		return a->flat == FLAT_HOST ? HIERARCHY_NODE : HIERARCHY_NODE_ROOTS;
	return a->shape && a->shape->nodes < a->size ? HIERARCHY_PARENT : HIERARCHY_FLAT;
}

static int rule_holds(const struct rule *r, const struct coll_args *a)
{
	switch ((enum rule_test)r->test) {
	case RULE_USE:
	case RULE_ANY:
		return 1;
	case RULE_COLLECTIVE:
		return a->kind == (enum coll_kind)r->value;
	case RULE_INTER:
		return !r->value;
	case RULE_RANKS:
		return a->size < r->value;
	case RULE_RANKS_POW2:
		return is_pow2(a->size);
	case RULE_RANKS_ONE_NODE:
		return all_on_one_node(a);
	case RULE_PER_NODE:
		return (double)a->size < (double)r->value * node_count(a);
	case RULE_PER_NODE_UP_TO:
		return (double)a->size <= (double)r->value * node_count(a);
	case RULE_HIERARCHY:
		return hierarchy_of(a) == (enum rule_hierarchy)r->value;
	case RULE_CONSECUTIVE:
		return (hierarchy_of(a) == HIERARCHY_PARENT && a->shape->blocked) == (int)r->value;
	case RULE_BYTES:
		return own_bytes(a) < r->value;
	case RULE_TOTAL_BYTES:
		return total_bytes(a) < r->value;
	case RULE_OMPI_BYTES:
		return ompi_bytes(a) < r->value;
	case RULE_COUNT:
		return count_of(a) < r->value;
	case RULE_COUNT_POW2:
		return count_of(a) < 1ll << log2_floor(a->size);
	case RULE_IN_PLACE:
		return a->in_place == (uint8_t)r->value;
	case RULE_REGULAR:
		return coll_counts_equal(a) == (int)r->value;
	case RULE_COMMUTATIVE:
	case RULE_BUILT_IN:
		return (a->commutative || a->null_op) == (int)r->value;
	case RULE_NEVER:
		return 0;
	}
	return 0;
}

const struct rule *coll_rules_find(const struct coll_rules *r, const struct coll_args *a)
{
	uint32_t i = r->n ? 0 : RULE_NONE;
	while (i != RULE_NONE && r->v[i].test != RULE_USE)
		i = rule_holds(&r->v[i], a) ? r->v[i].then : r->v[i].otherwise;
	return i != RULE_NONE && r->v[i].alg ? &r->v[i] : NULL;
}

static const struct coll_rules *rules_for(const struct coll_args *a)
{
	enum coll_kind k = a->kind == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : a->kind;
	return a->policy->rules_of[k] ? a->policy->rules_of[k] : a->policy->rules;
}

static void file_decide(const struct coll_args *a, struct coll_choice *out)
{
	const struct coll_rules *rules = rules_for(a);
	const struct rule *rule = rules ? coll_rules_find(rules, a) : NULL;
	if (!rule) {
		out->selector = rules ? rules->otherwise : &coll_selector_default;
		if (out->selector->decide)
			out->selector->decide(a, out);
		else
			out->alg = out->selector->choose(a);
		return;
	}
	out->alg = rule->alg;
	out->segment = rule->segment;
	out->fanout = rule->fanout;
	out->rules = rules;
	out->line = rule->line;
}

const struct coll_selector coll_selector_file = {
    .name = "file",
    .help = "file:PATH: Open MPI's dynamic rules or MPICH's JSON tuning file",
    .decide = file_decide};
