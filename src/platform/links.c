/* links.c: links by id and by name. A named link is a record; a cluster's links are a block of ids
 * that its zone's kind describes. */
#include "platform/platform_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct link_block *block_new(struct platform *p, uint32_t zone, uint32_t named,
                                    struct err *err)
{
	struct link_block *grown = vec_grow(p->link_blocks, &p->link_blocks_cap, sizeof *grown,
	                                    (size_t)p->link_blocks_n + 1, "link blocks", err);
	if (!grown)
		return NULL;
	p->link_blocks = grown;
	p->link_blocks[p->link_blocks_n] = (struct link_block){
	    .first = p->link_count, .zone = zone, .named = named};
	return &p->link_blocks[p->link_blocks_n++];
}

static struct link_block *block_for_named(struct platform *p, struct err *err)
{
	struct link_block *last = p->link_blocks_n ? &p->link_blocks[p->link_blocks_n - 1] : NULL;
	if (last && last->named != NONE32)
		return last;
	return block_new(p, NONE32, p->links_n, err);
}

static int link_check(const struct build *b, const struct link_info *info, struct place at,
                      struct err *err)
{
	if (!(info->bandwidth > 0) || !isfinite(info->bandwidth))
		return build_error(b, at, err, "a link's bandwidth must be positive");
	if (!(info->latency >= 0) || !isfinite(info->latency))
		return build_error(b, at, err, "a link's latency cannot be negative");
	return 0;
}

static int record_add(struct build *b, const char *name, const struct link_info *info,
                      struct place at, struct err *err)
{
	struct platform *p = b->p;
	if (hash_str_find(&p->link_names, name) != HASH_NONE)
		return build_error(b, at, err, "the name '%s' is already that of a link", name);
	struct named_link *grown = vec_grow(p->links, &p->links_cap, sizeof *grown,
	                                    (size_t)p->links_n + 1, "links", err);
	if (!grown)
		return -1;
	p->links = grown;
	char *kept = arena_strndup(&p->arena, name, strlen(name), err);
	if (!kept || hash_str_put(&p->link_names, kept, p->links_n, err) < 0)
		return -1;
	struct link_block *k = block_for_named(p, err);
	if (!k)
		return -1;
	p->links[p->links_n++] = (struct named_link){
	    .name = kept, .info = *info, .id = p->link_count++, .at = at};
	k->n++;
	return 0;
}

static int pair_add(struct build *b, const char *name, const struct link_info *info,
                    struct place at, struct err *err)
{
	char half[NAME_MAX_LEN + 8];
	snprintf(half, sizeof half, "%s_UP", name);
	if (hash_str_find(&b->p->pair_names, name) != HASH_NONE)
		return build_error(b, at, err, "the name '%s' is already that of a link", name);
	if (hash_str_put(&b->p->pair_names, name, b->p->links_n, err) < 0 ||
	    record_add(b, half, info, at, err) < 0)
		return -1;
	snprintf(half, sizeof half, "%s_DOWN", name);
	return record_add(b, half, info, at, err);
}

int link_add(struct build *b, const char *name, const struct link_info *info, enum link_split split,
             struct place at, struct err *err)
{
	if (!*name || strlen(name) > NAME_MAX_LEN)
		return build_error(b, at, err,
		                   "a link's name must have between 1 and %d characters",
		                   NAME_MAX_LEN);
	if (link_check(b, info, at, err) < 0)
		return -1;
	if (b->p->link_count > NONE32 / 2)
		return build_error(b, at, err, "too many links");
	return split == LINK_SPLIT ? pair_add(b, name, info, at, err)
	                           : record_add(b, name, info, at, err);
}

int link_add_block(struct build *b, struct zone *z, uint64_t n, struct err *err)
{
	struct platform *p = b->p;
	if (p->link_count + n > NONE32 / 2)
		return build_error(b, z->at, err, "too many links");
	struct link_block *k = block_new(p, z->index, NONE32, err);
	if (!k)
		return -1;
	k->n = (uint32_t)n;
	z->first_link = p->link_count;
	z->links = (uint32_t)n;
	p->link_count += (uint32_t)n;
	return 0;
}

