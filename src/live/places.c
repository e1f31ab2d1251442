/* places.c: call sites by number: one for all ranks, whose addresses may differ, and for all
 * addresses of one line. */
#include "live_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t place_add(struct live *l, const char *name, struct err *err)
{
	uint32_t i = hash_str_find(&l->place_by_name, name);
	char **p;

	if (i != HASH_NONE)
		return i;
	p = vec_grow(l->place, &l->cap_place, sizeof *p, (size_t)l->n_place + 1, "call sites", err);
	if (!p)
		return -1;
	l->place = p;
	p[l->n_place] = strdup(name);
	if (!p[l->n_place])
		return err_nomem(err, "call sites", strlen(name));
	l->n_place++;
	return hash_str_put(&l->place_by_name, name, l->n_place - 1, err) < 0
	           ? -1
	           : (int64_t)l->n_place - 1;
}

/* Of a call site of a file: its name is looked for once. */
static int64_t place_in_file(struct live *l, const struct call_site *s, struct err *err)
{
	char key[1100], name[1100];
	uint32_t known;
	int64_t i;

	snprintf(key, sizeof key, "%s+%llx", s->path, s->address);
	known = hash_str_find(&l->place_by_file, key);
	if (known != HASH_NONE)
		return known;
	site_name(s, name, sizeof name);
	i = place_add(l, name, err);
	return i < 0 || hash_str_put(&l->place_by_file, key, (uint32_t)i, err) < 0 ? -1 : i;
}

int64_t site_place(struct live *l, uint32_t rank, uint64_t site, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	uint32_t known = hash64_find(&r->sites, site);
	struct call_site s;
	int64_t i;

	if (known != HASH_NONE)
		return known;
	site_find(l, rank, site, &s);
	i = place_in_file(l, &s, err);
	return i < 0 || hash64_put(&r->sites, site, (uint32_t)i, err) < 0 ? -1 : i;
}

void places_release(struct live *l)
{
	for (uint32_t i = 0; i < l->ranks && l->rank; i++)
		hash64_release(&l->rank[i].sites);
	for (uint32_t i = 0; i < l->n_place; i++)
		free(l->place[i]);
	free(l->place);
	hash_str_release(&l->place_by_name);
	hash_str_release(&l->place_by_file);
	hash64_release(&l->wrong_told);
}
