/* test_tree.c: the trees that collectives run on, beside their definitions, written here from the
 * sources that tree.h names, edge by edge and in the order in which children are served; each spans
 * all ranks, and is as deep as the literature says. */
#include "coll/alg/tree.h"
#include "coll/alg/two_trees.h"

#include "test.h"

#include <string.h>

enum { P_MOST = 200 };

/* A whole tree on virtual ranks, 0 being the root: of each its parent and its children in order. */
struct whole {
	uint32_t p, parent[P_MOST], n[P_MOST], child[P_MOST][P_MOST];
};
static struct whole want, got;

static void edge(struct whole *w, uint32_t parent, uint32_t child)
{
	w->parent[child] = parent;
	w->child[parent][w->n[parent]++] = child;
}
static void begin(struct whole *w, uint32_t p)
{
	memset(w, 0, sizeof *w);
	w->p = p;
}

/* --- definitions: each adds all edges of a tree of p virtual ranks --- */

typedef void definition(struct whole *w, uint32_t k);

/* coll_base_topo.c, build_chain(k): the others, in order, in k runs as equal as can be, the longer
 * ones first; the root serves the heads. */
static void chains(struct whole *w, uint32_t k)
{
	uint32_t others = w->p - 1, next = 1;

	for (uint32_t c = 0; c < k && next < w->p; c++) {
		uint32_t len = others / k + (c < others % k);

		for (uint32_t i = 0; i < len; i++, next++)
			edge(w, i ? next - 1 : 0, next);
	}
}
/* build_tree(k): level l holds k^l ranks; v there serves v + i k^l, i = 1 … k. Level by level. */
static void levels(struct whole *w, uint32_t k)
{
	uint32_t first = 0, width = 1;

	while (first < w->p) {
		for (uint32_t v = first; v < first + width && v < w->p; v++)
			for (uint32_t i = 1; i <= k; i++)
				if (v + i * width < w->p)
					edge(w, v, v + i * width);
		first += width;
		width *= k;
	}
}
/* A k-ary heap: breadth first, each takes the next k (MPICH, treeutil.c, kary). */
static void kary(struct whole *w, uint32_t k)
{
	uint32_t next = 1;

	for (uint32_t v = 0; v < w->p; v++)
		for (uint32_t i = 0; i < k && next < w->p; i++)
			edge(w, v, next++);
}
/* Binomial, by doubling: after step i the ranks below 2^(i+1) are in; v of them took in v + 2^i. */
static void binomial(struct whole *w, uint32_t k)
{
	(void)k;
	for (uint32_t bit = 1; bit < w->p; bit *= 2)
		for (uint32_t v = 0; v < bit; v++)
			if (v + bit < w->p)
				edge(w, v, v + bit);
}
/* In order: v, a multiple of 2 bit, has the child v + bit: all bits, the lowest first. */
static void in_order_binomial(struct whole *w, uint32_t k)
{
	(void)k;
	for (uint32_t bit = 1; bit < w->p; bit *= 2)
		for (uint32_t v = 0; v < w->p; v += 2 * bit)
			if (v + bit < w->p)
				edge(w, v, v + bit);
}
/* k-nomial, by the highest digit first: ranks 0, k unit, 2 k unit … serve their k - 1 next
 * multiples of unit; nearest first (Open MPI, build_kmtree) or farthest first (MPICH, knomial_2).
 */
static void knomial(struct whole *w, uint32_t k, int farthest_first)
{
	uint32_t unit = 1;

	while (unit * k < w->p)
		unit *= k;
	for (; unit >= 1; unit /= k) {
		for (uint32_t v = 0; v < w->p; v += unit * k)
			for (uint32_t i = 1; i < k; i++) {
				uint32_t to = v + (farthest_first ? k - i : i) * unit;

				if (to < w->p)
					edge(w, v, to);
			}
		if (unit == 1)
			break;
	}
}
static void knomial_near(struct whole *w, uint32_t k)
{
	knomial(w, k, 0);
}
static void knomial_far(struct whole *w, uint32_t k)
{
	knomial(w, k, 1);
}
/* MPICH, knomial_1: the root of `span` = k^d ranks cuts the rest of them into k - 1 ranges of
 * k^(d-1), then k - 1 of k^(d-2) …, each with its first rank as root. */
static void knomial_ranges(struct whole *w, uint32_t k, uint32_t root, uint32_t span)
{
	uint32_t next = root + 1;

	for (uint32_t part = span / k; part >= 1; part /= k)
		for (uint32_t i = 1; i < k; i++, next += part)
			if (next < w->p) {
				edge(w, root, next);
				knomial_ranges(w, k, next, part);
			}
}
static void knomial_in_ranges(struct whole *w, uint32_t k)
{
	uint32_t span = 1;

	while (span < w->p)
		span *= k;
	knomial_ranges(w, k, 0, span);
}

