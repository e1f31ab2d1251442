/* list.c: the selectors, by name. */
#include "coll/rules/rules.h"

#include <string.h>

const struct coll_selector *const coll_selectors[] = {&coll_selector_default,
                                                      &coll_selector_ompi,
                                                      &coll_selector_ompi_1_7,
                                                      &coll_selector_ompi_4,
                                                      &coll_selector_ompi_5,
                                                      &coll_selector_mpich,
                                                      &coll_selector_mpich_4,
                                                      &coll_selector_mvapich2,
                                                      &coll_selector_impi,
                                                      &coll_selector_nccl,
                                                      &coll_selector_automatic,
                                                      &coll_selector_file,
                                                      NULL};

const struct coll_selector *coll_selector_find(const char *name)
{
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		if (strcmp((*s)->name, name) == 0)
			return *s;
	return NULL;
}
