/* loggops_int.h: what the two files of the LogGOPS model share. */
#ifndef ORRERY_SCHEDULE_LOGGOPS_INT_H
#define ORRERY_SCHEDULE_LOGGOPS_INT_H

#include "schedule_int.h"

enum { LANE_COMPUTE, LANE_FIRST_NIC }; /* then of each interface: sends, messages */
#define DATE_MOST ((uint64_t)1 << 62)  /* ps: 53 days */
#define NEVER UINT64_MAX

struct lane {
	uint32_t first, last;
};
struct nic {
	uint64_t out, in;           /* dates from which it may send, receive */
	uint32_t path_out, path_in; /* up to then */
};
struct cpu {
	uint64_t until;     /* busy */
	uint64_t look;      /* date of its next HAPPEN_LOOK, or NEVER */
	uint32_t waiting;   /* in its lanes */
	uint32_t path;      /* up to `until` */
	struct lane lane[]; /* n_lanes */
};

struct look { /* and what came into being first of what would begin then */
	uint64_t order;
	struct happening_at at;
};

struct run {
	struct trace_schedule *s;
	double ps_o, ps_O, ps_g, ps_G, ps_L, S; /* ps */
	double ps_in;                           /* the greater of ps_O and ps_G */
	const double *unit;
	struct agenda agenda;
	struct meet meet;
	char *ranks; /* of each: its interfaces, its processors */
	size_t rank_bytes, cpu_bytes;
	uint32_t n_lanes;
	uint64_t now, order;
	struct look *look; /* the HAPPEN_LOOKs of a date */
	uint32_t n_looks, looks_cap;
	struct happening_at *sorted;
	uint32_t sorted_cap;
	struct freed freed;
	struct path units;
	uint32_t path; /* up to now, of what happens */
	uint32_t left; /* operations that have not ended */
	uint8_t strange;
	double computing, sending; /* ps, of ranks of one processor */
	uint8_t is_watched;        /* either of these is there: */
	struct busy *busy;         /* of each rank, ps; NULL: they have one processor */
	struct schedule_trail *trail;
	struct schedule_result *out;
};

/* Where things are. */
static inline struct nic *nic_of(const struct run *r, uint32_t rank, uint32_t nic)
{
	return (struct nic *)(void *)(r->ranks + rank * r->rank_bytes) + nic;
}

static inline struct cpu *cpu_of(const struct run *r, uint32_t rank, uint32_t cpu)
{
	return (struct cpu *)(void *)(r->ranks + rank * r->rank_bytes +
	                              r->s->nics * sizeof(struct nic) + cpu * r->cpu_bytes);
}

static inline uint32_t lane_of(const struct schedule_op *op, int arrived)
{
	return op->kind == SCHEDULE_CALC ? LANE_COMPUTE
	                                 : LANE_FIRST_NIC + 2u * op->nic + (unsigned)arrived;
}

static inline int is_arrival(uint32_t lane)
{
	return lane >= LANE_FIRST_NIC && (lane - LANE_FIRST_NIC) % 2;
}

/* From when on the interface of a lane is free. */
static inline uint64_t gate_of(const struct run *r, uint32_t rank, uint32_t lane)
{
	const struct nic *nic;

	if (lane == LANE_COMPUTE)
		return 0;
	nic = nic_of(r, rank, (lane - LANE_FIRST_NIC) / 2);
	return is_arrival(lane) ? nic->in : nic->out;
}

/* --- loggops_row.c: who is next at a date --- */

/* The lane whose first may begin now and came into being first; else when one may. */
uint32_t lane_next(const struct run *r, uint32_t rank, const struct cpu *cpu, uint64_t *when);
/* When what is still to happen now came into being. Of a look that was so when it got its place: it
 * may be later since, never earlier. */
uint64_t order_now(const struct run *r, uint32_t i);
/* What happens at a date does so in the order in which it came into being. */
int date_sort(struct run *r, struct err *err);
/* A processor is to be looked at then, if not before. */
int look_at(struct run *r, uint32_t rank, uint32_t number, struct cpu *cpu, uint64_t date,
            struct err *err);

#endif
