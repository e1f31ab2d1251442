/* zone_fat_tree.c: <cluster topology="FAT_TREE">: a parallel-ports generalised fat tree,
 * "L;m1,…;w1,…;p1,…".
 *
 * Hosts are level 0. A node of level i has m_i children (i >= 1); a node of level i - 1 has w_i
 * parents and p_i parallel cables to each. Nodes of a level are written in mixed radix, the first
 * digit fastest: digit j counts to w_(j+1) below the node's level and to m_(j+1) from there on.
 * Parent and child differ in the one digit between their levels. So with the index of a node split
 * at its level l into
 *
 *     low = digits 0 .. l-1 (which of the parallel subtrees), high = digits l .. (which hosts are
 *     below: host / (m_1 … m_l))
 *
 * going up chooses one more digit of low and drops one of high, going down does the reverse: no
 * node is ever stored.
 *
 * Routing is d-mod-k: the port up is taken from the position of the destination, the cable down
 * from that of the source. Source: E. Zahavi, "D-Mod-K routing providing non-blocking traffic for
 * shift permutations on real life fat trees", CCIT report 776, 2010.
 *
 * Quirks of SimGrid (compat): the position counts on over all fat trees of a platform; the search
 * for the cable down goes on from where it was at the level below, so that with parallel cables on
 * two levels another one is taken there.
 *
 * Links: each host's own; then the limiters of switches in order of creation (if limiters are asked
 * for); then cables, numbered by level, child, parent, cable. Switch i has the number 2 hosts - 1 -
 * i in names, as in SimGrid. */
#include "platform/cluster.h"

#include <stdio.h>
#include <string.h>

enum { LEVELS_MAX = 24 };

struct fat_tree {
	struct cluster_spec spec;
	struct leaf leaf;
	uint32_t levels;
	uint32_t m[LEVELS_MAX], w[LEVELS_MAX], p[LEVELS_MAX];
	uint64_t below[LEVELS_MAX + 1]; /* m_1 … m_l: hosts below a node of level l */
	uint64_t width[LEVELS_MAX + 1]; /* w_1 … w_l: nodes of level l with the same hosts below */
	uint64_t nodes[LEVELS_MAX + 1];
	uint64_t cables[LEVELS_MAX +
	                1];   /* number of the first cable from level l to l + 1; [levels]: all */
	uint32_t limiters;    /* offset of the first switch limiter, or NONE32 */
	uint32_t first_cable; /* offset of the first cable */
	uint32_t named_from;  /* number of the first cable in names */
	uint32_t position_from;
};

/* --- building --- */

static int sizes_compute(struct fat_tree *t, struct err *err)
{
	t->below[0] = t->width[0] = 1;
	for (uint32_t l = 0; l < t->levels; l++) {
		t->below[l + 1] = t->below[l] * t->m[l];
		t->width[l + 1] = t->width[l] * t->w[l];
		if (t->below[l + 1] > HOSTS_MAX || t->width[l + 1] > HOSTS_MAX)
			return err_set(err, ERR_INPUT,
			               "more than %d hosts, or switches of one level", HOSTS_MAX);
	}
	uint64_t hosts = t->below[t->levels];
	for (uint32_t l = 0; l <= t->levels; l++) {
		t->nodes[l] = t->width[l] * (hosts / t->below[l]);
		if (t->nodes[l] > HOSTS_MAX)
			return err_set(err, ERR_INPUT, "more than %d switches on level %u",
			               HOSTS_MAX, l);
		if (l == t->levels)
			break;
		uint64_t pairs = t->nodes[l] * t->w[l]; /* of a child and a parent: < 2^56 */
		t->cables[l + 1] = t->cables[l] + pairs * t->p[l];
		if (pairs > NONE32 / 4 || t->cables[l + 1] > NONE32 / 4)
			return err_set(err, ERR_INPUT, "too many cables");
	}
	return 0;
}

