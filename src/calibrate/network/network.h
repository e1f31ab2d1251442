/* network.h: from measurements of messages (data/measure/measure.c) to a model of a network: what
 * is read, fitted, written. */
#ifndef ORRERY_CALIBRATE_NETWORK_H
#define ORRERY_CALIBRATE_NETWORK_H

#include "calibrate/fit/fit.h"

enum net_op {
	NET_PINGPONG,
	NET_SEND,
	NET_ISEND,
	NET_RECV,
	NET_LATE_SEND,
	NET_LATE_RECV,
	NET_EXCHANGE,
	NET_ORDER,
	NET_SELF,
	NET_TRAIN,
	NET_STREAM,
	NET_STREAM_SEND,
	NET_FLOW,
	NET_RING,
	NET_FIRST,
	NET_MESH,
	NET_PAUSE,
	NET_LOAD,
	NET_GAP, /* before NET_REACT, by the same rank */
	NET_REACT,
	NET_CROWD, /* pairs: how many at once, plus NET_GAPS times a number */
	NET_OPS
};

/* `pairs` of NET_GAP and NET_REACT: how many pairs at once, plus NET_GAPS times the gap that was
 * planned, in units of 0.1 us. */
enum { NET_GAPS = 1000 };

/* `pairs` of NET_LOAD: how many flows at once, plus NET_LOADS times the block's number. */
enum { NET_LOADS = 1000 };

/* Numbers of rows of programs (NET_MESH, NET_PAUSE): their `pairs` is ((program * NET_REPEATS +
 * repeat) * NET_ROUNDS + round). */
enum { NET_ROUNDS = 1000, NET_REPEATS = 10 };

/* A flow of a host that is left out: it stays, as it was there. */
enum { NET_SENDER_OUT = 1, NET_RECEIVER_OUT = 2 };

/* One measurement: seconds since the start, seconds. pingpong: the round trip. */
struct net_row {
	uint8_t op;
	uint8_t local;    /* between ranks of one host */
	uint8_t far;      /* between cabinets */
	uint8_t file;     /* which one it was read from: programs and blocks are of one file */
	uint8_t left_out; /* of NET_LOAD: NET_SENDER_OUT, NET_RECEIVER_OUT */
	int src, dst, pairs;
	double size, start, duration;
};
/* Hosts that share a link to the rest, by number of the host in the order of ranks. */
enum { NET_HOSTS = 64 };
struct net_cabinets {
	int n, hosts; /* cabinets, 1: none are told apart; hosts that `of` knows */
	int of[NET_HOSTS];
	/* bytes/s of a cabinet's link, each way; 0: not measured, or it never limits */
	double uplink;
	double deviation; /* of logarithms of rates from what the cabinets explain */
};
struct net_raw {
	struct net_row *rows;
	uint32_t n, cap;
	char **hosts;     /* by rank; NULL if not told */
	int *host_number; /* by rank: of its host among the different ones */
	int n_hosts;
	struct str meta;  /* the comment lines, without "# " */
	struct str notes; /* what was read and is not used: a line each */
	int files;
	int one_host; /* net_raw_one_host has said so */
	struct net_cabinets cabinets;
};
const char *net_op_name(enum net_op op);
void net_raw_init(struct net_raw *raw);
void net_raw_release(struct net_raw *raw);
/* Adds the rows of a file: ours, or one of SimGrid's platform-calibration (no header;
 * op,size,start,duration). */
int net_raw_read(struct net_raw *raw, const char *path, struct err *err);
/* Leaves out what was measured with these hosts (network_without.c): names separated by commas. One
 * that no host has is an error. */
int net_raw_without(struct net_raw *raw, const char *names, struct err *err);
/* The same as a file of measurements, to be read again. */
void net_raw_write(const struct net_raw *raw, struct str *out);
/* Tells which rows are between cabinets. */
void net_raw_cabinets(struct net_raw *raw, const struct net_cabinets *c);
/* 1 if all ranks, two or more, are on one host: what was measured between them is then taken as the
 * network, which net_platform_write puts into that host (loopback) as there is only one. */
int net_raw_one_host(struct net_raw *raw);
/* The number of a rank's host among the different ones; its name; how many there are, by what the
 * rows and names say. */
int net_host_of(const struct net_raw *raw, int rank);
const char *net_host_name(const struct net_raw *raw, int host);
int net_host_count(const struct net_raw *raw);
/* Which hosts share a link to the rest, from rows NET_LOAD (network_cabinets.c); with fewer than
 * four hosts, or no such rows: one cabinet. given, if not NULL: only the link is measured, and a
 * warning says if the rates speak for another partition. A line for each doubt is appended to
 * warnings. */
