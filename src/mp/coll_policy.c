/* coll_policy.c: the settings that choose algorithms: smpi/coll-selector, and smpi/<operation> for one operation. */
#include "coll.h"

#include <stdio.h>

/* The setting of one operation, if it has one and the user has set it. */
static int policy_read_kind(struct coll_policy *p, enum coll_kind k, const struct config *cfg, struct err *err)
{
	char name[64];
	enum config_id id;

	snprintf(name, sizeof name, "smpi/%s", coll_kind_name(k == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : k));
	id = config_find(name);
	if (id == CFG_COUNT || config_text(cfg, id)[0] == '\0')
		return 0;
	if (coll_policy_set(p, k, config_text(cfg, id), err) < 0)
		return err_set(err, ERR_INPUT, "setting %s: %s", name, err ? err->text : "");
	return 0;
}

int coll_policy_read(struct coll_policy *p, const struct config *cfg, struct err *err)
{
	const char *name = config_text(cfg, CFG_SMPI_COLL_SELECTOR);
	int k;

	*p = (struct coll_policy){.selector = coll_selector_find(name)};
	if (!p->selector) {
		err_set(err, ERR_INPUT, "setting smpi/coll-selector: there is no selector \"%s\"; there are:", name);
		for (const struct coll_selector *const *s = coll_selectors; *s; s++)
			err_append(err, " %s", (*s)->name);
		return -1;
	}
	for (k = 0; k < COLL_KINDS; k++)
		if (policy_read_kind(p, (enum coll_kind)k, cfg, err) < 0)
			return -1;
	return 0;
}
