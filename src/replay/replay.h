/* replay.h: the face of the replay room: drives mp from a trace. One small state machine per rank,
 * no stack: a rank is a cursor over its events and the list of its outstanding requests. It knows
 * no file format (trace does) and no cost (net does). */
#ifndef ORRERY_REPLAY_H
#define ORRERY_REPLAY_H

#include "basis.h"
#include "library.h"
#include "mp/mp.h"
#include "trace/trace.h"

struct replay;

/* Where the time of a computation comes from. */
enum replay_computation {
	REPLAY_VOLUME,   /* its volume, executed at the speed of the simulated host */
	REPLAY_RECORDED, /* its measured duration, as it was in the traced run ("perfect
	                  * computation", thesis 4.3.1), divided by the CPU ratio of its host, where
	                  * the machine has one (time-scaled prediction: PSINS, Dimemas) */
	REPLAY_NONE      /* nothing: computations take no time */
};

/* Calibrated rates of computation (rates.c; `orrery calibrate cpu` makes them): volume per second
 * of a region of the program, by the volume of one computation, by the working set of a process
 * where that was told, and by host. docs/calibration.md has the file. */
enum { RATES_ANY = -1 }; /* of all regions, of all hosts */
struct rate_row {
	int32_t region, host; /* indices, or RATES_ANY */
	double working_set;   /* bytes, or 0: not told */
	double volume;        /* of a computation, in the mean */
	double rate;          /* volume per second */
	double deviation;     /* of that between runs, relative; 0 when there was one */
	double scatter; /* of one computation of a run beside its others, relative; 0: not known */
	double seconds; /* measured, in all */
	uint64_t times;
};
struct rates {
	char *counter;  /* what counted the volume (as in a manifest), or "" */
	double speed;   /* of all regions and hosts together */
	char **region;  /* names */
	char **host;    /* names */
	double *factor; /* of each host: its rates relative to those of all */
	struct rate_row *row;
	uint32_t regions, regions_cap, hosts, hosts_cap, factors_cap, n, cap;
	struct hash_str region_index, host_index;
	struct hash64 group; /* region + 1 << 32 | host + 1 -> its first row; rows of a group follow
	                        each other, by working set and volume */
};
/* Zero to begin with; also filled by hand: names with rates_region and rates_host, rows, then
 * rates_ready. */
int rates_read(struct rates *r, const char *path, struct err *err);
void rates_release(struct rates *r);
int32_t rates_region(struct rates *r, const char *name,
                     struct err *err); /* its index, added if it is new; -1 with *err */
int32_t rates_host(struct rates *r, const char *name,
                   struct err *err); /* the same; with factor 1 */
int rates_add(struct rates *r, const struct rate_row *row, struct err *err);
int rates_ready(struct rates *r, struct err *err); /* sorts the rows */
void rates_write(const struct rates *r, struct str *out);
/* How sure a rate is. */
enum rates_source {
	RATES_MEASURED,
	RATES_BEYOND, /* the nearest one, of computations or working sets that differ by more than a
	                 factor of two */
	RATES_UNKNOWN /* no such region: the speed of all */
};
/* Volume per second. region, host: indices or RATES_ANY. working_set: bytes, or 0. Between two
 * rows: linear in the logarithm of the working set, then in that of the volume, as a cache
 * overflows somewhere between; beyond the last one, that one. A host without rows of its own for
 * the region has those of all hosts, times its factor. */
double rates_find(const struct rates *r, int32_t region, int32_t host, double volume,
                  double working_set, enum rates_source *source);
/* The host of this name, or of this name before the first dot on both sides, or RATES_ANY. */
int32_t rates_host_find(const struct rates *r, const char *name);
/* How far a run, and a computation of it, may be off that rate, relative: of the row of the nearest
 * volume; of regions that are not known, of all rows by their seconds. hosts: between hosts, for
 * one that has no rates of its own. */
struct rates_spread {
	double run, one, hosts;
};
struct rates_spread rates_spread(const struct rates *r, int32_t region, int32_t host,
                                 double volume);

struct replay_options {
	enum replay_computation computation;
	double scale; /* volumes are multiplied by it; 1 */
	const struct rates
	    *rates;         /* of REPLAY_VOLUME, instead of the speeds of the hosts; NULL: none */
	double working_set; /* of a process, for these; bytes, 0: not told */
	const struct basis *basis; /* of REPLAY_VOLUME without rates; NULL: the speeds of hosts */
	struct progress *progress; /* its `done` counts actions; NULL if unwanted */
	const char *longer;        /* as in struct mp_program */
};

/* trace and the options' progress must outlive it. ranks: those of the simulation; the trace must
 * have as many. */
struct replay *replay_new(struct trace *trace, uint32_t ranks, const struct config *cfg,
                          const struct replay_options *o, struct err *err);
void replay_free(struct replay *r);
/* The program to give to mp_run. */
struct mp_program replay_program(struct replay *r);
uint64_t replay_actions(const struct replay *r); /* events executed so far */
/* Messages that receives from any source took before one that had come earlier in the traced
 * run. */
uint64_t replay_moved(const struct replay *r);
/* The part (0 to 1) of the time computed so far that went by something else than what the options
 * say, and by what, in words. */
double replay_unfounded(const struct replay *r, const char **how);
/* Computations by region of the program, most seconds first; nothing if the trace has no regions.
 * Seconds are those of a core for itself. */
void replay_regions_text(const struct replay *r, struct str *out);
void replay_regions_json(const struct replay *r, struct json *j);
/* Things a user should know, one line each with counts (waits on requests that do not exist, …),
 * appended to *out. */
void replay_notices(const struct replay *r, struct str *out);

#endif