/* --- what tree.c says --- */

static void learn(struct whole *w, uint32_t p, uint32_t root, uint32_t k,
                  struct tree (*of)(const struct coll_args *a, uint32_t rank, uint32_t k))
{
	struct coll_args a = {.kind = COLL_BCAST, .size = p, .root = root};

	begin(w, p);
	for (uint32_t v = 0; v < p; v++) {
		struct tree t = of(&a, (v + root) % p, k);

		w->parent[v] = (t.parent + p - root) % p;
		w->n[v] = t.n;
		for (uint32_t i = 0; i < t.n; i++)
			w->child[v][i] = (t.child[i] + p - root) % p;
	}
}
#define WITHOUT_K(name) \
	static struct tree name##_of(const struct coll_args *a, uint32_t rank, uint32_t k) \
	{ \
		(void)k; \
		return name(a, rank); \
	}
WITHOUT_K(tree_chain)
WITHOUT_K(tree_binary)
WITHOUT_K(tree_binomial)
WITHOUT_K(tree_in_order_binomial)

static const struct {
	const char *name;
	struct tree (*of)(const struct coll_args *a, uint32_t rank, uint32_t k);
	definition *is;
	uint32_t k[5]; /* 0: no more */
} trees[] = {
    {"chains", tree_chains, chains, {1, 2, 4, 7, 100}},
    {"chain", tree_chain_of, chains, {1}},
    {"levels", tree_levels, levels, {2, 3, 5}},
    {"binary", tree_binary_of, levels, {2}},
    {"binomial", tree_binomial_of, binomial, {2}},
    {"in-order binomial", tree_in_order_binomial_of, in_order_binomial, {2}},
    {"kary", tree_kary, kary, {2, 3, 8, 60}},
    {"knomial, Open MPI's", tree_knomial_ompi, knomial_near, {2, 3, 4, 8}},
    {"knomial_1", tree_knomial_1, knomial_in_ranges, {2, 3, 4, 8}},
    {"knomial_2", tree_knomial_2, knomial_far, {2, 3, 4, 8}},
};

static void compare(const char *name, uint32_t root, uint32_t k)
{
	for (uint32_t v = 0; v < want.p; v++) {
		if (v && want.parent[v] != got.parent[v])
			fail_msg("%s, k %u, %u ranks, root %u: the parent of %u is %u, not %u",
			         name, k, want.p, root, v, got.parent[v], want.parent[v]);
		if (want.n[v] != got.n[v])
			fail_msg("%s, k %u, %u ranks: %u has %u children, not %u", name, k, want.p,
			         v, got.n[v], want.n[v]);
		for (uint32_t i = 0; i < want.n[v]; i++)
			if (want.child[v][i] != got.child[v][i])
				fail_msg("%s, k %u, %u ranks: child %u of %u is %u, not %u", name,
				         k, want.p, i, v, got.child[v][i], want.child[v][i]);
	}
}

static void trees_are_as_defined(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
		for (uint32_t p = 1; p <= P_MOST; p += p < 40 ? 1 : 23)
			for (size_t i = 0; i < 5 && trees[t].k[i]; i++) {
				uint32_t k = trees[t].k[i], root = p * 2 / 3;

				begin(&want, p);
				trees[t].is(&want, k);
				learn(&got, p, root, k, trees[t].of);
				compare(trees[t].name, root, k);
			}
}

/* --- trees on ranks, whatever the root --- */

/* Of ranks base … base+m-1 the highest is the root; the lower half hangs on its right, the others
 * on its left, which is served first (build_in_order_bintree). Returns the root. */
static uint32_t in_order_binary(struct whole *w, uint32_t base, uint32_t m)
{
	uint32_t root = base + m - 1, right = m / 2;

	if (m > 2) {
		edge(w, root, in_order_binary(w, base + right, m - 1 - right));
		edge(w, root, in_order_binary(w, base, right));
	} else if (m == 2) {
		edge(w, root, base);
	}
	return root;
}
static void learn_plain(uint32_t p, struct tree (*of)(const struct coll_args *a, uint32_t rank))
{
	struct coll_args a = {.kind = COLL_REDUCE, .size = p, .root = p / 2};

	begin(&got, p);
	for (uint32_t r = 0; r < p; r++) {
		struct tree t = of(&a, r);

		got.parent[r] = t.parent;
		got.n[r] = t.n;
		memcpy(got.child[r], t.child, t.n * sizeof *t.child);
	}
}
static void trees_on_ranks(void **state)
{
	(void)state;
	for (uint32_t p = 1; p <= P_MOST; p++) {
		begin(&want, p);
		assert_int_equal(in_order_binary(&want, 0, p), p - 1);
		learn_plain(p, tree_in_order_binary);
		want.parent[p - 1] = p - 1;
		compare("in-order binary", p / 2, 2);
		assert_int_equal(got.parent[0], want.parent[0]);
		begin(&want, p);
		kary(&want, 2);
		learn_plain(p, tree_heap);
		compare("heap", p / 2, 2);
		begin(&want, p);
		chains(&want, 1);
		learn_plain(p, tree_line);
		compare("line", p / 2, 1);
	}
}

