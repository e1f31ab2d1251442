/* mpich.c: MPICH's tuning file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE), as csel.c
 * and csel_container.c of MPICH 4.0 to 4.3 read it: objects in objects, whose keys are questions
 * ("comm_size<=8", asked in the order of the file; the first that holds decides) until a key names
 * an algorithm; keys inside that one are its parameters ("k=4", "chunk_size=8192"). Blanks in keys
 * do not count.
 *
 * Not of this program, and so passed over: questions of collectives with a letter i (non-blocking
 * ones have algorithms of their own here), algorithms of intercommunicators. "…_allcomm_nb" and the
 * compositions that act on all ranks alike leave the choice to MPICH: so does a call without a
 * rule. */
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = 128, DEPTH_MAX = 48 };

/* --- names --- */

enum tree_type { TREE_KARY, TREE_KNOMIAL_1, TREE_KNOMIAL_2, TREE_TYPES };
static const char *const tree_types[TREE_TYPES] = {"kary", "knomial_1", "knomial_2"};

/* An algorithm of MPICH; by type of tree, if it has one (the others of the row are NULL). */
struct mpich_alg {
	const char *name; /* without "MPIR_" */
	enum coll_kind kind;
	const struct coll_alg *alg[TREE_TYPES];
	const char *parameters; /* to be written with it */
	int64_t chunk;          /* bytes of a segment, if the file does not say */
};
/* clang-format off */
static const struct mpich_alg mpich_algs[] = {
    {"Allgather_intra_brucks", COLL_ALLGATHER, {&coll_allgather_bruck}, "", 0},
    {"Allgather_intra_recursive_doubling", COLL_ALLGATHER, {&coll_allgather_rdb}, "", 0},
    {"Allgather_intra_ring", COLL_ALLGATHER, {&coll_allgather_NTSLR}, "", 0},
    {"Allgather_intra_k_brucks", COLL_ALLGATHER, {&coll_allgather_k_bruck}, "k=2", 0},
    {"Allgather_intra_recexch_doubling", COLL_ALLGATHER, {&coll_allgather_mpich_recexch}, "k=2", 0},
    {"Allgather_intra_recexch_halving", COLL_ALLGATHER,
     {&coll_allgather_mpich_recexch_halving}, "k=2", 0},
    {"Allgatherv_intra_brucks", COLL_ALLGATHERV, {&coll_allgatherv_ompi_bruck}, "", 0},
    {"Allgatherv_intra_recursive_doubling", COLL_ALLGATHERV, {&coll_allgatherv_mpich_rdb}, "", 0},
    {"Allgatherv_intra_ring", COLL_ALLGATHERV, {&coll_allgatherv_mpich_pipelined_ring}, "", 0},
    {"Allreduce_intra_recursive_doubling", COLL_ALLREDUCE, {&coll_allreduce_rdb}, "", 0},
    {"Allreduce_intra_reduce_scatter_allgather", COLL_ALLREDUCE,
     {&coll_allreduce_mpich_reduce_scatter_allgather}, "", 0},
    {"Allreduce_intra_smp", COLL_ALLREDUCE, {&coll_allreduce_mpich_smp}, "", 0},
    {"Allreduce_intra_recursive_multiplying", COLL_ALLREDUCE,
     {&coll_allreduce_mpich_recursive_multiplying}, "k=2", 0},
    {"Allreduce_intra_recexch", COLL_ALLREDUCE, {&coll_allreduce_mpich_recexch}, "k=2", 0},
    {"Allreduce_intra_k_reduce_scatter_allgather", COLL_ALLREDUCE,
     {&coll_allreduce_mpich_k_reduce_scatter_allgather}, "k=2", 0},
    {"Allreduce_intra_ring", COLL_ALLREDUCE, {&coll_allreduce_lr}, "", 0},
    {"Allreduce_intra_tree", COLL_ALLREDUCE,
     {&coll_allreduce_mpich_kary, &coll_allreduce_mpich_knomial_1,
      &coll_allreduce_mpich_knomial_2}, "tree_type=kary", 0},
    {"Alltoall_intra_brucks", COLL_ALLTOALL, {&coll_alltoall_bruck}, "", 0},
    {"Alltoall_intra_pairwise", COLL_ALLTOALL, {&coll_alltoall_pair}, "", 0},
    {"Alltoall_intra_scattered", COLL_ALLTOALL, {&coll_alltoall_mpich_scattered}, "", 0},
    {"Alltoall_intra_k_brucks", COLL_ALLTOALL, {&coll_alltoall_k_bruck}, "k=2", 0},
    {"Alltoall_intra_pairwise_sendrecv_replace", COLL_ALLTOALL, {&coll_alltoall_ring}, "", 0},
    {"Alltoallv_intra_scattered", COLL_ALLTOALLV, {&coll_alltoallv_mpich_scattered}, "", 0},
    {"Alltoallv_intra_pairwise_sendrecv_replace", COLL_ALLTOALLV,
     {&coll_alltoallv_ompi_pairwise}, "", 0},
    {"Alltoallw_intra_scattered", COLL_ALLTOALLW, {&coll_alltoallw_mpich_scattered}, "", 0},
    {"Alltoallw_intra_pairwise_sendrecv_replace", COLL_ALLTOALLW,
     {&coll_alltoallw_pairwise}, "", 0},
    {"Barrier_intra_dissemination", COLL_BARRIER, {&coll_barrier_ompi_bruck}, "", 0},
    {"Barrier_intra_smp", COLL_BARRIER, {&coll_barrier_mpich_smp}, "", 0},
    {"Barrier_intra_k_dissemination", COLL_BARRIER,
     {&coll_barrier_mpich_k_dissemination}, "k=2", 0},
    {"Barrier_intra_recexch", COLL_BARRIER, {&coll_barrier_mpich_recexch}, "k=2", 0},
    {"Bcast_intra_binomial", COLL_BCAST, {&coll_bcast_binomial_tree}, "", 0},
    {"Bcast_intra_scatter_recursive_doubling_allgather", COLL_BCAST,
     {&coll_bcast_scatter_rdb_allgather}, "", 0},
    {"Bcast_intra_scatter_ring_allgather", COLL_BCAST, {&coll_bcast_scatter_LR_allgather}, "", 0},
    {"Bcast_intra_smp", COLL_BCAST, {&coll_bcast_mpich_smp}, "", 0},
    {"Bcast_intra_tree", COLL_BCAST,
     {&coll_bcast_mpich_kary, &coll_bcast_mpich_knomial_1,
      &coll_bcast_mpich_knomial_2}, "tree_type=kary", 0},
    {"Bcast_intra_pipelined_tree", COLL_BCAST,
     {&coll_bcast_mpich_kary, &coll_bcast_mpich_knomial_1,
      &coll_bcast_mpich_knomial_2}, "tree_type=kary", 8192},
    {"Exscan_intra_recursive_doubling", COLL_EXSCAN, {&coll_exscan_recursive_doubling}, "", 0},
    {"Gather_intra_binomial", COLL_GATHER, {&coll_gather_ompi_binomial}, "", 0},
    {"Gatherv_allcomm_linear", COLL_GATHERV, {&coll_gatherv_linear_nb}, "", 0},
    {"Reduce_intra_binomial", COLL_REDUCE, {&coll_reduce_binomial}, "", 0},
    {"Reduce_intra_reduce_scatter_gather", COLL_REDUCE,
     {&coll_reduce_mpich_reduce_scatter_gather}, "", 0},
    {"Reduce_intra_smp", COLL_REDUCE, {&coll_reduce_mpich_beta}, "", 0},
    {"Reduce_scatter_intra_noncommutative", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_mpich_noncomm}, "", 0},
    {"Reduce_scatter_intra_pairwise", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_mpich_pair}, "", 0},
    {"Reduce_scatter_intra_recursive_doubling", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_mpich_rdb}, "", 0},
    {"Reduce_scatter_intra_recursive_halving", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_ompi_basic_recursivehalving}, "", 0},
    {"Reduce_scatter_block_intra_noncommutative", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_mpich_noncomm}, "", 0},
    {"Reduce_scatter_block_intra_pairwise", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_mpich_pair}, "", 0},
    {"Reduce_scatter_block_intra_recursive_doubling", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_mpich_rdb}, "", 0},
    {"Reduce_scatter_block_intra_recursive_halving", COLL_REDUCE_SCATTER,
     {&coll_reduce_scatter_ompi_basic_recursivehalving}, "", 0},
    {"Scatter_intra_binomial", COLL_SCATTER, {&coll_scatter_mpich_binomial}, "", 0},
    {"Scan_intra_recursive_doubling", COLL_SCAN, {&coll_scan_recursive_doubling}, "", 0},
    {"Scan_intra_smp", COLL_SCAN, {&coll_scan_mpich_smp}, "", 0},
    {"Scatterv_allcomm_linear", COLL_SCATTERV, {&coll_scatterv_linear_nb}, "", 0},
    {NULL, COLL_KINDS, {NULL}, NULL, 0}};

