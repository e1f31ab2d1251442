/* hosts.c: hosts and routers: adding them to the zone under construction, and what is asked of them
 * afterwards. */
#include "platform/platform_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int host_check(const struct build *b, const struct host_info *info, struct place at,
                      struct err *err)
{
	if (!(info->speed >= 0) || !isfinite(info->speed))
		return build_error(b, at, err, "a host's speed must be 0 or more, and finite");
	if (info->cores < 1)
		return build_error(b, at, err, "a host needs at least one core");
	return 0;
}

/* A new block at the end. */
static struct host_block *block_new(struct platform *p, struct err *err)
{
	struct host_block *grown = vec_grow(p->host_blocks, &p->host_blocks_cap, sizeof *grown,
	                                    (size_t)p->host_blocks_n + 1, "host blocks", err);
	if (!grown)
		return NULL;
	p->host_blocks = grown;
	struct host_block *k = &p->host_blocks[p->host_blocks_n++];
	*k = (struct host_block){.first = p->host_count, .named = NONE32};
	return k;
}

/* The last block if a named host of this zone can be appended to it, else a new one. */
static struct host_block *block_for_named(struct build *b, struct err *err)
{
	struct platform *p = b->p;
	struct host_block *last = p->host_blocks_n ? &p->host_blocks[p->host_blocks_n - 1] : NULL;
	if (last && last->zone == b->current->index && last->named != NONE32)
		return last;
	struct host_block *k = block_new(p, err);
	if (!k)
		return NULL;
	k->zone = b->current->index;
	k->named = p->hosts_n;
	return k;
}

int host_add(struct build *b, const char *name, const struct host_info *info, const double *coords,
             struct place at, struct err *err)
{
	struct platform *p = b->p;
	if (host_check(b, info, at, err) < 0)
		return -1;
	if (p->host_count >= HOSTS_MAX)
		return build_error(b, at, err, "more than %d hosts", HOSTS_MAX);
	struct named_host *grown = vec_grow(p->hosts, &p->hosts_cap, sizeof *grown,
	                                    (size_t)p->hosts_n + 1, "hosts", err);
	if (!grown)
		return -1;
	p->hosts = grown;
	char *kept = arena_strndup(&p->arena, name, strlen(name), err);
	if (!kept || names_add(b, kept, point_make(POINT_HOST, p->host_count), at, err) < 0)
		return -1;
	struct host_block *k = block_for_named(b, err);
	if (!k)
		return -1;
	p->hosts[p->hosts_n++] = (struct named_host){.name = kept, .info = *info, .coords = coords};
	k->n++;
	p->host_count++;
	return zone_add_point(b, point_make(POINT_HOST, p->host_count - 1), err);
}

int host_add_block(struct build *b, const char *prefix, struct radical *radical, const char *suffix,
                   const struct host_info *info, struct place at, struct err *err)
{
	struct platform *p = b->p;
	if (host_check(b, info, at, err) < 0)
		return -1;
	if ((uint64_t)p->host_count + radical->count > HOSTS_MAX)
		return build_error(b, at, err, "more than %d hosts", HOSTS_MAX);
	struct host_block k = {.first = p->host_count,
	                       .n = radical->count,
	                       .zone = b->current->index,
	                       .named = NONE32,
	                       .info = *info};
	k.radical = *radical;
	k.prefix = arena_strndup(&p->arena, prefix, strlen(prefix), err);
	k.suffix = k.prefix ? arena_strndup(&p->arena, suffix, strlen(suffix), err) : NULL;
	if (!k.suffix || names_add_block(b, &k, at, err) < 0)
		return -1;
	struct host_block *place = block_new(p, err);
	if (!place)
		return -1;
	*place = k;
	*radical = (struct radical){0};
	p->host_count += k.n;
	return 0;
}

int router_add(struct build *b, const char *name, const double *coords, struct place at,
               struct err *err)
{
	struct platform *p = b->p;
	struct router *grown = vec_grow(p->routers, &p->routers_cap, sizeof *grown,
	                                (size_t)p->routers_n + 1, "routers", err);
	if (!grown)
		return -1;
	p->routers = grown;
	char *kept = arena_strndup(&p->arena, name, strlen(name), err);
	if (!kept || names_add(b, kept, point_make(POINT_ROUTER, p->routers_n), at, err) < 0)
		return -1;
	p->routers[p->routers_n++] = (struct router){
	    .name = kept, .zone = b->current->index, .coords = coords};
	return zone_add_point(b, point_make(POINT_ROUTER, p->routers_n - 1), err);
}

const struct host_block *host_block_of(const struct platform *p, uint32_t host)
{
	uint32_t lo = 0, hi = p->host_blocks_n;
	BUG_ON(host >= p->host_count);
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (p->host_blocks[mid].first <= host)
			lo = mid;
		else
			hi = mid;
	}
	return &p->host_blocks[lo];
}

