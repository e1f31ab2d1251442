/* study.h: the face of the room of many runs: measuring collective algorithms in simulation, and
 * writing the result as the tuning files of real libraries. It prints nothing. */
#ifndef ORRERY_STUDY_H
#define ORRERY_STUDY_H

#include "mp/mp.h"
#include "spread.h"

/* --- lists of sizes: "8..1024" doubles, "8..16Mi*4" multiplies by four, "6,12,100..800"; suffixes
 * k, M, G are powers of 1000, Ki, Mi, Gi of 1024 (K too: benchmarks mean that) --- */
struct sizes {
	int64_t *v;
	uint32_t n, cap;
};
int sizes_parse(struct sizes *s, const char *text, const char *what, int64_t max,
                struct err *err); /* rising, each once */
void sizes_release(struct sizes *s);

/* Where ranks are. */
struct study_where {
	const char *hostfile; /* NULL: hosts in order */
	uint32_t ppn;         /* without one: ranks that fill a host; 0: one each, hosts in turn */
	int oversubscribe;
};
/* Numbers of ranks where none are given: 4, 8, … 64, as far as the machine has places for them; a
 * machine of less than four has one number, all of them. */
int study_ranks_usual(const struct platform *p, const struct study_where *where, struct sizes *s,
                      struct err *err);

/* Without overheads small messages cost nothing but latency, and linear algorithms win: is that so
 * under these settings? Then a ranking of algorithms, and a tuning file, mean little. */
int study_means_little(const struct config *cfg);

/* --- all algorithms of one operation, over numbers of ranks and bytes (coll_measure.h says bytes
 * of what) --- */

struct sweep_plan {
	const struct platform *platform;
	struct config *cfg; /* notices of placement are added */
	struct study_where where;
	enum coll_kind kind;
	const struct sizes *ranks, *bytes;
	const struct coll_alg *const *algs; /* NULL-terminated; NULL: all of the operation */
	/* a policy of the user's to be compared too, or NULL; its name: */
	const struct coll_policy *own;
	const char *own_name;
	int selectors;  /* compare those that there are */
	double give_up; /* what takes over so many times as long as the best so far is not simulated
	                   to its end: 1 or more, or HUGE_VAL; not choices */
	unsigned threads;
	/* Once it is not 0, what is being measured is left as it is, and nothing more is; NULL: all
	 * is measured. */
	const atomic_int *stop;
};

/* What one selector would run, and how long it takes. */
struct sweep_choice {
	struct coll_choice choice; /* alg NULL: not measured, as the sweep was stopped */
	double seconds;
};
struct sweep_cell {
	double *seconds;    /* of each algorithm; NAN: it cannot run, or sends too many messages;
	                       infinity: given up */
	uint8_t unfinished; /* it was stopped before all of them, of which NAN are not measured */
	uint32_t fastest;
	struct sweep_choice *choices; /* of each selector */
	uint32_t large; /* algorithms that could run, and were not measured as they send too many
	                   messages: the fastest may be one of them */
};
enum { SWEEP_SELECTORS_MAX = 12 };
#define SWEEP_GIVE_UP 4.0 /* enough for the figure */
struct sweep {
	enum coll_kind kind;
	double give_up; /* the plan's */
	const struct coll_alg **algs;
	uint32_t n_algs;
	const char *selector[SWEEP_SELECTORS_MAX]; /* names */
	uint32_t n_selectors;
	struct sizes ranks, bytes;
	uint32_t unfinished;      /* cells */
	int means_little;         /* study_means_little */
	struct sweep_cell *cells; /* by ranks, then bytes */
};
static inline const struct sweep_cell *sweep_at(const struct sweep *s, uint32_t ranks,
                                                uint32_t bytes)
{
	return &s->cells[(size_t)ranks * s->bytes.n + bytes];
}
/* Cells are measured by several threads; the result does not depend on how many. */
int sweep_run(struct sweep *s, const struct sweep_plan *plan, struct progress *progress,
              struct err *err);
void sweep_release(struct sweep *s);

void sweep_text(const struct sweep *s, const char *machine, struct str *out);
void sweep_json(const struct sweep *s, const char *machine,
                struct str *out); /* one object, and a newline */
void sweep_csv(const struct sweep *s, struct str *out);
/* How many times the fastest one's time the eight best algorithms take, against bytes, a panel for
 * each number of ranks (at most nine); against ranks if there is one message size. After figure 12
 * of Degomme et al., "Simulating MPI applications: the SMPI approach", IEEE TPDS 28(8), 2017. */
void sweep_svg(const struct sweep *s, const char *machine, struct str *out);

/* --- tuning files --- */

enum tune_format { TUNE_OMPI, TUNE_MPICH, TUNE_MPICH_4_3, TUNE_FORMATS };
const char *tune_format_name(enum tune_format f);    /* "ompi" */
enum tune_format tune_format_find(const char *name); /* TUNE_FORMATS if unknown */
/* Whose fastest algorithm may need an operator that commutes. */
static inline int tune_is_reduction(enum coll_kind k)
{
	return k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_REDUCE_SCATTER ||
	       k == COLL_REDUCE_SCATTER_BLOCK;
}
int tune_format_has(enum tune_format f,
                    enum coll_kind k); /* can the library be told what to run for it? */

struct tune_plan {
	const struct platform *platform;
	struct config *cfg;
	struct study_where where;
	const struct sizes *ranks, *bytes;
	const enum coll_kind *kinds; /* that the format has */
	uint32_t n_kinds;
	enum tune_format format;
	unsigned threads;
	/* Once it is not 0, nothing more is measured, and what was not the file leaves to the
	 * library; NULL: all is measured. */
	const atomic_int *stop;
};
/* Operations, by numbers of ranks, by bytes. */
struct tune_extent {
	uint32_t cells, measured;
	int means_little; /* study_means_little */
};
/* Measures, and appends the file to *out. */
int tune_run(const struct tune_plan *plan, struct progress *progress, struct str *out,
             struct tune_extent *extent, struct err *err);

#endif