/* Of ch4's own file (MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE): without "MPIDI_". Those that
 * are not here leave all ranks to the network. */
static const struct mpich_alg compositions[] = {
    {"Barrier_intra_composition_alpha", COLL_BARRIER, {&coll_barrier_mpich_smp}, NULL, 0},
    {"Barrier_intra_composition_beta", COLL_BARRIER, {&coll_barrier_ompi_bruck}, NULL, 0},
    {"Bcast_intra_composition_alpha", COLL_BCAST, {&coll_bcast_mpich_alpha}, NULL, 0},
    {"Bcast_intra_composition_beta", COLL_BCAST, {&coll_bcast_mpich_beta}, NULL, 0},
    {"Bcast_intra_composition_gamma", COLL_BCAST, {&coll_bcast_mpich_flat}, NULL, 0},
    {"Reduce_intra_composition_alpha", COLL_REDUCE, {&coll_reduce_mpich_alpha}, NULL, 0},
    {"Reduce_intra_composition_beta", COLL_REDUCE, {&coll_reduce_mpich_beta}, NULL, 0},
    {"Reduce_intra_composition_gamma", COLL_REDUCE, {&coll_reduce_mpich_flat}, NULL, 0},
    {"Allreduce_intra_composition_alpha", COLL_ALLREDUCE, {&coll_allreduce_mpich_smp}, NULL, 0},
    {"Allreduce_intra_composition_beta", COLL_ALLREDUCE, {&coll_allreduce_mpich_flat}, NULL, 0},
    {"Scan_intra_composition_alpha", COLL_SCAN, {&coll_scan_mpich_smp}, NULL, 0},
    {"Scan_intra_composition_beta", COLL_SCAN, {&coll_scan_recursive_doubling}, NULL, 0},
    {NULL, COLL_KINDS, {NULL}, NULL, 0}};