static int fat_tree_parse(struct arena *a, const char *text, int compat, void **self,
                          uint32_t *hosts, struct err *err)
{
	struct fat_tree *t = arena_alloc(a, sizeof *t, err);
	uint32_t *lists[3] = {t ? t->m : NULL, t ? t->w : NULL, t ? t->p : NULL};
	static const char *const what[3] = {"children", "parents", "parallel cables"};
	(void)compat;
	if (!t || numbers_parse(&text, ',', ';', &t->levels, 1, err) < 0)
		return -1;
	if (t->levels > LEVELS_MAX)
		return err_set(err, ERR_INPUT, "%u levels; at most %d", t->levels, LEVELS_MAX);
	for (int i = 0; i < 3; i++) {
		int n = numbers_parse(&text, ',', i < 2 ? ';' : 0, lists[i], LEVELS_MAX, err);
		if (n < 0)
			return -1;
		if ((uint32_t)n != t->levels)
			return err_set(err, ERR_INPUT, "%u levels, but %d numbers of %s", t->levels,
			               n, what[i]);
	}
	if (sizes_compute(t, err) < 0)
		return -1;
	*hosts = (uint32_t)t->below[t->levels];
	*self = t;
	return 0;
}

static int fat_tree_make(struct build *b, struct zone *z, const struct cluster_spec *s,
                         struct err *err)
{
	struct fat_tree *t = z->self;
	struct platform *p = b->p;
	uint64_t hosts = t->nodes[0], switches = 0;
	for (uint32_t l = 1; l <= t->levels; l++)
		switches += t->nodes[l];
	t->spec = *s;
	t->leaf = leaf_layout(s);
	uint64_t own = hosts * t->leaf.n, limiters = t->leaf.limiter == NONE32 ? 0 : switches;
	uint64_t all = own + limiters + t->cables[t->levels] * cable_links(s);
	if (all > NONE32 / 2 || p->fat_tree_cables + t->cables[t->levels] > NONE32 / 2)
		return build_error(b, z->at, err, "too many links");
	t->limiters = limiters ? (uint32_t)own : NONE32;
	t->first_cable = (uint32_t)(own + limiters);
	t->named_from = p->fat_tree_cables;
	t->position_from = p->compat ? p->fat_tree_hosts : 0;
	p->fat_tree_cables += (uint32_t)t->cables[t->levels];
	p->fat_tree_hosts += (uint32_t)hosts;
	return link_add_block(b, z, all, err);
}

/* --- routes --- */

/* A node: its level, and the two parts of its index. */
struct node {
	uint32_t level;
	uint64_t low, high;
};

static uint64_t node_index(const struct fat_tree *t, const struct node *n)
{
	return n->low + t->width[n->level] * n->high;
}

static __attribute__((noinline)) int push_node_limiter(struct walk *w, const struct zone *z,
                                                       const struct node *n)
{
	const struct fat_tree *t = z->self;
	if (!n->level)
		return walk_push(w, z->first_link + (uint32_t)n->high * t->leaf.n + t->leaf.limiter,
		                 0);
	uint64_t before = 0;
	for (uint32_t l = 1; l < n->level; l++)
		before += t->nodes[l];
	return walk_push(w, z->first_link + t->limiters + (uint32_t)(before + node_index(t, n)), 0);
}

static inline int push_limiter(struct walk *w, const struct zone *z, const struct node *n)
{
	const struct fat_tree *t = z->self;
	return t->leaf.limiter == NONE32 ? 0 : push_node_limiter(w, z, n);
}

/* The cable number `cable` between a child and its parent with that last digit of low. */
static int push_cable(struct walk *w, const struct zone *z, const struct node *child,
                      uint32_t digit, uint32_t cable, uint32_t way)
{
	const struct fat_tree *t = z->self;
	uint32_t l = child->level, each = cable_links(&t->spec);
	uint64_t number = t->cables[l] + node_index(t, child) * t->w[l] * t->p[l] +
	                  (uint64_t)digit * t->p[l] + cable;
	return walk_push(
	    w, z->first_link + t->first_cable + (uint32_t)number * each + (each == 2 ? way : 0),
	    t->spec.lat);
}

