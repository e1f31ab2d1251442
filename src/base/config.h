/* config.h: the settings of a simulation (what --cfg name:value and <config> set), as one table.
 *
 * Each setting is one row of `config_table` (config.c): name, older spellings, type, default, unit,
 * one line of help. From that table come parsing, `orrery help settings`, the manual and the header
 * of reports. Names are SimGrid's where SimGrid has them. Precedence (SimGrid's): command line >
 * platform's <config> > default. */
#ifndef ORRERY_BASE_CONFIG_H
#define ORRERY_BASE_CONFIG_H

#include "err.h"
#include "str.h"

enum config_id {
	CFG_COMPAT,     /* compat: "" or "simgrid-3.32" */
	CFG_NET_MODEL,  /* network/model: hybrid (alias SMPI) ... */
	CFG_NET_PLUGIN, /* network/plugin: key=value;key=value of a model in a shared object */
	CFG_NET_LATENCY_FACTOR,   /* network/latency-factor, alias smpi/lat-factor, smpi/lat_factor:
	                             factor table or number */
	CFG_NET_BANDWIDTH_FACTOR, /* network/bandwidth-factor, alias smpi/bw-factor, smpi/bw_factor
	                           */
	CFG_NET_WEIGHT_S,         /* network/weight-S, alias network/weight_S */
	CFG_NET_TCP_GAMMA,        /* network/TCP-gamma, alias network/TCP_gamma: bytes */
	CFG_NET_CROSSTRAFFIC,     /* network/crosstraffic: yes|no */
	CFG_NET_CROSSTRAFFIC_SHARE,
	CFG_NET_OPTIM,         /* network/optim: Lazy|Full, for compat */
	CFG_NET_SELECTIVE,     /* network/maxmin-selective-update: yes|no, for compat */
	CFG_PRECISION_TIME,    /* surf/precision, alias precision/timing: s, for compat */
	CFG_PRECISION_SHARE,   /* maxmin/precision, alias precision/work-amount, for compat */
	CFG_NET_SHARING_ERROR, /* network/sharing-error */
	CFG_NET_QUEUE,         /* network/queue */
	CFG_NET_LOOPBACK_BW,   /* network/loopback-bw */
	CFG_NET_BURST,         /* network/burst */
	CFG_NET_BURST_HEADER,  /* network/burst-header */
	CFG_NET_LOOPBACK_LAT,  /* network/loopback-lat */
	CFG_PATH,              /* path: folder of files that platforms name */
	CFG_BUS_BUSSES, /* psins/busses, alias dimemas/buses: at once on the network; 0: no limit */
	CFG_BUS_IN_LINKS,  /* psins/in-links, alias dimemas/in-links: of a node; 0: no limit */
	CFG_BUS_OUT_LINKS, /* psins/out-links, alias dimemas/out-links */
	CFG_BUS_BANDWIDTH, /* psins/bandwidth, alias dimemas/bandwidth: of one bus or link */
	CFG_BUS_LATENCY,   /* psins/latency, alias dimemas/latency */
	CFG_BUS_LOCAL_BANDWIDTH, /* psins/local-bandwidth, alias dimemas/local-bandwidth: inside a
	                            node */
	CFG_BUS_LOCAL_LATENCY,   /* psins/local-latency, alias dimemas/local-latency */
	CFG_PSINS_CURVES,        /* psins/curves: operation:size:bandwidth:size:bandwidth…;… */
	CFG_PSINS_CURVE_FIT,     /* psins/curve-fit: points|hyperbola */
	CFG_DIMEMAS_COLLECTIVES, /* dimemas/collectives:
	                            operation:in-model:in-size:out-model:out-size;… */
	CFG_DIMEMAS_DUPLEX,      /* dimemas/duplex: full|half */
	CFG_DIMEMAS_LOCAL_BUSES, /* dimemas/local-buses: messages at once inside a node; 0: no limit
	                          */
	CFG_DIMEMAS_LOCAL_IN,    /* dimemas/local-in-links, dimemas/local-out-links */
	CFG_DIMEMAS_LOCAL_OUT,
	CFG_PSINS_COLLECTIVES, /* psins/collectives: operation:lin|log|con;… */
	CFG_IB_PENALTIES,      /* smpi/IB-penalty-factors: beta_e;beta_s;gamma_s */
	CFG_LOGGPS_L,          /* loggps/L: s */
	CFG_LOGGPS_OVERHEAD,   /* loggps/o: s */
	CFG_LOGGPS_GAP,        /* loggps/g: s */
	CFG_LOGGPS_G,          /* loggps/G: s per byte */
	CFG_LOGGPS_O,          /* loggps/O: s per byte */
	CFG_LOGGPS_S,          /* loggps/S: bytes */
	CFG_LOGGPS_HANDSHAKE,  /* loggps/handshake: yes|no */
	CFG_SMPI_EAGER,        /* smpi/async-small-thresh, alias smpi/async_small_thres(h): bytes */
	CFG_SMPI_DETACHED,  /* smpi/send-is-detached-thresh, alias smpi/send_is_detached_thres(h):
	                       bytes */
	CFG_SMPI_OS,        /* smpi/os: overhead table */
	CFG_SMPI_OR,        /* smpi/or */
	CFG_SMPI_OIS,       /* smpi/ois */
	CFG_SMPI_OS_LOCAL,  /* smpi/os-local: between ranks of a host; "": as smpi/os */
	CFG_SMPI_OR_LOCAL,  /* smpi/or-local */
	CFG_SMPI_OIS_LOCAL, /* smpi/ois-local */
	CFG_SMPI_TEST,      /* smpi/test: s per MPI_Test */
	CFG_SMPI_IPROBE,    /* smpi/iprobe: s per MPI_Iprobe */
	CFG_SMPI_GROW_INJECTED,        /* smpi/grow-injected-times: yes|no */
	CFG_SMPI_INIT,                 /* smpi/init: s */
	CFG_SMPI_WTIME,                /* smpi/wtime: s per reading of the clock */
	CFG_COMPUTATION_RATES,         /* computation/rates */
	CFG_COMPUTATION_CPU_RATIO,     /* computation/cpu-ratio */
	CFG_COMPUTATION_WORKING_SET,   /* computation/working-set */
	CFG_REPLAY_WILDCARDS,          /* replay/wildcards: simulated|recorded */
	CFG_SMPI_SIMULATE_COMPUTATION, /* smpi/simulate-computation: yes|no */
	CFG_SMPI_COLL_SELECTOR,        /* smpi/coll-selector */
	CFG_SMPI_ALLGATHER, /* smpi/<operation>: algorithm or selector for one collective */
	CFG_SMPI_ALLGATHERV,
	CFG_SMPI_ALLREDUCE,
	CFG_SMPI_ALLTOALL,
	CFG_SMPI_ALLTOALLV,
	CFG_SMPI_ALLTOALLW,
	CFG_SMPI_BARRIER,
	CFG_SMPI_BCAST,
	CFG_SMPI_EXSCAN,
	CFG_SMPI_GATHER,
	CFG_SMPI_GATHERV,
	CFG_SMPI_REDUCE,
	CFG_SMPI_REDUCE_SCATTER,
	CFG_SMPI_SCAN,
	CFG_SMPI_SCATTER,
	CFG_SMPI_SCATTERV,
	CFG_SMPI_COLLECTIVES, /* smpi/collectives: analytic|simulated, "" as the model has it */
	CFG_SMPI_BARRIER_FINALIZATION, /* smpi/barrier-finalization, alias smpi/finalization-barrier
	                                */
	CFG_NOISE_NETWORK,             /* noise/network */
	CFG_NOISE_COMPUTE,             /* noise/compute */
	CFG_NOISE_MODEL,               /* noise/model */
	CFG_NOISE_SEED,                /* noise/seed */
	CFG_NOISE_NETWORK_LEAST,       /* noise/network-least */
	CFG_NOISE_RUN_NETWORK,         /* noise/run-network */
	CFG_NOISE_RUN_COMPUTE,         /* noise/run-compute */
	CFG_NOISE_DETOURS,             /* noise/detours */
	CFG_NOISE_SLEEP,               /* noise/sleep */
	CFG_NOISE_PERIODIC,            /* noise/periodic */
	CFG_SMPI_COMM_SETUP,           /* smpi/comm-setup */
	CFG_SMPI_PROGRESS,             /* smpi/progress */
	CFG_SMPI_ONE_SIDED,            /* smpi/one-sided: auto|hardware|messages */
	CFG_SMPI_COPY_RATE,            /* smpi/copy-rate */
	CFG_SMPI_REDUCE_RATE,          /* smpi/reduce-rate */
	CFG_SMPI_SEGMENT_ERROR,        /* smpi/segment-error */
	CFG_SMPI_RING_MESSAGES,        /* smpi/ring-messages */
	CFG_STORAGE_FILE_SYSTEMS,      /* storage/file-systems */
	CFG_STORAGE_AGGREGATORS,       /* storage/aggregators */
	CFG_SMPI_CONNECTIONS,          /* smpi/connections: none|ordered */
	CFG_SMPI_SEND_BUFFER,          /* smpi/send-buffer */
	CFG_SMPI_CONNECTION_SETUP,     /* smpi/connection-setup */
	CFG_SMPI_NOTICE,               /* smpi/notice */
	CFG_SMPI_FIRST_CONTACT,        /* smpi/first-contact */
	CFG_VIRTUAL_PROCESSORS,        /* virtual-hosts/processors */
	CFG_VIRTUAL_MESSAGE_WORK,      /* virtual-hosts/message-work */
	CFG_MEMORY_BANDWIDTH,          /* memory/bandwidth: bytes/s of a socket */
	CFG_MEMORY_SOCKETS,            /* memory/sockets: of a host */
	CFG_MEMORY_PLACEMENT,          /* memory/placement: round|fill */
	CFG_MEMORY_TRAFFIC,            /* computation/memory-traffic: bytes/s of a rank */
	CFG_RUN_TOLD_AFTER,            /* run/told-after: s of this computer */
	CFG_COUNT
};

