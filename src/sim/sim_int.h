/* sim_int.h: what the files of this room share. */
#ifndef ORRERY_SIM_INT_H
#define ORRERY_SIM_INT_H

#include "sim.h"

struct sim {
	struct sim_options o;
	struct sim_source source;
	struct sim_about about;
	struct config cfg;
	struct platform *platform;
	struct placement placement;
	struct net *net;
	struct mp *mp;
	struct profile *profile;
	struct recorder *recorder;
	struct explainer *explainer;
	struct explainer *path;   /* the critical path, for the recording alone */
	struct str told, notices; /* before the run; all, made by it */
	struct str findings;      /* of them, what is wrong with the program */
	struct str selector_why;
	const char *placement_why;
	struct err lost;
	uint8_t open, ran;
	uint8_t hosts_shared;      /* some ranks are on one host */
	uint8_t operations_chosen; /* some have a setting of their own, beside the selector */
	uint8_t collectives_whole; /* net_collectives_whole */
	/* A schedule that is simulated as a graph (graph.c): it, until the run; what came of it. */
	struct trace_schedule schedule;
	uint8_t is_graph;       /* it is to be, or was */
	uint8_t graph_by_speed; /* it computes, at the speed of its hosts */
	uint32_t graph_ops, graph_cpus;
	struct schedule_result graph;
	struct schedule_trail trail; /* where more than that is asked for, until it is told */
	double *graph_unit;          /* of each rank: s that a nanosecond of computation takes */
	double wall;
};

/* what_if.c: the machine, and settings, as another one. */
int what_if_apply(struct platform *p, struct config *cfg, const char *text, struct str *told,
                  struct err *err);
/* After the run: which of the changes nothing met. */
void what_if_tell(const struct sim *s, const char *text, struct str *out);

/* What --explain takes that a graph can tell, too. */
#define SIM_LINKS "links"

/* graph.c: takes the program as a schedule, where that gives all that is asked for: then
 * s->is_graph is set. 0 or -1. */
int graph_open(struct sim *s, struct err *err);
/* 1: it ran; 0: it is to be run as a sequence (is_graph is 0 now); -1. */
int graph_run(struct sim *s, struct err *err);
/* Has the graph computed at the speed of a host, or of any (NULL)? On a host: has it a rank there?
 */
int graph_computed(const struct sim *s, const struct host_id *host);
/* graph_told.c: after its run, what it did, told to observers; its explanation (s->explainer). */
int graph_tell(const struct sim *s, const struct mp_observer *observer, uint32_t n,
               struct err *err);
int graph_explain(struct sim *s, struct err *err);

/* place.c: the placement of the ranks, and why it is that. */
int sim_place(struct sim *s, struct err *err);

/* watched.c: the observers of an attempt, before the run and after it. */
int sim_observe(struct sim *s, struct err *err);
/* Profile and recording, if they are asked for. */
enum { SIM_OBSERVERS = 2 };
int sim_observers(struct sim *s, struct mp_observer *out, uint32_t *n, struct err *err);
void sim_observe_end(struct sim *s, double makespan, const struct err *failure);

#endif
