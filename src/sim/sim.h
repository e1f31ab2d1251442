/* sim.h: the face of the room that puts one simulation together: settings, machine, placement, a
 * program, communication model, observers; runs it, and the second time where the program cannot
 * end the first way; and says what came of it.
 *
 * What runs is a source: something that makes the ranks call MPI. The replay of a trace is one
 * (sim_replay); others are plugged in the same way (a running application, a program in C).
 *
 *   sim_new      settings, machine, source opened, placement
 *   sim_run      communication model, mp, source started, observers; the run; observers ended
 *   sim_stats, sim_profile, …   what came of it
 *   sim_free
 *
 * Rules
 *  1. Errors are those of the rooms below; ERR_PROGRAM: the simulated program failed, and what was
 *     observed up to then can be asked for.
 *  2. What the user should know is collected, in order, and told by the caller (sim_notices).
 *  3. Two simulations share nothing: several may live in one process, each used by one thread. */
#ifndef ORRERY_SIM_H
#define ORRERY_SIM_H

#include "observe/observe.h"
#include "replay/replay.h"
#include "schedule/schedule.h"
#include "trust.h"

/* What is known of a program before it runs. Texts live as long as the source is open. */
struct sim_about {
	uint32_t ranks;
	uint32_t spare;      /* ranks that it may begin later */
	uint64_t actions;    /* about so many; 0: not known */
	const char *program; /* a command line or a name */
	const char *trace;   /* where it comes from: a path, or "" */
	const char *mpi;     /* the MPI library that it ran with ("MPICH 4.0.2"); NULL: not known */
	uint8_t live;        /* it is a running program, not a trace */
	uint8_t of_simgrid;  /* it is a trace in SimGrid's form */
	uint8_t elapsed;     /* its volumes are elapsed time (mp_volumes_elapsed) */
	uint8_t threads;     /* a computation was the busiest thread's of its rank */
	uint8_t beside;      /* its ranks had threads whose computations are not in it */
	enum sim_complete {
		SIM_COMPLETE_UNKNOWN,
		SIM_COMPLETE,
		SIM_INCOMPLETE
	} complete; /* is it all of a run? */
};

/* A program. Functions are called in this order; open, start and close once per attempt. */
struct sim_source {
	void *self;
	uint8_t checks; /* who runs it asked for what is wrong with it */
	/* Opens it for `np` ranks (0: as many as it has) and fills *about, which comes zeroed.
	 * Appends to *notices what the user should know. */
	int (*open)(void *self, uint32_t np, struct sim_about *about, struct str *notices,
	            struct err *err);
	/* All is ready: what mp is to run. cfg and progress (NULL: unwanted) outlive it. */
	int (*start)(void *self, struct mp *mp, const struct config *cfg, struct progress *progress,
	             struct mp_program *out, struct err *err);
	/* NULL, or: the program has failed in the simulation; may it go otherwise? 1: cfg was
	 * changed to that end, and *notices says how; 0: it may not; -1: an error. */
	int (*retry)(void *self, struct config *cfg, struct str *notices, struct err *err);
	/* Events so far: what a user counts as the program's actions. */
	uint64_t (*actions)(void *self);
	/* NULL, or after the run: of how many ranks the program's record ends before the program
	 * did. Then it is no failure that others wait for them for ever. all: ranks that are not at
	 * their end are to be looked at as well. -1: the record is damaged. */
	int64_t (*partial)(void *self, int all, struct str *which, struct err *err);
	/* Each may be NULL. After the run: what it found out that the user should know; what it has
	 * to tell beside the profile, as lines and as keys of an open JSON object. */
	void (*notices)(void *self, struct str *out);
	void (*findings)(void *self, struct str *out); /* the same of what is wrong with it */
	void (*text)(void *self, struct str *out);
	void (*json)(void *self, struct json *j);
	/* May be NULL, and give NULL: where the times of its computations come from. */
	const struct basis *(*basis)(void *self);
	/* NULL, or: is the program a schedule, which may be simulated as the graph that it is,
	 * without MPI? 1: *out is it, *about filled as by open; 0; -1. Open is called only where it
	 * then is not simulated so. */
	int (*schedule)(void *self, struct trace_schedule *out, struct sim_about *about,
	                struct err *err);
	/* Before it is simulated so: of each rank, the seconds that a nanosecond of the schedule's
	 * computations takes on its host. 1: a faster host would take less; 0; or -1. */
	int (*schedule_units)(void *self, const struct platform *p, const struct config *cfg,
	                      const struct host_id *host, uint32_t ranks, double *unit,
	                      struct err *err);
	/* Gives back what open and start made; also after they failed. */
	void (*close)(void *self);
};

/* The replay of a trace. Zero but for path; kept by the caller until sim_free. */
struct sim_replay {
	const char *path;
	/* Instead of a path, or NULL: lines that the caller gives; begin is called before the first
	 * of an attempt, and may be NULL. */
	const struct trace_given *given;
	int (*begin)(void *self, struct err *err);
	enum replay_computation computation;
	uint8_t volumes_as_they_are; /* at the machine's speed, whatever they count (basis.h) */
	/* The room's own. */
	struct trace *trace;
	struct trace_manifest manifest;
	uint8_t manifest_read;
	uint8_t schedule; /* it is one, whatever it is simulated as */
	struct rates rates;
	struct basis basis;
	struct replay *replay;
};
struct sim_source sim_replay_source(struct sim_replay *r);
/* Sets what computations take: "auto", "volume", "recorded" or "none"; -1 if name is something
 * else. */
int sim_computation_find(struct sim_replay *r, const char *name);

