/* untuned.c: see untuned.h. The text of data/selectors/mpich-untuned.json is in the program (after
 * MPICH's maint/tuning/coll/mpir/generic.json); cJSON reads it, whose objects keep their order:
 * in MPICH's file the first key that holds decides. */
#include "untuned.h"

#if ORRERY_HAVE_CJSON
#include "selectors/mpich-untuned.h"

#include <cjson/cJSON.h>
#include <stddef.h>

enum { TEXTS = 3 };
static const char *const keys[TEXTS] = {"intra", "intra 4.3", "inter"};

/* 0, or -1: no memory. */
static int element_give(const cJSON *element, void (*each)(void *self, const struct untuned *u),
                        void *self)
{
	char *text[TEXTS] = {NULL};
	int r = 0;

	for (int i = 0; i < TEXTS; i++) {
		const cJSON *v = cJSON_GetObjectItemCaseSensitive(element, keys[i]);

		text[i] = v ? cJSON_PrintUnformatted(v) : NULL;
		r = v && !text[i] ? -1 : r;
	}
	if (r == 0)
		each(self, &(struct untuned){cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
		                                 element, "collective")),
		                             text[0], text[1], text[2]});
	for (int i = 0; i < TEXTS; i++)
		cJSON_free(text[i]);
	return r;
}

int untuned_each(void (*each)(void *self, const struct untuned *u), void *self, struct err *err)
{
	cJSON *all = cJSON_ParseWithLength(mpich_untuned_json, sizeof mpich_untuned_json - 1);
	int r = 0;

	if (!all)
		return err_set(err, ERR_LIMIT, "mpich-untuned.json: not enough memory to read it");
	for (const cJSON *e = all->child; e && r == 0; e = e->next)
		r = element_give(e, each, self);
	cJSON_Delete(all);
	return r == 0 ? 0 : err_nomem(err, "a tuning file", sizeof mpich_untuned_json);
}

#else

int untuned_each(void (*each)(void *self, const struct untuned *u), void *self, struct err *err)
{
	(void)each, (void)self;
	return err_set(
	    err, ERR_INPUT,
	    "tuning files of MPICH need libcjson, which was not there when orrery was built "
	    "(Debian: libcjson-dev)");
}
#endif
