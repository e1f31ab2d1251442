/* untuned.h: what MPICH decides itself, operation by operation, as its tuning file says it. */
#ifndef ORRERY_STUDY_UNTUNED_H
#define ORRERY_STUDY_UNTUNED_H

#include "base/base.h"

/* Texts are JSON. */
struct untuned {
	const char *collective, *intra;
	const char *intra_4_3; /* since MPICH 4.3, where that differs; or NULL */
	const char *inter;     /* on intercommunicators; NULL: intra is for both */
};
/* Each in the order of the file; u is valid during the call. */
int untuned_each(void (*each)(void *self, const struct untuned *u), void *self, struct err *err);

#endif