/* Up from a host until the destination is below. digits[]: of low, as chosen. */
static int walk_up(struct walk *w, const struct zone *z, struct node *at, uint32_t dst,
                   uint32_t *digits)
{
	const struct fat_tree *t = z->self;
	uint64_t position = (uint64_t)dst + t->position_from;
	while (!at->level || at->high != dst / t->below[at->level]) {
		uint32_t l = at->level;
		uint32_t port = (uint32_t)(position / t->width[l] % ((uint64_t)t->w[l] * t->p[l]));
		digits[l] = port % t->w[l];
		if (push_limiter(w, z, at) < 0 ||
		    push_cable(w, z, at, digits[l], port / t->w[l], 0) < 0)
			return -1;
		*at = (struct node){l + 1, at->low + digits[l] * t->width[l], at->high / t->m[l]};
	}
	return 0;
}

static int step_down(struct walk *w, const struct zone *z, struct node *at, uint32_t dst,
                     const uint32_t *digits, uint32_t cable)
{
	const struct fat_tree *t = z->self;
	uint32_t l = at->level - 1;
	struct node child = {l, at->low - digits[l] * t->width[l], dst / t->below[l]};
	if (push_cable(w, z, &child, digits[l], cable, 1) < 0 || push_limiter(w, z, at) < 0)
		return -1;
	*at = child;
	return 0;
}

static int walk_down(struct walk *w, const struct zone *z, struct node *at, uint32_t src,
                     uint32_t dst, const uint32_t *digits)
{
	const struct fat_tree *t = z->self;
	while (at->level)
		if (step_down(w, z, at, dst, digits, src % t->p[at->level - 1]) < 0)
			return -1;
	return 0;
}

/* SimGrid looks for a child to descend to from port `i` on and does not begin again at the next
 * level. */
static int walk_down_quirk(struct walk *w, const struct zone *z, struct node *at, uint32_t src,
                           uint32_t dst, const uint32_t *digits)
{
	const struct fat_tree *t = z->self;
	while (at->level) {
		uint64_t i = ((uint64_t)src + t->position_from) % t->p[at->level - 1] *
		             t->m[at->level - 1];
		for (; at->level && i < (uint64_t)t->m[at->level - 1] * t->p[at->level - 1]; i++) {
			uint32_t l = at->level - 1;
			if (i % t->m[l] != dst / t->below[l] % t->m[l])
				continue;
			if (step_down(w, z, at, dst, digits, (uint32_t)(i / t->m[l])) < 0)
				return -1;
		}
	}
	return 0;
}

static int fat_tree_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct fat_tree *t = z->self;
	uint32_t src = point_index(e->a) - z->first_host, dst = point_index(e->b) - z->first_host,
	         digits[LEVELS_MAX];
	struct node at = {0, 0, src};
	if (src == dst && t->leaf.loopback != NONE32)
		return walk_push(w, z->first_link + src * t->leaf.n + t->leaf.loopback,
		                 t->spec.loopback_lat);
	if (walk_up(w, z, &at, dst, digits) < 0)
		return -1;
	int got = w->p->compat ? walk_down_quirk(w, z, &at, src, dst, digits)
	                       : walk_down(w, z, &at, src, dst, digits);
	return got < 0 ? -1 : push_limiter(w, z, &at);
}

/* --- links by offset --- */

static void fat_tree_link(const struct platform *p, const struct zone *z, uint32_t offset,
                          struct link_info *out)
{
	const struct fat_tree *t = z->self;
	(void)p;
	if (offset >= t->first_cable)
		cable_link(&t->spec, out);
	else if (offset >= t->limiters)
		*out = (struct link_info){t->spec.limiter, 0, LINK_SHARED};
	else
		leaf_link(&t->spec, &t->leaf, offset % t->leaf.n, out);
}

/* The number of a node in names: a host's rank, or counted down from 2 hosts - 1 over the
 * switches. */
static int64_t node_number(const struct fat_tree *t, uint32_t level, uint64_t index)
{
	int64_t before = 0;
	if (!level)
		return (int64_t)index;
	for (uint32_t l = 1; l < level; l++)
		before += (int64_t)t->nodes[l];
	return 2 * (int64_t)t->nodes[0] - 1 - before - (int64_t)index;
}

