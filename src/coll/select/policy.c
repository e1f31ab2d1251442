/* policy.c: the settings that choose algorithms: smpi/coll-selector, and smpi/<operation> for
 * one operation. */
#include "coll/rules/rules.h"

#include <stdio.h>
#include <string.h>

static const char file_prefix[] = "file:";

static void selectors_name(struct err *err)
{
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		err_append(err, " %s", *s == &coll_selector_file ? "file:PATH" : (*s)->name);
}

static int policy_unknown(enum coll_kind k, const char *name, struct err *err)
{
	struct nearest near;

	nearest_init(&near, name);
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if ((*alg)->kind == k && !(*alg)->defect)
			nearest_offer(&near, (*alg)->name);
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		nearest_offer(&near, (*s)->name);
	err_set(err, ERR_INPUT, "no algorithm or selector \"%s\" for %s; ", name,
	        coll_kind_name(k));
	if (near.best)
		err_append(err, "did you mean %s; ", near.best);
	err_append(err, "there are:");
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if ((*alg)->kind == k && !(*alg)->defect)
			err_append(err, " %s", (*alg)->name);
	err_append(err, "; selectors:");
	selectors_name(err);
	return -1;
}

/* "file:PATH": reads it. NULL with *err set, or not set when name is no such thing. */
static const struct coll_rules *rules_of_name(struct coll_policy *p, const char *name,
                                              struct err *err)
{
	size_t n = sizeof file_prefix - 1;
	err->kind = ERR_NONE;
	if (strncmp(name, file_prefix, n) != 0)
		return NULL;
	if (!name[n]) {
		err_set(err, ERR_INPUT, "\"file:\" is followed by the path of a tuning file");
		return NULL;
	}
	for (const struct coll_rules *r = p->owned; r; r = r->next)
		if (strcmp(r->path, name + n) == 0)
			return r;
	struct coll_rules *r = coll_rules_read(name + n, err);
	if (r) {
		r->next = p->owned;
		p->owned = r;
	}
	return r;
}

int coll_policy_set(struct coll_policy *p, enum coll_kind k, const char *name, struct err *err)
{
	struct err e;
	const struct coll_rules *rules = rules_of_name(p, name, &e);
	if (!rules && e.kind)
		return err_set(err, e.kind, "%s", e.text);
	if (k == COLL_REDUCE_SCATTER_BLOCK)
		k = COLL_REDUCE_SCATTER; /* one choice for both */
	const struct coll_selector *s = rules ? &coll_selector_file : coll_selector_find(name);
	const struct coll_alg *alg = s ? NULL : coll_alg_find(k, name);
	if ((!s && (!alg || alg->defect)) || (s == &coll_selector_file && !rules))
		return policy_unknown(k, name, err);
	p->selectors[k] = s;
	p->rules_of[k] = rules;
	p->fixed[k] = alg;
	return 0;
}

static int selector_unknown(const char *name, struct err *err)
{
	struct nearest near;

	nearest_init(&near, name);
	for (const struct coll_selector *const *i = coll_selectors; *i; i++)
		nearest_offer(&near, (*i)->name);
	err_set(err, ERR_INPUT, "there is no selector \"%s\"%s%s; there are:", name,
	        near.best ? "; did you mean " : "", near.best ? near.best : "");
	selectors_name(err);
	return -1;
}

int coll_policy_select(struct coll_policy *p, const char *name, struct err *err)
{
	struct err e;
	const struct coll_rules *rules = rules_of_name(p, name, &e);
	if (!rules && e.kind)
		return err_set(err, e.kind, "%s", e.text);
	const struct coll_selector *s = rules ? &coll_selector_file : coll_selector_find(name);
	if (!s || (s == &coll_selector_file && !rules))
		return selector_unknown(name, err);
	p->selector = s;
	p->rules = rules;
	return 0;
}

/* The setting of one operation, if it has one and the user has set it. */
static int policy_read_kind(struct coll_policy *p, enum coll_kind k, const struct config *cfg,
                            struct err *err)
{
	char name[64];
	enum config_id id;
	struct err e;

	if (k == COLL_REDUCE_SCATTER_BLOCK)
		return 0; /* reduce_scatter's */
	snprintf(name, sizeof name, "smpi/%s", coll_kind_name(k));
	id = config_find(name);
	if (id == CFG_COUNT || config_text(cfg, id)[0] == '\0')
		return 0;
	if (coll_policy_set(p, k, config_text(cfg, id), &e) < 0)
		return err_set(err, e.kind, "setting %s: %s", name, e.text);
	return 0;
}

int coll_policy_read(struct coll_policy *p, const struct config *cfg, struct err *err)
{
	struct err e;
	int k;

	*p = (struct coll_policy){0};
	if (coll_policy_select(p, config_text(cfg, CFG_SMPI_COLL_SELECTOR), &e) < 0)
		return err_set(err, e.kind, "setting smpi/coll-selector: %s", e.text);
	for (k = 0; k < COLL_KINDS; k++)
		if (policy_read_kind(p, (enum coll_kind)k, cfg, err) < 0)
			return -1;
	return 0;
}

void coll_policy_release(struct coll_policy *p)
{
	while (p->owned) {
		struct coll_rules *r = p->owned;
		p->owned = r->next;
		coll_rules_free(r);
	}
	*p = (struct coll_policy){0};
}