static struct link_id zone_link_find(const struct platform *p, const struct zone *z,
                                     const char *name, int pair)
{
	uint32_t offset = z && z->kind->link_find ? z->kind->link_find(p, z, name, pair) : NONE32;
	return (struct link_id){offset == NONE32 ? NONE32 : z->first_link + offset};
}

/* Most computed names begin with their zone's: "<id>_link_…", "<id>_backbone". Only kinds with
 * free_names must be asked one by one. */
static struct link_id computed_find(const struct platform *p, const char *name, int pair)
{
	struct link_id found = {NONE32};
	for (const char *s = strchr(name, '_'); s && found.v == NONE32; s = strchr(s + 1, '_'))
		if (strncmp(s, "_link_", 6) == 0 || strcmp(s, "_backbone") == 0)
			found = zone_link_find(p, names_find_zone(p, name, (size_t)(s - name)),
			                       name, pair);
	for (uint32_t z = 0; z < p->zones_n && p->free_names && found.v == NONE32; z++)
		if (p->zones[z]->kind->free_names)
			found = zone_link_find(p, p->zones[z], name, pair);
	return found;
}

static struct link_id find(const struct platform *p, const char *name, int pair)
{
	uint32_t i = hash_str_find(pair ? &p->pair_names : &p->link_names, name);
	return i == HASH_NONE ? computed_find(p, name, pair) : (struct link_id){p->links[i].id};
}

struct link_id link_find(const struct platform *p, const char *name)
{
	return find(p, name, 0);
}

struct link_id link_find_pair(const struct platform *p, const char *name)
{
	return find(p, name, 1);
}

uint32_t link_named(const struct platform *p, const struct zone *z, uint64_t offset,
                    const char *name, int pair)
{
	char buf[NAME_IN_FULL];
	if (offset >= z->links)
		return NONE32;
	z->kind->link_name(p, z, (uint32_t)offset, buf, sizeof buf);
	size_t n = strlen(buf);
	if (pair) {
		if (n < 3 || strcmp(buf + n - 3, "_UP") != 0)
			return NONE32;
		buf[n - 3] = 0;
	}
	return strcmp(buf, name) == 0 ? (uint32_t)offset : NONE32;
}

/* A computed link may have been given a name that a named one already has. */
int link_check_names(struct build *b, struct err *err)
{
	const struct platform *p = b->p;
	for (uint32_t i = 0; i < p->links_n; i++)
		if (computed_find(p, p->links[i].name, 0).v != NONE32)
			return build_error(b, p->links[i].at, err,
			                   "the link name '%s' is also that of a link of a cluster",
			                   p->links[i].name);
	return 0;
}

static const struct link_block *link_block_of(const struct platform *p, uint32_t link)
{
	uint32_t lo = 0, hi = p->link_blocks_n;
	BUG_ON(link >= p->link_count);
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (p->link_blocks[mid].first <= link)
			lo = mid;
		else
			hi = mid;
	}
	return &p->link_blocks[lo];
}

uint32_t platform_link_count(const struct platform *p)
{
	return p->link_count;
}

void platform_link(const struct platform *p, struct link_id l, struct link_info *out)
{
	link_before_changes(p, l, out);
	link_change_apply(p, l.v, out);
}

void link_before_changes(const struct platform *p, struct link_id l, struct link_info *out)
{
	const struct link_block *k = link_block_of(p, l.v);
	if (k->named != NONE32) {
		*out = p->links[k->named + (l.v - k->first)].info;
		return;
	}
	const struct zone *z = p->zones[k->zone];
	z->kind->link(p, z, l.v - k->first, out);
}

const char *platform_link_name(const struct platform *p, struct link_id l, char *buf, size_t n)
{
	const struct link_block *k = link_block_of(p, l.v);
	const struct zone *z = k->named == NONE32 ? p->zones[k->zone] : NULL;
	if (z)
		z->kind->link_name(p, z, l.v - k->first, buf, n);
	else
		snprintf(buf, n, "%s", p->links[k->named + (l.v - k->first)].name);
	return buf;
}