struct zone *point_zone(const struct platform *p, struct point a)
{
	uint32_t i = point_index(a);
	switch (point_kind(a)) {
	case POINT_HOST:
		return p->zones[host_block_of(p, i)->zone];
	case POINT_ROUTER:
		return p->zones[p->routers[i].zone];
	case POINT_ZONE:
		return p->zones[i]->parent == NONE32 ? NULL : p->zones[p->zones[i]->parent];
	}
	BUG_ON(1);
	return NULL;
}

const char *point_name(const struct platform *p, struct point a, char *buf, size_t n)
{
	uint32_t i = point_index(a);
	if (point_kind(a) == POINT_HOST)
		return platform_host_name(p, (struct host_id){i}, buf, n);
	snprintf(buf, n, "%s",
	         point_kind(a) == POINT_ROUTER ? p->routers[i].name : p->zones[i]->id);
	return buf;
}

const char *point_word(struct point a)
{
	static const char *const word[] = {
	    [POINT_HOST] = "host", [POINT_ROUTER] = "router", [POINT_ZONE] = "zone"};
	return word[point_kind(a)];
}

uint32_t platform_host_count(const struct platform *p)
{
	return p->host_count;
}

/* Hosts that are asked about as if they were others (--what-if); links: change.c. */
static struct host_change *host_change_find(const struct platform *p, uint32_t host)
{
	for (uint32_t i = 0; i < p->host_changes_n; i++)
		if (p->host_changes[i].host == host)
			return &p->host_changes[i];
	return NULL;
}

int platform_host_scale(struct platform *p, struct host_id h, double speed, struct err *err)
{
	struct host_change *c = host_change_find(p, h.v);

	if (!c) {
		struct host_change *all = vec_grow(p->host_changes, &p->host_changes_cap,
		                                   sizeof *all, (size_t)p->host_changes_n + 1,
		                                   "changed hosts", err);

		if (!all)
			return -1;
		p->host_changes = all;
		c = &all[p->host_changes_n++];
		*c = (struct host_change){h.v, 1};
	}
	c->speed *= speed;
	return 0;
}

double platform_speed_scale(const struct platform *p, struct host_id h)
{
	const struct host_change *c = p->host_changes_n ? host_change_find(p, h.v) : NULL;

	return c ? p->speed_scale * c->speed : p->speed_scale;
}

void platform_host(const struct platform *p, struct host_id h, struct host_info *out)
{
	const struct host_block *k = host_block_of(p, h.v);
	*out = k->named == NONE32 ? k->info : p->hosts[k->named + (h.v - k->first)].info;
	out->speed *= p->host_changes_n ? platform_speed_scale(p, h) : p->speed_scale;
}

int platform_hosts_alike(const struct platform *p, struct host_id a, struct host_id b)
{
	const struct host_block *k = host_block_of(p, a.v);

	return !p->host_changes_n && k->named == NONE32 && k == host_block_of(p, b.v);
}

int platform_computes(const struct platform *p, struct host_id h)
{
	struct host_info info;

	platform_host(p, h, &info);
	return info.speed > 0;
}

struct host_id platform_first_computing(const struct platform *p)
{
	return p->first_computing;
}

const char *platform_host_name(const struct platform *p, struct host_id h, char *buf, size_t n)
{
	const struct host_block *k = host_block_of(p, h.v);
	if (k->named == NONE32)
		snprintf(buf, n, "%s%u%s", k->prefix, radical_number(&k->radical, h.v - k->first),
		         k->suffix);
	else
		snprintf(buf, n, "%s", p->hosts[k->named + (h.v - k->first)].name);
	return buf;
}

int platform_host_find(const struct platform *p, const char *name, struct host_id *out)
{
	struct point a = names_find(&p->names, name);
	if (point_none(a) || point_kind(a) != POINT_HOST)
		return -1;
	out->v = point_index(a);
	return 0;
}

const char *platform_host_prop(const struct platform *p, struct host_id h, const char *key)
{
	const struct host_block *k = host_block_of(p, h.v);
	const struct prop *prop = k->named == NONE32 ? k->props
	                                             : p->hosts[k->named + (h.v - k->first)].props;
	while (prop && strcmp(prop->key, key) != 0)
		prop = prop->next;
	return prop ? prop->value : NULL;
}

uint32_t platform_disks(const struct platform *p, const struct disk_info **out)
{
	*out = p->disks;
	return p->disks_n;
}

double platform_host_ratio(const struct platform *p, struct host_id h)
{
	const char *text = platform_host_prop(p, h, "cpu-ratio");
	double ratio;

	return text && num_parse_double(text, strlen(text), &ratio) == 0 && ratio > 0 ? ratio : 1;
}
