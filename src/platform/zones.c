/* zones.c: the tree of zones: opening and closing them while a platform is built, and finding a
 * kind by its name. */
#include "platform/platform_int.h"

#include <string.h>

/* Kinds that routing="…" can name. <cluster> makes the others. */
const struct zone_kind *const zone_kinds[] = {&zone_full,           &zone_floyd, &zone_dijkstra,
                                              &zone_dijkstra_cache, &zone_none,  &zone_star,
                                              &zone_vivaldi,        NULL};

const struct zone_kind *zone_kind_find(const char *routing)
{
	for (int i = 0; zone_kinds[i]; i++)
		if (text_same(zone_kinds[i]->name, routing))
			return zone_kinds[i];
	return NULL;
}

static int parent_check(const struct build *b, const char *id, struct place at, struct err *err)
{
	const struct zone *parent = b->current;
	if (!parent && b->p->zones_n)
		return build_error(b, at, err,
		                   "zone '%s' is beside zone '%s': a platform has one outermost "
		                   "zone; put both in a <zone "
		                   "routing=\"Full\"> with a <zoneRoute> between them",
		                   id, b->p->zones[0]->id);
	if (b->p->zones_n >= HOSTS_MAX)
		return build_error(b, at, err, "too many zones");
	return 0;
}

/* Of a child: as far as its parent's jump of jump where that doubles the distance, else the
 * parent. */
static uint32_t jump_of(const struct platform *p, const struct zone *parent)
{
	const struct zone *far = p->zones[parent->jump], *farther = p->zones[far->jump];
	return parent->depth - far->depth == far->depth - farther->depth ? farther->index
	                                                                 : parent->index;
}

struct zone *zone_open(struct build *b, const char *id, const struct zone_kind *kind,
                       struct place at, struct err *err)
{
	struct platform *p = b->p;
	if (parent_check(b, id, at, err) < 0)
		return NULL;
	struct zone **grown = vec_grow(p->zones, &p->zones_cap, sizeof *grown,
	                               (size_t)p->zones_n + 1, "zones", err);
	if (!grown)
		return NULL;
	p->zones = grown;
	struct zone *z = arena_alloc(&p->arena, sizeof *z, err);
	char *kept = z ? arena_strndup(&p->arena, id, strlen(id), err) : NULL;
	if (!kept || names_add(b, kept, point_make(POINT_ZONE, p->zones_n), at, err) < 0)
		return NULL;
	*z = (struct zone){.id = kept,
	                   .kind = kind,
	                   .index = p->zones_n,
	                   .jump = p->zones_n,
	                   .parent = NONE32,
	                   .last = NONE32,
	                   .at = at,
	                   .shape = ""};
	if (b->current) {
		z->parent = b->current->index;
		z->depth = b->current->depth + 1;
		z->jump = jump_of(p, b->current);
		b->current->children++;
	}
	p->zones[p->zones_n++] = z;
	p->free_names += kind->free_names != 0;
	if (zone_add_point(b, point_make(POINT_ZONE, z->index), err) < 0)
		return NULL;
	b->current = z;
	return kind->init && kind->init(b, z, err) < 0 ? NULL : z;
}

int zone_add_point(struct build *b, struct point a, struct err *err)
{
	struct zone *z = b->current;
	return z && z->kind->point ? z->kind->point(b, z, a, err) : 0;
}

int zone_close(struct build *b, struct err *err)
{
	struct zone *z = b->current;
	if (z->kind->seal && z->kind->seal(b, z, err) < 0)
		return -1;
	z->last = b->p->zones_n - 1;
	b->current = z->parent == NONE32 ? NULL : b->p->zones[z->parent];
	return 0;
}

int zone_around(const struct zone *z, const struct zone *in)
{
	return z->index <= in->index && in->index <= z->last;
}

int zone_contains(const struct platform *p, const struct zone *z, struct point a)
{
	const struct zone *in = point_zone(p, a);
	return in && zone_around(z, in);
}