/* clang-format on */

const char *coll_mpich_name(const struct coll_alg *alg, const char **parameters)
{
	for (const struct mpich_alg *m = mpich_algs; m->name; m++)
		for (int t = 0; t < TREE_TYPES; t++)
			if (m->alg[t] == alg) {
				*parameters = m->parameters;
				return m->name;
			}
	return NULL;
}

/* --- text --- */

struct reader {
	struct coll_rules *rules;
	const char *s, *end, *line_start;
	uint32_t line;
	char key[KEY_MAX];
	struct err *err;
};

static int fail(struct reader *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct reader *in, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(in->err, in->rules->path, in->line, in->s - in->line_start + 1, "%s", text);
}

/* The next character that is not blank, 0 at the end. */
static int next_char(struct reader *in)
{
	for (; in->s < in->end; in->s++) {
		if (*in->s == '\n') {
			in->line++;
			in->line_start = in->s + 1;
		} else if (*in->s != ' ' && *in->s != '\t' && *in->s != '\r') {
			return *in->s;
		}
	}
	return 0;
}

static int expect(struct reader *in, char c, const char *where)
{
	int found = next_char(in);
	if (found == c) {
		in->s++;
		return 0;
	}
	if (!found && in->s >= in->end)
		return fail(in, "the file ends where '%c' is expected, %s", c, where);
	return fail(in, "'%c' is expected %s, not '%c'", c, where,
	            found < 32 || found > 126 ? '?' : found);
}

/* A key and its colon, into in->key without blanks. */
static int key_read(struct reader *in)
{
	size_t n = 0;
	if (expect(in, '"', "before a key") < 0)
		return -1;
	for (; in->s < in->end && *in->s != '"'; in->s++) {
		if ((unsigned char)*in->s < ' ' || *in->s == '\\')
			return fail(in, "a key of a tuning file has no such characters");
		if (n + 1 == KEY_MAX)
			return fail(in, "a key of over %d characters", KEY_MAX - 1);
		if (*in->s != ' ')
			in->key[n++] = *in->s;
	}
	in->key[n] = '\0';
	return expect(in, '"', "after a key") < 0 ? -1 : expect(in, ':', "after a key");
}