/* --- sizes and depths --- */

static uint32_t depth_of(const struct whole *w, uint32_t v)
{
	uint32_t depth = 0;

	while (v) {
		v = w->parent[v];
		depth++;
		assert_true(depth <= w->p);
	}
	return depth;
}
static uint32_t height(const struct whole *w)
{
	uint32_t most = 0, d;

	for (uint32_t v = 0; v < w->p; v++)
		if ((d = depth_of(w, v)) > most)
			most = d;
	return most;
}
/* The least n with k^n >= p. */
static uint32_t log_ceil(uint32_t k, uint32_t p)
{
	uint32_t n = 0;

	for (uint64_t span = 1; span < p; span *= k)
		n++;
	return n;
}

/* Binomial trees of p ranks have ceil(log2 p) rounds: the root so many children; a k-nomial one (k
 * - 1) for each digit at most. Chains are ceil((p - 1) / k) long. */
static void depths_are_those_of_the_literature(void **state)
{
	(void)state;
	for (uint32_t p = 2; p <= P_MOST; p++) {
		learn(&got, p, 0, 2, tree_binomial_of);
		assert_int_equal(got.n[0], log_ceil(2, p));
		learn(&got, p, 0, 2, tree_in_order_binomial_of);
		assert_int_equal(got.n[0], log_ceil(2, p));
		assert_true(height(&got) <= log_ceil(2, p));
		for (uint32_t k = 2; k <= 8; k++) {
			learn(&got, p, 1, k, tree_knomial_ompi);
			assert_true(height(&got) <= log_ceil(k, p));
			learn(&got, p, 1, k, tree_knomial_1);
			assert_true(height(&got) <= log_ceil(k, p) &&
			            got.n[0] <= (k - 1) * log_ceil(k, p));
			learn(&got, p, 1, k, tree_chains);
			assert_int_equal(height(&got), (p - 1 + k - 1) / k);
			learn(&got, p, 1, k, tree_kary);
			assert_true(height(&got) <= log_ceil(k, p));
		}
	}
}

static uint32_t subtree(const struct whole *w, uint32_t v)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < w->n[v]; i++)
		n += subtree(w, w->child[v][i]);
	return n;
}
static void spans_are_counted(void **state)
{
	(void)state;
	for (uint32_t p = 1; p <= P_MOST; p += p < 40 ? 1 : 13)
		for (uint32_t k = 2; k <= 9; k++) {
			struct coll_args a = {.kind = COLL_GATHER, .size = p};

			begin(&want, p);
			knomial_in_ranges(&want, k);
			for (uint32_t v = 0; v < p; v++)
				assert_int_equal(tree_knomial_1_span(&a, v, k), subtree(&want, v));
		}
}

/* No rank of any tree has more children than there is room for, however large k is asked for. */
static void k_is_limited(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 129, 130, 5000, 1u << 20};
	static const uint32_t asked[] = {0, 1, 2, 64, 128, 129, 1000000};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t j = 0; j < sizeof asked / sizeof *asked; j++) {
			struct coll_args a = {.kind = COLL_BCAST, .size = sizes[i]};
			uint32_t k = tree_k(&a, asked[j]);

			assert_true(k >= 2 && k <= TREE_CHILDREN_MAX);
			assert_true(k <= asked[j] || asked[j] < 2);
			assert_true(tree_knomial_1(&a, 0, k).n <= TREE_CHILDREN_MAX);
			assert_true(tree_knomial_ompi(&a, 0, k).n <= TREE_CHILDREN_MAX);
			if (sizes[i] <= asked[j] && asked[j] >= 2 && asked[j] <= TREE_CHILDREN_MAX)
				assert_int_equal(k, asked[j]); /* one digit: p - 1 children */
		}
}

/* --- two trees --- */

/* Sanders, Speck and Traeff 2009, section 2: both trees span all, a rank inside one is a leaf of
 * the other; of an odd number of ranks, or where a root is kept for both, all but one. Each is no
 * deeper than a balanced binary tree, and one. */
