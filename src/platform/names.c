/* names.c: from a name to a host, router or zone, without a stored string per computed host.
 *
 * A computed host's name is prefix, decimal number, suffix. All blocks with the same prefix and
 * suffix form a family: a list of number ranges sorted by lo, which never overlap (a shared number
 * would be two hosts of one name). To find a name, each of its digit runs that could be the number
 * is tried: what is left of it and right of it names the family. Of few families each is tried. */
#include "platform/platform_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 10 };

void names_init(struct names *n)
{
	memset(n, 0, sizeof *n);
	hash_str_init(&n->points);
	hash_str_init(&n->families);
}

void names_release(struct names *n)
{
	for (uint32_t i = 0; i < n->family_n; i++)
		free(n->family[i].ranges);
	free(n->family);
	free(n->entries);
	hash_str_release(&n->points);
	hash_str_release(&n->families);
}

/* The index of the first range with hi >= number, n if there is none. */
static uint32_t family_search(const struct family *f, uint32_t number)
{
	uint32_t lo = 0, hi = f->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (f->ranges[mid].hi < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A name taken apart: prefix = [s, s+at), number, suffix = the rest. */
struct split {
	const char *s;
	size_t n, at;
	size_t digits;
	uint32_t number;
};

/* The host of this number. */
static uint32_t family_host(const struct family *f, uint32_t number)
{
	uint32_t r = family_search(f, number);
	if (r == f->n || f->ranges[r].lo > number)
		return NONE32;
	return f->ranges[r].first_host + (number - f->ranges[r].lo);
}

static uint32_t split_find(const struct names *n, const struct split *sp)
{
	char key[NAME_MAX_LEN + 2];
	size_t tail = sp->n - sp->at - sp->digits;
	memcpy(key, sp->s, sp->at);
	key[sp->at] = '\1';
	memcpy(key + sp->at + 1, sp->s + sp->at + sp->digits, tail);
	uint32_t i = hash_str_findn(&n->families, key, sp->at + 1 + tail);
	if (i == HASH_NONE)
		return NONE32;
	return family_host(&n->family[i], sp->number);
}

/* The number that these characters are, as hosts' names have it: without leading zeros. NONE32:
 * none. */
static uint32_t number_of(const char *s, size_t n)
{
	uint64_t number = 0;
	if (n == 0 || n > DIGITS_MAX || (n > 1 && *s == '0'))
		return NONE32;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return NONE32;
		number = number * 10 + (uint64_t)(s[i] - '0');
	}
	return number > INT32_MAX ? NONE32 : (uint32_t)number;
}

/* The host of this family whose name it is. */
static uint32_t family_find(const struct family *f, const char *name, size_t n)
{
	size_t head = strlen(f->prefix), tail = strlen(f->suffix);
	if (n <= head + tail || memcmp(name, f->prefix, head) != 0 ||
	    memcmp(name + n - tail, f->suffix, tail) != 0)
		return NONE32;
	uint32_t number = number_of(name + head, n - head - tail);
	return number == NONE32 ? NONE32 : family_host(f, number);
}

/* The host whose number starts at sp->at, for every length the number can have; a leading zero only
 * for 0 itself. */
static uint32_t split_try(const struct names *n, struct split *sp)
{
	uint64_t number = 0;
	for (sp->digits = 1; sp->digits <= DIGITS_MAX && sp->at + sp->digits <= sp->n;
	     sp->digits++) {
		char c = sp->s[sp->at + sp->digits - 1];
		if (c < '0' || c > '9' || (sp->digits > 1 && sp->s[sp->at] == '0'))
			return NONE32;
		number = number * 10 + (uint64_t)(c - '0');
		if (number > INT32_MAX)
			return NONE32;
		sp->number = (uint32_t)number;
		uint32_t host = split_find(n, sp);
		if (host != NONE32)
			return host;
	}
	return NONE32;
}

static uint32_t computed_find(const struct names *n, const char *name)
{
	enum { FEW = 4 };
	struct split sp = {.s = name, .n = strlen(name)};
	if (!n->family_n || sp.n > NAME_MAX_LEN)
		return NONE32;
	if (n->family_n <= FEW) {
		uint32_t host = NONE32;
		for (uint32_t i = 0; i < n->family_n && host == NONE32; i++)
			host = family_find(&n->family[i], name, sp.n);
		return host;
	}
	for (sp.at = 0; sp.at < sp.n; sp.at++) {
		uint32_t host = split_try(n, &sp);
		if (host != NONE32)
			return host;
	}
	return NONE32;
}

struct point names_find(const struct names *n, const char *name)
{
	uint32_t i = hash_str_find(&n->points, name);
	if (i != HASH_NONE)
		return n->entries[i].point;
	uint32_t host = computed_find(n, name);
	return host == NONE32 ? POINT_NONE : point_make(POINT_HOST, host);
}

const struct zone *names_find_zone(const struct platform *p, const char *name, size_t n)
{
	uint32_t i = hash_str_findn(&p->names.points, name, n);
	if (i == HASH_NONE || point_kind(p->names.entries[i].point) != POINT_ZONE)
		return NULL;
	return p->zones[point_index(p->names.entries[i].point)];
}

static int refuse_twice(struct build *b, const char *name, struct point before, struct place at,
                        struct err *err)
{
	return build_error(
	    b, at, err,
	    "the name '%s' is already that of a %s: hosts, routers and zones share one name space",
	    name, point_word(before));
}

int names_add(struct build *b, const char *name, struct point p, struct place at, struct err *err)
{
	struct names *n = &b->p->names;
	if (!*name)
		return build_error(b, at, err, "empty name");
	if (strlen(name) > NAME_MAX_LEN)
		return build_error(b, at, err, "a name of more than %d characters", NAME_MAX_LEN);
	uint32_t before = hash_str_find(&n->points, name);
	if (before != HASH_NONE)
		return refuse_twice(b, name, n->entries[before].point, at, err);
	struct name_entry *grown = vec_grow(n->entries, &n->entries_cap, sizeof *grown,
	                                    (size_t)n->entries_n + 1, "names", err);
	if (!grown)
		return -1;
	n->entries = grown;
	n->entries[n->entries_n] = (struct name_entry){p, at};
	if (hash_str_put(&n->points, name, n->entries_n, err) < 0)
		return -1;
	n->entries_n++;
	return 0;
}

static int family_new(struct names *n, const char *key, const struct host_block *block,
                      struct err *err)
{
	struct family *grown = vec_grow(n->family, &n->family_cap, sizeof *grown,
	                                (size_t)n->family_n + 1, "host name families", err);
	if (!grown)
		return -1;
	n->family = grown;
	n->family[n->family_n] = (struct family){.prefix = block->prefix, .suffix = block->suffix};
	if (hash_str_put(&n->families, key, n->family_n, err) < 0)
		return -1;
	n->family_n++;
	return 0;
}

/* The family of a block, made if needed. */
static struct family *family_get(struct names *n, const struct host_block *block, struct err *err)
{
	char key[2 * NAME_MAX_LEN + 2];
	snprintf(key, sizeof key, "%s\1%s", block->prefix, block->suffix);
	uint32_t i = hash_str_find(&n->families, key);
	if (i == HASH_NONE) {
		if (family_new(n, key, block, err) < 0)
			return NULL;
		i = n->family_n - 1;
	}
	return &n->family[i];
}

/* Inserts in order; 0, 1 if it overlaps (*clash is then a shared number), -1 on error. Blocks
 * mostly come in increasing order: no move. */
static int family_insert(struct family *f, struct name_range r, uint32_t *clash, struct err *err)
{
	uint32_t i = family_search(f, r.lo);
	if (i < f->n && f->ranges[i].lo <= r.hi) {
		*clash = f->ranges[i].lo > r.lo ? f->ranges[i].lo : r.lo;
		return 1;
	}
	struct name_range *grown = vec_grow(f->ranges, &f->cap, sizeof *grown, (size_t)f->n + 1,
	                                    "host name ranges", err);
	if (!grown)
		return -1;
	f->ranges = grown;
	memmove(f->ranges + i + 1, f->ranges + i, (f->n - i) * sizeof *f->ranges);
	f->ranges[i] = r;
	f->n++;
	return 0;
}

int names_add_block(struct build *b, const struct host_block *block, struct place at,
                    struct err *err)
{
	if (strlen(block->prefix) + strlen(block->suffix) > NAME_MAX_LEN - DIGITS_MAX)
		return build_error(b, at, err, "host names of more than %d characters",
		                   NAME_MAX_LEN);
	struct family *f = family_get(&b->p->names, block, err);
	if (!f)
		return -1;
	for (uint32_t i = 0; i < block->radical.n; i++) {
		const struct range *r = &block->radical.ranges[i];
		uint32_t clash = 0;
		int got = family_insert(
		    f, (struct name_range){r->lo, r->hi, block->first + r->first}, &clash, err);
		if (got < 0)
			return -1;
		if (got > 0)
			return build_error(b, at, err, "two hosts are named '%s%u%s'",
			                   block->prefix, clash, block->suffix);
	}
	return 0;
}

/* What all families that can share a name with this one have in common: the prefix without the
 * digits it ends in, the suffix without those it begins with ("n1" and 1, "n" and 11 are one
 * name). */
static void family_stem(const struct family *f, char *key, size_t size)
{
	size_t n = strlen(f->prefix);
	while (n && f->prefix[n - 1] >= '0' && f->prefix[n - 1] <= '9')
		n--;
	snprintf(key, size, "%.*s\1%s", (int)n, f->prefix,
	         f->suffix + strspn(f->suffix, "0123456789"));
}

/* 1 if two families have the same stem, 0 if none, -1 on error. */
static int families_meet(const struct names *n, struct err *err)
{
	char key[2 * NAME_MAX_LEN + 2];
	struct hash_str stems;
	int met = 0;
	hash_str_init(&stems);
	for (uint32_t i = 0; i < n->family_n && !met; i++) {
		family_stem(&n->family[i], key, sizeof key);
		met = hash_str_find(&stems, key) != HASH_NONE;
		if (!met && hash_str_put(&stems, key, i, err) < 0)
			met = -1;
	}
	hash_str_release(&stems);
	return met;
}

/* Then each computed name must lead to its own host. */
static int computed_check(struct build *b, struct err *err)
{
	const struct platform *p = b->p;
	char name[NAME_MAX_LEN + 16];
	for (uint32_t h = 0; h < p->host_count; h++) {
		const struct host_block *k = host_block_of(p, h);
		if (k->named != NONE32) {
			h = k->first + k->n - 1;
			continue;
		}
		platform_host_name(p, (struct host_id){h}, name, sizeof name);
		if (computed_find(&p->names, name) != h)
			return build_error(b, (struct place){0, 0}, err,
			                   "two clusters have a host named '%s'", name);
	}
	return 0;
}

int names_check(struct build *b, struct err *err)
{
	const struct names *n = &b->p->names;
	for (uint32_t i = 0; n->family_n && i < n->entries_n; i++) {
		char buf[NAME_MAX_LEN + 1];
		const char *name = point_name(b->p, n->entries[i].point, buf, sizeof buf);
		if (computed_find(n, name) != NONE32)
			return build_error(b, n->entries[i].at, err,
			                   "the name '%s' is also that of a host of a cluster",
			                   name);
	}
	int met = families_meet(n, err);
	return met > 0 ? computed_check(b, err) : met;
}