/* name NULL: value is a list "name:value …", or "@FILE", as --cfg takes it. */
struct sim_setting {
	const char *name, *value;
};
/* How ranks are placed without a hostfile. */
enum sim_map {
	SIM_MAP_DEFAULT, /* as the MPI library of the program does; unknown: round the hosts */
	SIM_MAP_FILL,    /* a host's cores, then the next one's */
	SIM_MAP_ROUND,   /* one on each host, then again */
	SIM_MAP_SOCKET   /* fills hosts, going round the sockets of each */
};
/* "slot", "core", "socket", "numa" or "node"; SIM_MAP_DEFAULT: no such word. */
enum sim_map sim_map_find(const char *word);
/* Ranks on hosts by these words; ppn: ranks of a host, 0: its cores. Notices are added; -1 with
 * *err. */
int place_by_words(const struct platform *p, enum sim_map map, uint32_t ppn, uint32_t ranks,
                   int oversubscribe, struct placement *out, struct str *notices, struct err *err);

/* sim_options.explain: the critical path. */
#define SIM_CRITICAL_PATH "critical-path"

struct sim_options {
	const char *machine; /* a file, or a name of the catalogue */
	const struct sim_setting *setting;
	uint32_t n_settings;
	uint32_t ranks;        /* 0: as many as the program has */
	const char *hostfile;  /* NULL: hosts in order */
	uint8_t oversubscribe; /* ranks may be more than cores */
	enum sim_map map;
	uint32_t ppn;        /* ranks of a host; 0: as many as cores */
	const char *what_if; /* changes of the machine ("latency=2x,…"), or NULL */
	/* Instead of a hostfile: says where each rank runs. */
	int (*place)(void *self, const struct platform *p, uint32_t ranks, struct host_id *host,
	             struct err *err);
	void *place_self;
	/* Observers: the profile; a recording; an explanation (observe.h); the caller's own. */
	enum sim_profile {
		SIM_PROFILE_NONE,
		SIM_PROFILE_SHARES, /* sim_shares is enough: sim_profile may be NULL */
		SIM_PROFILE_WHOLE
	} profile;
	const char *record;  /* path, or NULL */
	const char *explain; /* what (SIM_CRITICAL_PATH, …), or NULL */
	const struct mp_observer *observer;
	uint32_t n_observers;
	struct progress *progress; /* or NULL */
	/* NULL, or a communication model of the caller's (include/orrery/model.h) instead of the
	 * one that the settings name. */
	const struct orrery_model *model;
};

struct sim;
/* Options and source are copied; what they point to must live until sim_free, but for settings,
 * which are read at once. NULL on error; the source is then closed. */
struct sim *sim_new(const struct sim_options *o, const struct sim_source *source, struct err *err);
void sim_free(struct sim *s);
/* Once. */
int sim_run(struct sim *s, struct err *err);

const struct sim_about *sim_about(const struct sim *s);
const struct platform *sim_platform(const struct sim *s);
const struct config *sim_config(const struct sim *s);
const struct placement *sim_placement(const struct sim *s);
int sim_hosts_shared(const struct sim *s); /* 1: some ranks are on one host */
uint32_t sim_ranks(const struct sim *s);
/* How ranks were placed, and why: "filling hosts, as Open MPI does". */
const char *sim_placement_why(const struct sim *s);
const struct basis *sim_basis(const struct sim *s); /* NULL: nothing is known of it */
const char *sim_model_name(const struct sim *s);    /* the network's (net_model_name) */
/* Who chooses algorithms of collectives: "analytic" where they are decided as a whole. 1: nobody
 * but the user, or SimGrid's default, says that this is what the program would meet. */
const char *sim_selector(const struct sim *s);
int sim_selector_assumed(const struct sim *s);
/* Why the collectives' selector is what it is: "as the trace's MPICH 4.0.2". */
const char *sim_selector_why(const struct sim *s);
/* Is there anything random to draw (settings noise/…, rates with deviations)? */
int sim_has_noise(const struct sim *s);
/* Settings that are not defaults, "name:value" separated by blanks. */
void sim_settings_given(const struct sim *s, struct str *out);

/* Has a program begun to run? Not if sim_run failed before. */
int sim_begun(const struct sim *s);
/* After sim_run. */
void sim_stats(const struct sim *s, struct mp_stats *out);
uint64_t sim_actions(const struct sim *s);
double sim_wall(const struct sim *s); /* seconds that the run took us */
/* What the source tells beside the profile. */
void sim_source_text(const struct sim *s, struct str *out);
void sim_source_json(const struct sim *s, struct json *j);
const struct profile *sim_profile(
    const struct sim *s); /* NULL: not asked for, or enough was less */
/* The parts of the ranks' time; of a schedule that was simulated as a graph without a whole
 * profile: one of its processors computes; else one works on a message; else it waits, or is at its
 * end. All 0 where no profile was asked for. */
void sim_shares(const struct sim *s, struct profile_shares *out);
/* Was it simulated as a graph, without MPI? */
int sim_is_graph(const struct sim *s);
/* What the end depended on (mp_path). */
void sim_path(const struct sim *s, struct mp_path *out);
struct explainer *sim_explainer(const struct sim *s); /* ended; NULL: not asked for */
/* One line each, ended; "" when it has not begun to run. */
const char *sim_notices(const struct sim *s);
const char *sim_findings(const struct sim *s); /* of them, what is wrong with the program */
/* kind ERR_NONE, or why the recording or the profile is not complete: the prediction stands. */
const struct err *sim_lost(const struct sim *s);

#endif
