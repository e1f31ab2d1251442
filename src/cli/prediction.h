/* prediction.h: what the verbs that predict a program's time have in common: options, one run or
 * many, printing. A verb gives a source (sim/sim.h); all else is here. */
#ifndef ORRERY_CLI_PREDICTION_H
#define ORRERY_CLI_PREDICTION_H

#include "cli.h"
#include "sim/sim.h"

enum {
	OPT_PLATFORM = 1,
	OPT_HOSTFILE,
	OPT_NP,
	OPT_MODEL,
	OPT_SELECTOR,
	OPT_CFG,
	OPT_OVERSUBSCRIBE,
	OPT_JSON,
	OPT_PROFILE,
	OPT_RANKS,
	OPT_CSV,
	OPT_RECORD,
	OPT_RUNS,
	OPT_SEED,
	OPT_RATES,
	OPT_CPU_RATIO,
	OPT_EXPLAIN,
	OPT_MAP_BY,
	OPT_PPN,
	OPT_WHAT_IF,
	OPT_OWN /* the verb's own begin here */
};

/* Rows of a verb's table. */
#define PREDICTION_MACHINE \
	{OPT_PLATFORM, 'p', "platform", "MACHINE", \
	 "the machine: a SimGrid XML file, a PSINS description, or a name of 'orrery platform " \
	 "list'; several: a table"}, \
	    {OPT_MAP_BY, 0, "map-by", "WHAT", \
	     "without hostfile: slot, core, socket or numa fill host after host, node goes round " \
	     "them; " \
	     "default: as the program's MPI library"}, \
	    {OPT_PPN, 0, "ppn", "N", "ranks of a host; default: its cores"}, \
	    {OPT_WHAT_IF, 0, "what-if", "CHANGES", \
	     "the machine with latency=2x,bandwidth=0.5x,speed=1.5x,os=0, " \
	     "link:NAME.bandwidth=10Gbps or host:NAME.speed=0.5x"}, \
	    {OPT_HOSTFILE, 0, "hostfile", "FILE", \
	     "where ranks run: 'host', 'host:count' or 'host slots=count' a line; " \
	     "default: hosts in order"}, \
	{ \
		OPT_OVERSUBSCRIBE, 0, "oversubscribe", NULL, \
		    "allow more ranks than cores (they share them)" \
	}
#define PREDICTION_MODEL \
	{OPT_MODEL, 'm', "model", "NAME", \
	 "communication model, or the absolute path of a shared object (setting network/model); " \
	 "default: hybrid"}, \
	    {OPT_SELECTOR, 0, "selector", "NAME", \
	     "chooses the collectives' algorithms: a selector or file:PATH (setting " \
	     "smpi/coll-selector); default: as the program's MPI library"}, \
	{ \
		OPT_CFG, 0, "cfg", "NAME:VALUE", \
		    "a setting, or @FILE: a file of them; may be repeated: see 'orrery help " \
		    "settings'" \
	}
#define PREDICTION_OUTPUT \
	{OPT_JSON, 0, "json", NULL, "print one JSON object"}, \
	    {OPT_PROFILE, 0, "profile", NULL, \
	     "print the profile: time, waiting and bytes by MPI function"}, \
	    {OPT_RANKS, 0, "per-rank", NULL, "with --profile or --json: rank by rank"}, \
	    {OPT_CSV, 0, "csv", "FILE", "write the profile by rank and function as CSV"}, \
	    {OPT_RUNS, 0, "runs", "N", \
	     "repeat with noise drawn from the machine's calibrated models (settings noise/…); " \
	     "prints the spread; default: one run, without noise"}, \
	    {OPT_SEED, 0, "seed", "S", \
	     "with --runs: the runs have the seeds S, S+1, …; default: 1"}, \
	    {OPT_RECORD, 'o', "record", "FILE", "record the run, for 'orrery export'"}, \
	{ \
		OPT_EXPLAIN, 0, "explain", "WHAT", \
		    "what bounded the run (critical-path; links: the busiest), a rank's time " \
		    "(rank:N) or a message " \
		    "(message:K, the K-th to move; message:FROM-TO[#K])" \
	}

/* Predicts what the options say: runs, prints. The source is given unopened. */
int prediction_run(const struct args *a, const struct verb *v, const struct sim_source *source,
                   struct err *err);

/* One run, in words or as one JSON object, appended to *out. */
void prediction_text(const struct args *a, const struct sim *s, struct str *out);
/* What is the same in each of several runs: lines, or one JSON object. */
void prediction_head(const struct args *a, const struct sim *s, struct str *out);
/* failure: NULL, or why the program did not run to its end. */
void prediction_json(const struct args *a, const struct sim *s, const struct err *failure,
                     struct str *out);

#endif
