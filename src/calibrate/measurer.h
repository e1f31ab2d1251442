/* measurer.h: the program of data/measure/ on a real machine: compiled with its mpicc, started with
 * the user's launcher. */
#ifndef ORRERY_CALIBRATE_MEASURER_H
#define ORRERY_CALIBRATE_MEASURER_H

#include "network/campaign.h"

#include <limits.h>

struct net_program {
	const char *const *launcher; /* "mpirun -np 8 …", n_launcher words */
	int n_launcher;
	const char *mpicc; /* NULL: the one beside the launcher */
	int64_t seconds;   /* at most, for each pair of ranks */
	/* ours */
	char folder[PATH_MAX];
};
/* Compiles it, in a folder made for it in the current one: all hosts see the user's folder, not
 * each other's /tmp. */
int net_program_open(struct net_program *p, struct err *err);
struct net_measurer net_program_measurer(struct net_program *p);
/* Removes the folder; also after an open that failed. */
void net_program_close(struct net_program *p);

#endif