int net_cabinets_find(const struct net_raw *raw, const struct net_cabinets *given,
                      struct net_cabinets *out, struct str *warnings, struct err *err);
/* The measurements of an operation as two arrays: far and local as in the rows (-1: any), lo <=
 * size < hi. Returned: their number; the caller frees *x. y is inside the same memory. */
size_t net_raw_take(const struct net_raw *raw, enum net_op op, int local, int far, double lo,
                    double hi, double **x, double **y);

/* seconds = base + per_byte * size, for size > from. */
struct net_piece {
	double from, base, per_byte;
	double from_low, from_high; /* 95 % interval of `from`; 0: it is no break of the fit, but a
	                               threshold or the least size */
	double base_95, per_byte_95, sigma;
	struct fit_mixture noise; /* of measured / fitted */
};
enum { NET_PIECES = 32, NET_WARNINGS = 4000 };
struct net_table {
	struct net_piece piece[NET_PIECES];
	int n;
};

/* Noise of messages of more than `from` bytes: factors of the time on the network, their mean 1;
 * and, rarely, a delay, its factor normal too. */
struct net_noise {
	double from;
	struct fit_mixture m;
	double rare, rare_mean, rare_sigma; /* probability; 0: none */
};
/* What all round trips together say of rare delays. */
struct net_rare {
	size_t seen;    /* round trips that were late */
	double p, rate; /* the part of round trips that has one, if they are relative; else how many
	                   come per second */
	double mean, sigma; /* of the message that it hits, s, or relative to half a round trip */
	int relative;
};

/* A program that had no part in the fit: how long it took, and would take by the model; times of
 * its pauses taken off. */
struct net_trial {
	double size, real, predicted;
};
enum { NET_TRIALS = 64, NET_SPREADS = 3 };

/* How long a rank that waits takes to look at what has come, `pairs` pairs of ranks doing the same
 * at once: log-normal. */
struct net_notice {
	int pairs;
	double median, low, high; /* s, as the model's smpi/notice counts it; 95 % interval of the
	                             median. 0: nothing to be seen */
	double deviation;         /* of the logarithm */
	int n, twice;             /* exchanges, and those that took twice */
};
enum { NET_NOTICES = 8 };

struct net_fit {
	struct net_noise noise[NET_PIECES]; /* finer than the pieces of transfer: what disturbs a
	                                       short message is little for a long one */
	int n_noise;
	struct net_rare rare;
	double eager, detached;         /* thresholds: below */
	double detached_low, eager_low; /* the largest size seen to be below */
	struct net_table os, ois, or_;  /* overheads */
	struct net_table os_local, ois_local,
	    or_local; /* between ranks of a host; empty: not measured */
	/* one message alone, overheads and (size - burst) / bandwidth taken off */
	struct net_table transfer;
	double latency, bandwidth; /* what factors are relative to */
	double latency_95,
	    bandwidth_95; /* half-widths of their 95 % intervals; 0: given, or not known */
	double burst;     /* bytes that an idle link sends at once; 0: none seen */
	double header; /* bytes that a message takes of a bucket besides its own; 0 without burst */
	double local_latency, local_bandwidth; /* 0: not measured */
	int ordered; /* messages of a pair come in the order in which they were sent, one after the
	                other */
	double processors, work; /* that virtual hosts share, 0: they are none; s of one of them for
	                            a message, 0: not seen */
	/* bytes that the kernel takes of a send before they have left; 0: none */
	double send_buffer;
	struct net_notice notice[NET_NOTICES];
	int notices;
	double setup, contact; /* s, of the first message between two processes; more, to one that
	                          had none before */
	double spread; /* relative: how far the model is off the medians of what was measured, by
	                  size */
	struct net_trial trial[NET_TRIALS];
	int trials;
	struct {
		double from;         /* of messages of more bytes: */
		double below, above; /* deviations of what is common to a run, of logarithms, to
		                        shorter and to longer */
		int n;               /* programs that say so */
	} discrepancy[NET_SPREADS];
	int discrepancies;
	double exchange_ratio; /* both directions at once, against one; 0: not measured */
	double ring_ratio;   /* all hosts send and receive at once, against one; 0: not measured */
	double crosstraffic; /* bytes of the way back for each byte; 0: none seen */
	double limiter;      /* bytes/s of both directions together; 0: none */
	double backbone;     /* bytes/s of all pairs together; 0: none seen */
	double uplink, uplink_latency; /* between cabinets; 0: none */
	int max_pairs;
	double efficiency; /* of max_pairs disjoint pairs: bandwidth of each, against one alone */
	double smallest, largest; /* sizes measured, of round trips between hosts */
	int not_seconds;          /* durations are in another unit, as it seems */
	struct str warnings;      /* a line each */
};
int net_fit_make(const struct net_raw *raw, double bandwidth, struct net_fit *f, struct err *err);
void net_fit_release(struct net_fit *f);
/* What a cabinet's link carries one way (network_uplink.c): of blocks of rows NET_LOAD in which all
 * that passes it goes that way. f: how fast a host is, and what of a message's time is not
 * transfer; extra: s of that for one between cabinets, beside others. */