static void cable_name(const struct fat_tree *t, uint32_t number, uint32_t way, char *buf, size_t n)
{
	uint32_t l = 0;
	while (number >= t->cables[l + 1])
		l++;
	uint64_t in_level = number - t->cables[l], ports = (uint64_t)t->w[l] * t->p[l];
	uint64_t child = in_level / ports, digit = in_level % ports / t->p[l];
	uint64_t parent = child % t->width[l] + digit * t->width[l] +
	                  child / t->width[l] / t->m[l] * t->width[l + 1];
	snprintf(buf, n, "link_from_%lld_%lld_%llu%s", (long long)node_number(t, l, child),
	         (long long)node_number(t, l + 1, parent),
	         (unsigned long long)t->named_from + number, cable_suffix(&t->spec, way));
}

static void fat_tree_link_name(const struct platform *p, const struct zone *z, uint32_t offset,
                               char *buf, size_t n)
{
	const struct fat_tree *t = z->self;
	uint32_t each = cable_links(&t->spec);
	if (offset >= t->first_cable)
		cable_name(t, (offset - t->first_cable) / each, (offset - t->first_cable) % each,
		           buf, n);
	else if (offset >= t->limiters)
		snprintf(buf, n, "%s_link_%lld_limiter", z->id,
		         2 * (long long)t->nodes[0] - 1 - (offset - t->limiters));
	else
		leaf_link_name(p, z, &t->leaf, offset / t->leaf.n, offset % t->leaf.n, buf, n);
}

static uint32_t fat_tree_link_find(const struct platform *p, const struct zone *z, const char *name,
                                   int pair)
{
	const struct fat_tree *t = z->self;
	if (!z->links)
		return NONE32;
	if (strncmp(name, "link_from_", 10) == 0) {
		uint32_t each = cable_links(&t->spec), found = NONE32;
		int64_t number = name_last_number(name) - t->named_from;
		for (uint32_t way = 0; number >= 0 && way < each && found == NONE32; way++)
			found = link_named(p, z, t->first_cable + (uint64_t)number * each + way,
			                   name, pair);
		return found;
	}
	uint32_t found = pair ? NONE32 : leaf_link_find(p, z, &t->leaf, t->leaf.n, name);
	if (found != NONE32 || pair || t->limiters == NONE32)
		return found;
	int64_t number = number_after_link(name, z->id),
	        i = 2 * (int64_t)t->nodes[0] - 1 - number; /* of a switch */
	return number < 0 || i < 0 || i >= t->first_cable - t->limiters
	           ? NONE32
	           : link_named(p, z, t->limiters + (uint64_t)i, name, 0);
}

static int parallel_levels(const struct fat_tree *t)
{
	int n = 0;
	for (uint32_t l = 0; l < t->levels; l++)
		n += t->p[l] > 1;
	return n;
}

static const char *fat_tree_quirk(const struct platform *p, const struct zone *z, int i)
{
	const struct fat_tree *t = z->self;
	const char *what[4] = {NULL};
	int n = 0;
	(void)p;
	if (cluster_quirk(&t->spec))
		what[n++] = cluster_quirk(&t->spec);
	if (parallel_levels(t) > 1)
		what[n++] = "with parallel cables on several levels, SimGrid's search for the "
		            "cable down goes on from the level above";
	if (t->named_from)
		what[n++] = "it is not the first fat tree, and SimGrid's positions (which decide "
		            "ways up) run on from the one before";
	return what[i];
}

const struct zone_kind zone_fat_tree = {
    .name = "fat tree",
    .describe = "switches in levels, routed by destination modulo ports",
    .free_names = 1,
    .walk = fat_tree_walk,
    .link = fat_tree_link,
    .link_name = fat_tree_link_name,
    .link_find = fat_tree_link_find,
    .quirk = fat_tree_quirk,
};

const struct topology topology_fat_tree = {"FAT_TREE", &zone_fat_tree, fat_tree_parse,
                                           fat_tree_make};
