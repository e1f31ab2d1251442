/* sim_int.h: what the files of this room share. */
#ifndef ORRERY_SIM_INT_H
#define ORRERY_SIM_INT_H

#include "sim.h"

/* what_if.c: the machine, and settings, as another one. */
int what_if_apply(struct platform *p, struct config *cfg, const char *text, struct str *told,
                  struct err *err);
/* After the run: which of the changes nothing met. */
void what_if_tell(const struct platform *p, const struct net *n, const char *text, struct str *out);

#endif