struct net_uplink {
	double rate; /* bytes/s, the median of cabinets; 0: no block tells */
	int limits;  /* 0: it is no limit of what hosts can send; they send `rate` */
	/* of `rate`, what is left each way where it carries both ways; 0: not known */
	double both_ways;
	double least, most;        /* bytes/s, of cabinets whose links limit */
	int least_host, most_host; /* the first one of that cabinet */
};
int net_uplink_find(const struct net_raw *raw, const struct net_fit *f, double extra,
                    struct net_uplink *out, struct err *err);
/* Seconds that the model gives for an operation of the fit, and what was measured for it. */
double net_table_value(const struct net_table *t, double size);
double net_fit_pingpong(const struct net_fit *f, double size); /* half a round trip */
double net_fit_alone(
    const struct net_fit *f,
    double size); /* what of it noise is a factor of: without overheads, requests and replies */
/* The noise of messages (f->noise, rare, noise of the pieces) from what the fit leaves of round
 * trips, with warnings (network_noise.c). */
int net_noise_fit(const struct net_raw *raw, struct net_fit *f, struct err *err);

/* Is the result worth using (network_verdict.c)? 0, or -1 with a line for each reason appended to
 * why; after net_trials. */
int net_verdict(const struct net_raw *raw, const struct net_fit *f, struct str *why);
/* A line to warn of other programs on the machine, if there were any. */
void net_verdict_busy(const struct net_raw *raw, struct str *out);

/* The platform: one cluster, or raw's cabinets. speed: of a host, as XML writes it. */
struct net_platform {
	const char *id, *speed;
	int hosts, cores;
	int speed_given;      /* by the user, in what the traces count */
	const char *unusable; /* why it is not to be used, a line each; NULL: it is */
	const char *header;   /* further lines of the header, "key: value"; NULL: none */
	const char *settings; /* further settings, "name:value", a line each; NULL: none */
};
void net_platform_write(const struct net_raw *raw, const struct net_fit *f,
                        const struct net_platform *p, struct str *out);
/* A page with the fits drawn over the measurements, and the residuals. */
void net_report_write(const struct net_raw *raw, const struct net_fit *f, const char *title,
                      struct str *out);

/* The plan for measure.c: n ranks; ranks 0 and `other` measure alone, up to max_size bytes; seed of
 * the sizes and their order. samples: round trips. local: a rank on rank 0's host, or -1; far: one
 * in another cabinet, or -1. */
struct net_plan {
	int ranks, other, local, far;
	double max_size;
	int samples;
	uint64_t seed;
	const int *host_rank; /* a rank on each host, `hosts` of them */
	int hosts;
	const struct net_cabinets *cabinets;
};
void net_plan_write(const struct net_plan *p, struct str *out);
/* A second, short plan: late receptions of sizes between lo and hi, powers of two among them, to
 * close in on a threshold. */
void net_plan_between(const struct net_plan *p, double lo, double hi, struct str *out);
/* Before all else: many hosts at once, to find cabinets. */
void net_plan_loads(const struct net_plan *p, struct str *out);
/* What needs a first fit: order of messages (rendezvous), rings, exchanges of small messages,
 * trains where links send a burst. */
void net_plan_concurrent(const struct net_plan *p, const struct net_fit *f, struct str *out);
/* How long ranks take to look: exchanges of messages above the threshold that f knows, for f
 * connections in order. */
void net_plan_notice(const struct net_plan *p, const struct net_fit *f, struct str *out);
/* From rows NET_GAP and NET_REACT to f->notice; everything else of f is known
 * (network_notice.c). */
int net_notice_fit(const struct net_raw *raw, struct net_fit *f, struct err *err);
/* Random small programs between all hosts, to see how well the model predicts what it was not made
 * of. f says how long they may take. */
void net_plan_trials(const struct net_plan *p, const struct net_fit *f, struct str *out);

/* Predicts these programs on a platform that was written with f, compares, and tells how far a run
 * may be off (f->discrepancy). Ranks are on its hosts in order, as in the measurements. */
int net_trials(const struct net_raw *raw, const char *platform, struct net_fit *f, struct err *err);

#endif