/* --- keys --- */

struct number_key {
	const char *name; /* with its sign */
	enum rule_test test;
	int64_t more; /* 1: up to and including */
};
static const struct number_key number_keys[] = {
    {"comm_size<=", RULE_RANKS, 1},
    {"comm_size<", RULE_RANKS, 0},
    {"comm_avg_ppn<=", RULE_PER_NODE_UP_TO, 0},
    {"comm_avg_ppn<", RULE_PER_NODE, 0},
    {"avg_msg_size<=", RULE_BYTES, 1},
    {"avg_msg_size<", RULE_BYTES, 0},
    {"total_msg_size<=", RULE_TOTAL_BYTES, 1},
    {"total_msg_size<", RULE_TOTAL_BYTES, 0},
    {"count<=", RULE_COUNT, 1},
};

struct word_key {
	const char *name;
	enum rule_test test;
	int64_t value;
};
static const struct word_key word_keys[] = {
    {"is_multi_threaded=yes", RULE_NEVER, 0},
    {"is_multi_threaded=no", RULE_ANY, 0},
    {"comm_type=intra", RULE_INTER, 0},
    {"comm_type=inter", RULE_INTER, 1},
    {"comm_size=pow2", RULE_RANKS_POW2, 0},
    {"comm_size=node_comm_size", RULE_RANKS_ONE_NODE, 0},
    {"comm_hierarchy=flat", RULE_HIERARCHY, HIERARCHY_FLAT},
    {"comm_hierarchy=parent", RULE_HIERARCHY, HIERARCHY_PARENT},
    {"comm_hierarchy=node_roots", RULE_HIERARCHY, HIERARCHY_NODE_ROOTS},
    {"comm_hierarchy=node", RULE_HIERARCHY, HIERARCHY_NODE},
    {"is_node_consecutive=yes", RULE_CONSECUTIVE, 1},
    {"is_node_consecutive=no", RULE_CONSECUTIVE, 0},
    {"count<pow2", RULE_COUNT_POW2, 0},
    {"is_sendbuf_inplace=yes", RULE_IN_PLACE, 1},
    {"is_sendbuf_inplace=no", RULE_IN_PLACE, 0},
    {"is_block_regular=yes", RULE_REGULAR, 1},
    {"is_block_regular=no", RULE_REGULAR, 0},
    {"is_commutative=yes", RULE_COMMUTATIVE, 1},
    {"is_commutative=no", RULE_COMMUTATIVE, 0},
    {"is_op_built_in=yes", RULE_BUILT_IN, 1},
    {"is_op_built_in=no", RULE_BUILT_IN, 0},
};

static int starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* A number of the key, from `from` on. */
static int key_number(struct reader *in, const char *from, int64_t *out)
{
	if (num_parse_i64(from, strlen(from), out) < 0 || *out < 0 || *out > INT64_MAX / 4)
		return fail(in, "\"%s\": a number is expected after \"%.*s\"", in->key,
		            (int)(from - in->key), in->key);
	return 0;
}

/* The collective of a key; COLL_KINDS: a non-blocking one, which this program chooses otherwise. */
static int key_collective(struct reader *in, const char *name, struct rule *rule)
{
	enum coll_kind k = coll_kind_find(name);
	if (k == COLL_KINDS && (name[0] != 'i' || coll_kind_find(name + 1) == COLL_KINDS) &&
	    !strstr(name, "neighbor_"))
		return fail(in, "there is no collective \"%s\"", name);
	rule->test = RULE_COLLECTIVE;
	rule->value = k;
	return 0;
}

