/* study_int.h: what the files of this room share. */
#ifndef ORRERY_STUDY_STUDY_INT_H
#define ORRERY_STUDY_STUDY_INT_H

#include "study.h"

/* notices.c: adds to the settings' notices what the model cannot follow of the machine and the
 * settings, as a replay tells it. */
int notices_add(const struct platform *p, struct config *cfg, struct err *err);

#endif