static void two_trees_share_the_work(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= P_MOST; n++)
		for (int keeps_root = 0; keeps_root < 2; keeps_root++) {
			uint32_t inside_both = 0;

			for (int tree = 0; tree < 2; tree++) {
				uint32_t roots = 0, edges = 0;

				for (uint32_t v = 0; v < n; v++) {
					struct tree_links l = two_trees_links(n, v, tree,
					                                      keeps_root);

					roots += l.up == TWO_TREES_NOBODY;
					edges += l.n;
					assert_true(l.n <= 2 && l.depth <= log_ceil(2, n) + 1);
					if (l.up == TWO_TREES_NOBODY) {
						assert_int_equal(l.depth, 0);
						continue;
					}
					struct tree_links up = two_trees_links(n, l.up, tree,
					                                       keeps_root);

					assert_int_equal(l.depth, up.depth + 1);
					assert_true((up.n > 0 && up.down[0] == v) ||
					            (up.n > 1 && up.down[1] == v));
				}
				assert_int_equal(roots, 1);
				assert_int_equal(edges, n - 1);
			}
			for (uint32_t v = 0; v < n; v++)
				inside_both += two_trees_links(n, v, 0, keeps_root).n > 0 &&
				               two_trees_links(n, v, 1, keeps_root).n > 0;
			if (inside_both > 1)
				fail_msg("%u ranks, root kept %d: %u are inside of both trees", n,
				         keeps_root, inside_both);
		}
}

/* --- segments --- */

/* However a buffer is cut: segments follow one another, cover it, and are whole elements. */
static void segments_cover_the_buffer(void **state)
{
	static const int64_t counts[] = {0, 1, 2, 9, 100, 1023, 1024, 1025},
	                     sizes[] = {1, 3, 8, 100},
	                     bytes[] = {0, 1, 7, 8, 64, 100, 1000, 1 << 20, COLL_WHOLE};

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts * 4 * 9; i++) {
		struct coll_args a = {.kind = COLL_BCAST,
		                      .size = 2,
		                      .count = counts[i / 36],
		                      .type_size = sizes[i % 4]};
		int64_t want_each = bytes[i / 4 % 9];
		struct segments cut[] = {segments_ompi(&a, want_each),
		                         segments_mpich(&a, want_each),
		                         segments_star(&a, want_each)};

		for (int k = 0; k < 3; k++) {
			int64_t at = 0;

			for (int64_t s = 0; s < cut[k].n; s++) {
				struct piece p = segment_piece(&cut[k], BUF_RECV, s);

				assert_int_equal(p.off, at);
				assert_true(p.len > 0 && p.len % a.type_size == 0);
				at += p.len;
			}
			assert_int_equal(at, a.count * a.type_size);
		}
	}
}

/* coll_base_functions.h, COLL_BASE_COMPUTED_SEGCOUNT: one more element if over half of it fits.
 * MPICH: what is left over comes first. STAR-MPI: at least one element, what is left over last. */
static void segments_are_the_libraries(void **state)
{
	struct coll_args a = {.kind = COLL_BCAST, .size = 2, .count = 10, .type_size = 8};

	(void)state;
	assert_int_equal(segments_ompi(&a, 20).each, 2); /* 2.5 elements: half fits, not over it */
	assert_int_equal(segments_ompi(&a, 21).each, 3);
	assert_int_equal(segments_ompi(&a, 7).n, 1); /* shorter than an element: not cut */
	assert_int_equal(segments_ompi(&a, 80).n, 1);
	assert_int_equal(segments_ompi(&a, 0).n, 1);
	assert_int_equal(segments_mpich(&a, 31).n, 4); /* 1, 3, 3, 3 */
	assert_int_equal(segment_piece(&(struct segments){3, 2, 4, 10, 8}, BUF_RECV, 0).len, 8);
	assert_int_equal(segments_mpich(&a, 31).lacks, 2);
	assert_int_equal(segments_mpich(&a, 7).n, 1);
	assert_int_equal(segments_star(&a, 7).n, 10);
	assert_int_equal(segments_star(&a, 31).n, 4);
	assert_int_equal(segments_star_whole(&a, 31).n, 3);
	assert_int_equal(segments_star_whole(&a, 31).count, 9);
	assert_int_equal(segments_star_whole(&a, 1000).n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(trees_are_as_defined),
	    cmocka_unit_test(trees_on_ranks),
	    cmocka_unit_test(depths_are_those_of_the_literature),
	    cmocka_unit_test(spans_are_counted),
	    cmocka_unit_test(k_is_limited),
	    cmocka_unit_test(two_trees_share_the_work),
	    cmocka_unit_test(segments_cover_the_buffer),
	    cmocka_unit_test(segments_are_the_libraries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