static int key_test(struct reader *in, struct rule *rule)
{
	const char *key = in->key;
	size_t n = strlen(key);
	if (starts_with(key, "collective="))
		return key_collective(in, key + strlen("collective="), rule);
	if (strcmp(key, "any") == 0 || (n > 4 && strcmp(key + n - 4, "=any") == 0)) {
		rule->test = RULE_ANY;
		return 0;
	}
	for (size_t i = 0; i < sizeof word_keys / sizeof *word_keys; i++)
		if (strcmp(key, word_keys[i].name) == 0) {
			rule->test = (uint8_t)word_keys[i].test;
			rule->value = word_keys[i].value;
			return 0;
		}
	for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys; i++)
		if (starts_with(key, number_keys[i].name)) {
			rule->test = (uint8_t)number_keys[i].test;
			if (key_number(in, key + strlen(number_keys[i].name), &rule->value) < 0)
				return -1;
			rule->value += number_keys[i].more;
			return 0;
		}
	if (!strcmp(key, "collectives") || !strcmp(key, "rule_file_version") ||
	    !strcmp(key, "module"))
		return fail(in, "this is a JSON file of Open MPI 6; its classic form and MPICH's "
		                "JSON can be read");
	return fail(in, "unknown question \"%s\"", key);
}

/* --- algorithms --- */

struct parameters {
	int64_t chunk, k;
	enum tree_type tree;
};

