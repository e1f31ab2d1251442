/* study_inputs.h: what the verbs that measure collective algorithms have in common: the machine,
 * where ranks are, lists of sizes, settings, threads. */
#ifndef ORRERY_CLI_STUDY_INPUTS_H
#define ORRERY_CLI_STUDY_INPUTS_H

#include "cli.h"
#include "study/study.h"

enum {
	OPT_PLATFORM = 1,
	OPT_NP,
	OPT_BYTES,
	OPT_HOSTFILE,
	OPT_PPN,
	OPT_OVERSUBSCRIBE,
	OPT_CFG,
	OPT_THREADS,
	OPT_OWN /* the verb's own begin here */
};

/* Rows of a verb's table. */
#define STUDY_MACHINE \
	{ \
		OPT_PLATFORM, 'p', "platform", "MACHINE", \
		    "the machine: a SimGrid XML file, or a name of 'orrery platform list'" \
	}
#define STUDY_SIZES \
	{OPT_NP, 'n', "np", "SIZES", \
	 "numbers of ranks: 8..1024 (doubling), 8..1000*5, 6,12; default: 4..64, as far as the " \
	 "machine has hosts"}, \
	{ \
		OPT_BYTES, 0, "bytes", "SIZES", \
		    "message sizes, in bytes (Ki, Mi, k, M): default 8..1Mi*8" \
	}
#define STUDY_WHERE \
	{OPT_HOSTFILE, 0, "hostfile", "FILE", \
	 "where ranks run: 'host', 'host:count' or 'host slots=count' a line; default: hosts in " \
	 "order"}, \
	    {OPT_PPN, 0, "ppn", "N", \
	     "ranks of a host, which fill one after the other; default: 1"}, \
	{ \
		OPT_OVERSUBSCRIBE, 0, "oversubscribe", NULL, \
		    "allow more ranks than entries of the hostfile or hosts (in turn)" \
	}
#define STUDY_SETTINGS \
	{ \
		OPT_CFG, 0, "cfg", "NAME:VALUE", \
		    "a setting, may be repeated: see 'orrery help settings'" \
	}
#define STUDY_THREADS \
	{ \
		OPT_THREADS, 'j', "threads", "N", \
		    "threads that measure; default: one for each core" \
	}

struct study_inputs {
	struct config cfg;
	struct platform *platform;
	struct sizes ranks, bytes;
	struct study_where where;
	unsigned threads;
};

/* Reads all of it from the options of v, the machine last: 0, or -1 with *err worded. Without
 * --bytes there are those of the text. To be released either way. */
int study_inputs_read(struct study_inputs *in, const struct args *a, const struct verb *v,
                      const char *bytes, struct err *err);
void study_inputs_release(struct study_inputs *in);
/* An operation as it is typed, as MPI's function too (MPI_Allreduce); COLL_KINDS if there is none.
 */
enum coll_kind study_operation(const char *word);

#endif
