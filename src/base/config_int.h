/* config_int.h: what the files of the settings share. */
#ifndef ORRERY_BASE_CONFIG_INT_H
#define ORRERY_BASE_CONFIG_INT_H

#include "config.h"

/* A setting of SimGrid that is not one of ours. */
struct config_foreign {
	const char *name; /* ending in '/': all that start so */
	const char *only; /* NULL: any value is harmless; else the blank-separated values that
	                     change nothing */
	const char *why;  /* it has no effect */
};

const struct config_foreign *config_foreign_find(const char *name);
/* Is it one of f->only? An empty value always is (SimGrid: "not set"). */
int config_foreign_harmless(const struct config_foreign *f, const char *value);

/* Checks the text of a factor or overhead table: a number, or sections "threshold:value[:value…]"
 * separated by ';'. Blanks around sections are allowed (platform files break long tables over
 * lines). */
int config_table_check(const struct config_row *row, const char *text, struct err *err);

#endif