static int parameter(struct reader *in, struct parameters *out)
{
	static const char *const others[] = {
	    "is_non_blocking=",    "topo_overhead=",   "topo_diff_groups=", "topo_diff_switches=",
	    "topo_same_switches=", "recv_pre_posted=", "buffer_per_child=", "single_phase_recv=",
	    "batch_size=",         "bblock="};
	const char *key = in->key;
	int64_t ignored;
	if (starts_with(key, "k="))
		return key_number(in, key + 2, &out->k);
	if (starts_with(key, "chunk_size="))
		return key_number(in, key + strlen("chunk_size="), &out->chunk);
	if (starts_with(key, "tree_type=")) {
		for (int t = 0; t < TREE_TYPES; t++)
			if (strcmp(key + strlen("tree_type="), tree_types[t]) == 0) {
				out->tree = (enum tree_type)t;
				return 0;
			}
		return fail(in, "tree_type must be kary, knomial_1 or knomial_2 here, not \"%s\"",
		            key + strlen("tree_type="));
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (starts_with(key,
		                others[i])) /* how it is programmed, not what it sends to whom */
			return key_number(in, key + strlen(others[i]), &ignored);
	return fail(in, "unknown parameter \"%s\" of an algorithm", key);
}

/* The object behind an algorithm's name. */
static int parameters_read(struct reader *in, struct parameters *out, int depth)
{
	if (depth > DEPTH_MAX)
		return fail(in, "nested over %d deep", DEPTH_MAX);
	if (expect(in, '{', "before parameters") < 0)
		return -1;
	while (next_char(in) != '}') {
		if (key_read(in) < 0 || parameter(in, out) < 0 ||
		    parameters_read(in, out, depth + 1) < 0)
			return -1;
		if (next_char(in) == ',')
			in->s++;
		else if (next_char(in) != '}')
			return expect(in, '}', "after parameters");
	}
	in->s++;
	return 0;
}

static int is_left_to_mpich(const char *name)
{
	size_t n = strlen(name);
	return strstr(name, "_inter_") || (n > 11 && strcmp(name + n - 11, "_allcomm_nb") == 0) ||
	       starts_with(name, "MPIR_I") || starts_with(name, "MPIR_Neighbor_") ||
	       starts_with(name, "MPIR_Ineighbor_");
}

/* "…_composition_alpha" to "_delta". */
static int is_composition_of_mpich(const char *name)
{
	static const char *const letters[] = {"alpha", "beta", "gamma", "delta"};
	const char *at = strstr(name, "_intra_composition_");
	for (size_t i = 0; at && i < sizeof letters / sizeof *letters; i++)
		if (strcmp(at + strlen("_intra_composition_"), letters[i]) == 0)
			return 1;
	return 0;
}

/* "algorithm=…" or "composition=…", in in->key, and its parameters. k: the collective asked for
 * before. */
static int algorithm_read(struct reader *in, enum coll_kind k, int depth, uint32_t *out)
{
	struct parameters par = {0};
	char name[KEY_MAX];
	int is_composition = starts_with(in->key, "composition=");
	const struct mpich_alg *m = is_composition ? compositions : mpich_algs;
	const char *prefix = is_composition ? "MPIDI_" : "MPIR_";
	uint32_t line = in->line;
	snprintf(name, sizeof name, "%s", strchr(in->key, '=') + 1);
	if (k == COLL_REDUCE_SCATTER_BLOCK)
		k = COLL_REDUCE_SCATTER;
	while (m->name &&
	       (!starts_with(name, prefix) || strcmp(m->name, name + strlen(prefix)) != 0))
		m++;
	if (starts_with(name, "MPIDI_POSIX_"))
		return fail(in,
		            "%s works in memory that ranks of a host share, not with messages; "
		            "leave its rule out",
		            name);
	if (!m->name && (is_composition ? !is_composition_of_mpich(name) : !is_left_to_mpich(name)))
		return fail(in, "unknown %s \"%s\"", is_composition ? "composition" : "algorithm",
		            name);
	if (m->name && m->kind != k && k != COLL_KINDS)
		return fail(in, "%s is no algorithm of %s", name, coll_kind_name(k));
	if (parameters_read(in, &par, depth) < 0 ||
	    (*out = rule_new(in->rules, RULE_USE, line, in->err)) == RULE_NONE)
		return -1;
	struct rule *r = &in->rules->v[*out];
	if (!m->name || k == COLL_KINDS)
		return 0;
	if (par.k > 0x7fff)
		return fail(in, "k = %lld", (long long)par.k);
	r->alg = m->alg[par.tree] ? m->alg[par.tree] : m->alg[0];
	r->fanout = (uint32_t)par.k;
	r->segment = par.chunk ? par.chunk : m->chunk;
	return 0;
}

/* --- the tree --- */

/* MPICH asks questions about the communicator once, when that is made, up to the first one about a
 * call; behind that, its "comm_size<8" includes 8 (csel.c, prune_tree and MPIR_Csel_search).
 * call_seen: such a question came before. */
static int is_about_the_communicator(const char *key)
{
	return starts_with(key, "comm_") || starts_with(key, "is_node_consecutive=") ||
	       starts_with(key, "collective=");
}

/* An object of questions or one algorithm; *first: its first rule, RULE_NONE if it is empty. */
static int object_read(struct reader *in, enum coll_kind k, int depth, int call_seen,
                       uint32_t *first)
{
	uint32_t last = RULE_NONE, at = RULE_NONE, then;
	*first = RULE_NONE;
	if (depth > DEPTH_MAX)
		return fail(in, "nested over %d deep", DEPTH_MAX);
	if (expect(in, '{', "before rules") < 0)
		return -1;
	while (next_char(in) != '}') {
		if (key_read(in) < 0)
			return -1;
		if (starts_with(in->key, "algorithm=") || starts_with(in->key, "composition=")) {
			if (algorithm_read(in, k, depth + 1, &at) < 0)
				return -1;
		} else {
			struct rule rule = {
			    .line = in->line, .then = RULE_NONE, .otherwise = RULE_NONE};
			if (key_test(in, &rule) < 0 ||
			    (at = rule_new(in->rules, RULE_ANY, in->line, in->err)) == RULE_NONE)
				return -1;
			if (rule.test == RULE_RANKS && call_seen && !strchr(in->key, '='))
				rule.value++;
			call_seen |= !is_about_the_communicator(in->key);
			in->rules->v[at] = rule;
			if (object_read(
			        in, rule.test == RULE_COLLECTIVE ? (enum coll_kind)rule.value : k,
			        depth + 1, call_seen, &then) < 0)
				return -1;
			in->rules->v[at].then = then;
		}
		if (last == RULE_NONE)
			*first = at;
		else
			in->rules->v[last].otherwise = at;
		last = at;
		if (next_char(in) == ',')
			in->s++;
		else if (next_char(in) != '}')
			return expect(in, '}', "after rules");
	}
	in->s++;
	return 0;
}

int coll_rules_parse_mpich(struct coll_rules *r, const char *text, size_t n, struct err *err)
{
	struct reader in = {
	    .rules = r, .s = text, .end = text + n, .line_start = text, .line = 1, .err = err};
	uint32_t first;
	r->otherwise = &coll_selector_mpich_4;
	if (object_read(&in, COLL_KINDS, 0, 0, &first) < 0)
		return -1;
	if (next_char(&in))
		return fail(&in, "the file goes on after its last brace");
	return 0;
}
