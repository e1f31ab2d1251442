/* machine.h: network, processors, memory and noise of a machine in turn, each measured by a command
 * of its own; then one file of the machine, and one page of all.
 *
 * What a step has measured stays in a folder beside the machine's file: when the same campaign is
 * begun again after an interruption, a step whose result is there is passed over. */
#ifndef ORRERY_CALIBRATE_MACHINE_H
#define ORRERY_CALIBRATE_MACHINE_H

#include "network/campaign.h"
#include "network/network_result.h"

/* An option of `orrery calibrate`, handed on: "--largest", "1MiB". */
struct machine_option {
	const char *name, *value;
};

struct machine_campaign {
	const char *out, *page;      /* files: the platform, the page */
	const char *const *launcher; /* of MPI programs, n_launcher words */
	int n_launcher;
	const char *self; /* the program that knows `calibrate`; NULL: this one */
	const struct machine_option *network; /* of that step */
	int n_network;
	const char *seconds;                        /* --time of the others; NULL: theirs */
	double bandwidth;                           /* of a host's link; 0: as measured */
	struct net_campaign asked;                  /* only its cabinets */
	const char *name;                           /* of the platform, or NULL */
	int64_t cores;                              /* of a host; 0: as measured */
	void (*tell)(void *whom, const char *line); /* before each step */
	void *whom;
};
/* Which file a page without a name is: machine.xml: machine.html. */
void machine_page_name(const char *out, char *page, size_t n);
int machine_calibrate(const struct machine_campaign *m, struct err *err);

#endif