enum config_type { CFG_STRING, CFG_BOOL, CFG_DOUBLE, CFG_TABLE };

struct config_row {
	enum config_id id;
	const char *name;
	const char *aliases; /* blank-separated older spellings, or "" */
	enum config_type type;
	const char *initial; /* default, as text */
	const char *unit;    /* "s", "bytes", ... or "" */
	const char *help;    /* one line; at its end, where `initial` is empty, what holds then:
	                        "; default: WORDS" */
};
extern const struct config_row config_table[CFG_COUNT];

/* Who set a value: a lower source never overrides a higher one. */
enum config_source { CFG_FROM_DEFAULT, CFG_FROM_MODEL, CFG_FROM_PLATFORM, CFG_FROM_USER };

struct config_value {
	char *text;    /* as given; owned */
	double number; /* DOUBLE and BOOL (0 or 1) */
	enum config_source source;
};

struct config {
	struct config_value value[CFG_COUNT];
	/* the factors of latency and bandwidth as given under network/…, under smpi/… (text NULL:
	 * not so): one setting here, two in SimGrid 3.32 (config_factors_of) */
	struct config_value family[2][2];
	struct str notices; /* one line per SimGrid setting that was accepted but has no meaning
	                       here; the cli prints it */
};

/* All defaults. */
int config_init(struct config *c, struct err *err);
void config_release(struct config *c);
/* Sets `name` (any spelling). Unknown names: those of SimGrid without effect on times are noted in
 * c->notices and accepted; any other is refused, with the nearest known name. A value of the wrong
 * type is refused with its unit. Without place: wrap with err_at. */
int config_set(struct config *c, const char *name, const char *value, enum config_source from,
               struct err *err);
/* "name:value" settings separated by blanks, tabs, newlines or commas (the form of --cfg); the
 * first ':' splits. The bare words of `compat`, as in compat:simgrid-3.32, follow the same rule.
 * @FILE: the settings of a file. */
int config_set_all(struct config *c, const char *settings, enum config_source from,
                   struct err *err);

/* Back to its default, whoever had set it. */
int config_unset(struct config *c, enum config_id id, struct err *err);

/* Latency and bandwidth factors become those that were given under names of one family, smpi/… or
 * else network/…; without, they are the model's own. As SimGrid 3.32, whose flow models read one
 * family each. */
int config_factors_of(struct config *c, int smpi, struct err *err);

/* The setting of that name, in any spelling, or CFG_COUNT. */
enum config_id config_find(const char *name);
const char *config_text(const struct config *c, enum config_id id);
double config_number(const struct config *c, enum config_id id);
int config_bool(const struct config *c, enum config_id id);
enum config_source config_from(const struct config *c, enum config_id id);
/* True when compat:simgrid-3.32 is on. */
int config_compat(const struct config *c);

#endif
