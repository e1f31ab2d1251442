/* simgrid_put.c: one event in SimGrid's plain form. What each op becomes:
 *
 *   sends of all modes            send, isend
 *   persistent: start             isend, irecv
 *   wait family, tests            a wait for each request that was complete; "waitall" when it is
 *                                 all that are outstanding
 *   failed tests, probes          nothing
 *   sendrecv                      sendRecv when both tags are 0 on the world, else isend, irecv and
 *                                 their waits
 *   world collectives             the same; reducescatterblock as reducescatter, alltoallw as
 *                                 alltoallv of bytes
 *   collectives of one rank       nothing but the operator's instructions, as compute
 *   matched probes and receives   nothing; recv, irecv
 *   non-blocking collectives, collectives on sub-communicators and of neighbourhoods, cancel,
 *   partitioned requests, windows,
 *   files                         errors: there is no way to say them */
#include "simgrid_int.h"

static void location_put(struct text *t, uint32_t rank, const struct trace_event *ev)
{
	simgrid_begin(t, rank, "location ");
	for (const char *c = ev->text ? ev->text : "?"; *c; c++)
		text_char(t, (unsigned char)*c <= ' ' ? '_' : *c);
	simgrid_number(t, ev->line);
	simgrid_end(t);
}

static int lone_event(struct simgrid *sg, struct text *t, uint32_t rank,
                      const struct trace_event *ev, struct err *err)
{
	switch (ev->op) {
	case TRACE_INIT:
	case TRACE_FINALIZE:
		simgrid_begin(t, rank, trace_op_name(ev->op));
		simgrid_end(t);
		break;
	case TRACE_COMPUTE:
	case TRACE_SLEEP:
		simgrid_begin(t, rank, trace_op_name(ev->op));
		text_char(t, ' ');
		text_double(t, ev->volume);
		simgrid_end(t);
		break;
	case TRACE_LOCATION:
		location_put(t, rank, ev);
		break;
	case TRACE_REGION:
		break; /* counted with the events that name it */
	case TRACE_PROBE:
	case TRACE_IPROBE:
	case TRACE_MPROBE:
		sg->losses[LOSS_PROBE]++;
		break;
	case TRACE_RESOLVE:
		sg->losses[LOSS_RESOLVE]++;
		break;
	case TRACE_CANCEL:
		return simgrid_cannot(rank, ev, "SimGrid's replayer cannot cancel", err);
	case TRACE_COMM_DUP:
	case TRACE_COMM_SPLIT:
	case TRACE_COMM_CREATE:
	case TRACE_COMM_CREATE_GROUP:
	case TRACE_INTERCOMM_CREATE:
	case TRACE_INTERCOMM_MERGE:
		return simgrid_comm_note(&sg->comms, ev, sg->ranks, err);
	case TRACE_REQUEST_FREE:
	case TRACE_BUFFER_DETACH: /* SimGrid has no buffer: its buffered sends wait for nobody */
	case TRACE_COMM_SIZE:
	case TRACE_COMM_IDUP:
	case TRACE_COMM_FREE:
		break; /* nothing to say, and no time */
	default:
		return simgrid_cannot(
		    rank, ev, "SimGrid's replayer has no partitioned requests, windows or files",
		    err);
	}
	return 0;
}

static int event_put(struct simgrid *sg, struct text *t, uint32_t rank,
                     const struct trace_event *ev, struct err *err)
{
	if (ev->op == TRACE_SENDRECV)
		return simgrid_sendrecv(sg, t, rank, ev, err);
	if (op_has(ev->op, TRACE_PERSISTENT))
		return simgrid_persistent(sg, rank, ev, err);
	if (op_has(ev->op, TRACE_SENDS | TRACE_RECEIVES) && !op_has(ev->op, TRACE_PARTITIONED))
		return simgrid_message(sg, t, rank, ev, err);
	if (ev->op == TRACE_START)
		return simgrid_start(sg, t, rank, ev, err);
	if (op_has(ev->op, TRACE_COMPLETES))
		return simgrid_completion(sg, t, rank, ev, err);
	if (trace_op_is_neighborhood(ev->op))
		return simgrid_cannot(rank, ev, "SimGrid's replayer has no neighbourhoods", err);
	if (trace_op_is_collective(ev->op))
		return simgrid_collective(sg, t, rank, ev, err);
	return lone_event(sg, t, rank, ev, err);
}

int simgrid_put(struct simgrid *sg, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct str *out = &sg->outs.out[rank].text;
	size_t before = out->n;
	struct text t;

	text_init(&t, out);
	sg->losses[LOSS_SITE] += ev->duration >= 0 ||
	                         (ev->op == TRACE_COMPUTE && ev->region >= 0) ||
	                         (ev->text && ev->op != TRACE_LOCATION && ev->op != TRACE_REGION);
	if (event_put(sg, &t, rank, ev, err) == 0) {
		text_flush(&t);
		return 0;
	}
	if (!out->failed && out->s) { /* half a line may have gone out of the buffer */
		out->n = before;
		out->s[before] = '\0';
	}
	return -1;
}
