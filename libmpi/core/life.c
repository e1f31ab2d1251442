/* life.c: MPI_Init, MPI_Finalize, MPI_Abort, the clock; what the simulator orders a rank that waits
 * to do; and what the objects need of those who communicate (objects/core.h). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "coll.h"
#include "front.h"
#include "lines.h"
#include "link_int.h"
#include "objects/core.h"
#include "objects/errhandler.h"
#include "objects/local.h"
#include "objects/type.h"
#include "orr_mpi.h"
#include "p2p.h"
#include "spawn.h"
#include "time/time.h"

/* --- the clock --- */

/* A clock that is read again and again moves, also where computation takes no time: after READINGS
 * with nothing else between them each takes READING. More would charge those who time many pieces
 * of their computation for what they do not do. */
#define READING 1e-7
enum { READINGS = 64 };

/* The date is known without asking: nothing was done since the simulator told it but a little
 * computation, which it is asked about soon. Where others slow this rank down the clock is behind
 * by less than that until then: a switch to the simulator and back, for a reading of each of many
 * short loops, would make them slower than they are, as their data are in no cache any more. What
 * readings take is told in pieces, too, or a loop that waits for a date would ask ten million times
 * a second of it; no later than a PART of how long they go on, for who waits with them for what
 * another rank does to memory that they share. */
#define ASKED_EVERY 1e-3
#define PART (1. / 64)

static int is_known(const struct link *l, double *date)
{
	int measured = l->head->computation == WIRE_MEASURED;
	double since = measured ? l->computed * l->c->takes : l->read;

	if (l->ops != l->ops_told || atomic_load_explicit(&l->c->passed, memory_order_relaxed))
		return 0;
	if (measured ? !(l->c->takes > 0) : l->computed > 0)
		return 0;
	if (since > ASKED_EVERY || (!measured && since > PART * READING * (double)l->readings))
		return 0;
	*date = l->told + since;
	return 1;
}

static double date_ask(struct link *l)
{
	double x = l->read, date;
	struct wire_op *op;

	l->read = 0;
	op = link_sleep(WIRE_CLOCK, x);
	op->a = 1;
	date = link_ask(op)->date;
	l->ops_read = l->ops;
	return date;
}

/* A loop of nothing but readings: the next one is known without entering the library, which is what
 * a loop that waits for a date is made of. 0: it is not so simple, and nothing has changed. */
static int date_next(struct link *l, double *known)
{
	double read = l->read;

	if (l->ops != l->ops_read || l->readings + 1 < READINGS || l->depth > 0 ||
	    l->provided == MPI_THREAD_MULTIPLE || l->head->computation == WIRE_MEASURED)
		return 0;
	l->readings++;
	l->read += READING;
	if (is_known(l, known) && !(l->timer && *known >= l->timer->due))
		return 1;
	l->readings--;
	l->read = read;
	return 0;
}

static double date_found(struct link *l)
{
	double known;

	l->readings = l->ops == l->ops_read ? l->readings + 1 : 0;
	l->ops_read = l->ops;
	if (l->readings >= READINGS && l->head->computation != WIRE_MEASURED)
		l->read += READING;
	return is_known(l, &known) ? known : date_ask(l);
}

/* smpi/wtime: the date is read, then the reading takes its time, as in SimGrid. */
static double date_slept(struct link *l)
{
	double known = date_ask(l);

	link_put(link_sleep(WIRE_SLEEP, l->head->reading));
	return known;
}

static double date(void)
{
	struct link *l = link_state();
	double known = 0;

	/* not from a thread that may not call MPI */
	if (l->provided != MPI_THREAD_MULTIPLE && !pthread_equal(pthread_self(), l->first))
		return l->date;
	if (date_next(l, &known))
		return l->date = known > l->date ? known : l->date;
	if (!link_enter_first())
		return l->date;
	known = l->head->reading > 0 && !l->sets_clock ? date_slept(l) : date_found(l);
	l->date = known > l->date ? known : l->date;
	link_leave();
	return l->date;
}

static double sleeps(double seconds, int waited)
{
	if (!link_state()->hold && beside_others())
		return sleep_until(seconds, waited);
	if (!link_enter_first())
		return 0;
	/* waited for: what follows may be seen by others through the operating system */
	link_ask(link_sleep(WIRE_SLEEP, seconds));
	link_leave();
	return 0;
}

static void clock_give(int on)
{
	static const struct orrery_clock clock = {date, sleeps, sleep_elsewhere};
	union {
		void *object;
		orrery_clock_set_fn *function;
	} set;

	if (link_state()->hold) {
		link_state()->hold->clock(on ? &clock : NULL);
		link_state()->timer = on ? link_state()->hold->timer : NULL;
		return;
	}
	set.object = dlsym(RTLD_DEFAULT, "orrery_clock_set");
	if (set.function)
		set.function(on ? &clock : NULL);
	link_state()->timer = on ? dlsym(RTLD_DEFAULT, ORRERY_TIMER_SYMBOL) : NULL;
}

/* Its reader asks for the date then: that is no reading of the program's. */
static void clock_set(int on)
{
	link_state()->sets_clock = 1;
	clock_give(on);
	link_state()->sets_clock = 0;
}

/* Functions of the program that are not run while it is in MPI (guest/patch.c). */
static void guest_tell(int on)
{
	union {
		void *object;
		void (*function)(int on);
	} tell = {.object = dlsym(RTLD_DEFAULT, "orrery_guest_running")};
	const struct hold *hold = link_state()->hold;

	if (hold && hold->running)
		hold->running(on);
	else if (!hold && tell.function)
		tell.function(on);
}

/* --- begin and end --- */

static struct orr_group *all_ranks(uint32_t ranks)
{
	const struct hold *hold = link_state()->hold;
	struct orr_group *g;

	if (spawn_world())
		return spawn_members();
	if (hold)
		return orr_group_lent((int32_t)ranks, hold->identity);
	g = orr_group_new((int32_t)ranks, NULL);
	for (uint32_t i = 0; g && i < ranks; i++)
		g->member[i] = (int32_t)i;
	if (g)
		orr_group_ready(g);
	return g;
}

static int comms_make(uint32_t ranks)
{
	struct orr_group *g = all_ranks(ranks);
	int code;

	if (!g)
		return MPI_ERR_NO_MEM;
	code = orr_comms_start(g, 1, 2);
	orr_group_drop(g);
	return code;
}

static int comms_name(void)
{
	struct core_comm *core = calloc(2, sizeof *core);

	if (!core)
		return MPI_ERR_NO_MEM;
	core[1].id = WIRE_SELF;
	orr_comm_of(MPI_COMM_WORLD)->core = &core[0];
	orr_comm_of(MPI_COMM_SELF)->core = &core[1];
	return MPI_SUCCESS;
}

/* What MPI_Init and the first session have in common. */
static int begin(void)
{
	struct link *l = link_state();
	struct wire_op *op;
	int code;

	link_open();
	if (!l->hold)
		lines_of_python();
	code = orr_local_start();
	if (code == MPI_SUCCESS)
		code = comms_make(l->ranks);
	if (code == MPI_SUCCESS)
		code = comms_name();
	if (code != MPI_SUCCESS)
		return code;
	l->first = pthread_self();
	if (!l->hold && !l->sleepers)
		sleep_begin(l);
	link_enter();
	l->running = 1;
	op = link_room(WIRE_INIT, 0);
	op->a = orr_local()->as_mpich ? WIRE_MPICH : orr_local()->as_openmpi ? WIRE_OPENMPI : 0;
	link_ask(op);
	l->computed = 0;
	code = spawn_begin();
	link_leave();
	clock_set(1);
	guest_tell(1);
	return code;
}

uint64_t orr_core_site(void)
{
	return link_traced()->site;
}

_Static_assert((int)ORR_SESSION == WIRE_LEFT_SESSION && (int)ORR_COMM == WIRE_LEFT_COMM,
               "kinds of objects");
_Static_assert(sizeof(struct orr_left) == sizeof(struct wire_left), "what was never freed");

enum { LEFT_MOST = 256 };

static void left_tell(void)
{
	struct orr_left left[LEFT_MOST];
	int n = orr_objects_left(left, LEFT_MOST);
	struct wire_op *op;
	void *to;

	if (n == 0)
		return;
	op = link_room_list(WIRE_LEFT, 0, (uint32_t)n, sizeof *left, &to);
	memcpy(to, left, (size_t)n * sizeof *left);
	link_put(op);
}

/* The simulated program ends here; what comes after takes no time. */
static void end(void)
{
	struct link *l = link_state();

	link_enter();
	fflush(NULL);
	if (l->head->checks)
		left_tell();
	l->ended = 1;
	l->date = link_ask(link_room(WIRE_FINALIZE, 0))->date;
	guest_tell(0);
	clock_set(0); /* in a call: the clocks show this date, and ask for none */
	l->running = 0;
	atomic_store(&l->c->state, WIRE_OVER);
	link_leave();
}

/* Threads of a rank that is a coroutine may compute, but not call MPI. */
int orr_core_level(int required)
{
	const struct hold *hold = link_state()->hold;

	return hold && hold->one_calls && required > MPI_THREAD_FUNNELED ? MPI_THREAD_FUNNELED
	                                                                 : required;
}

static void level_set(struct link *l, int level)
{
	l->provided = level;
	if (level == MPI_THREAD_MULTIPLE && !l->hold && !l->pausing)
		l->pausing = calloc(LINK_PAUSING, sizeof *l->pausing);
}

int orr_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	struct link *l = link_state();
	int code;

	(void)argc;
	(void)argv;
	if (l->ended || l->finalised)
		return orr_error_note(MPI_ERR_OTHER, "MPI cannot begin again after MPI_Finalize");
	if (l->initialised)
		return orr_error_note(MPI_ERR_OTHER,
		                      "MPI has begun: it may once (MPI_Initialized tells)");
	code = l->running ? MPI_SUCCESS : begin();
	if (code != MPI_SUCCESS)
		return code;
	l->initialised = 1;
	level_set(l, orr_core_level(required));
	l->less_threads = l->c->less_threads = l->provided < required;
	if (provided)
		*provided = l->provided;
	return MPI_SUCCESS;
}

int orr_Init(int *argc, char ***argv)
{
	return orr_Init_thread(argc, argv, MPI_THREAD_SINGLE, NULL);
}

int orr_Finalize(void)
{
	struct link *l = link_state();
	int code;

	if (!l->initialised || l->ended || !l->running)
		return orr_error_note(MPI_ERR_OTHER, l->ended || l->finalised
		                                         ? "MPI has ended: it may once"
		                                         : "there was no MPI_Init");
	code = orr_comms_end();
	l->finalised = 1;
	if (l->sessions == 0)
		end();
	return code;
}

/* Sessions may come and go: the program ends with its process. */
int orr_core_session_begin(void)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* threads may begin at once */
	struct link *l = link_state();
	int code;

	pthread_mutex_lock(&one);
	code = l->running ? MPI_SUCCESS : l->ended ? MPI_ERR_OTHER : begin();
	l->sessions += code == MPI_SUCCESS;
	if (code == MPI_SUCCESS && !pthread_equal(pthread_self(), l->first))
		level_set(l, MPI_THREAD_MULTIPLE);
	pthread_mutex_unlock(&one);
	return code;
}

int orr_core_session_end(void)
{
	struct link *l = link_state();

	l->sessions--;
	if (l->sessions == 0 && l->finalised && l->running)
		end();
	return MPI_SUCCESS;
}

/* A program of sessions alone has no MPI_Finalize. */
void life_ends(void)
{
	struct link *l = link_state();

	if (l->running && !l->initialised && l->sessions == 0)
		end();
}

__attribute__((destructor)) static void process_ends(void)
{
	life_ends();
}

int orr_core_buffer_wait(void)
{
	link_enter();
	link_ask(link_room(WIRE_BUFFER_DETACH, 0));
	link_leave();
	return MPI_SUCCESS;
}

int64_t orr_core_buffer_fill(uint32_t least)
{
	struct wire_op *op;
	int64_t bytes;

	link_enter();
	op = link_room(WIRE_BUFFER_FILL, 0);
	op->a = least;
	bytes = (int64_t)link_ask(op)->done[0].bytes;
	link_leave();
	return bytes;
}

int orr_Initialized(int *flag)
{
	*flag = link_state()->initialised;
	return MPI_SUCCESS;
}

int orr_Finalized(int *flag)
{
	*flag = link_state()->finalised;
	return MPI_SUCCESS;
}

int orr_Query_thread(int *provided)
{
	*provided = link_state()->provided;
	return MPI_SUCCESS;
}

int orr_Is_thread_main(int *flag)
{
	*flag = pthread_equal(pthread_self(), link_state()->first) != 0;
	return MPI_SUCCESS;
}

int orr_Abort(MPI_Comm comm, int errorcode)
{
	const struct link *l = link_state();
	char text[240];

	(void)comm;
	snprintf(text, sizeof text, "MPI_Abort with code %d%s", errorcode,
	         l->less_threads ? WIRE_LESS_THREADS : "");
	link_abort(text, errorcode);
}

double orr_Wtime(void)
{
	return link_state()->running ? date() : 0;
}

double orr_Wtick(void)
{
	return 1e-9;
}

int orr_Get_processor_name(char *name, int *resultlen)
{
	snprintf(name, MPI_MAX_PROCESSOR_NAME, "%s", orr_core_host());
	*resultlen = (int)strlen(name);
	return MPI_SUCCESS;
}

/* --- orders --- */

/* The program's own operator on packed operands: inout = in op inout. */
static int reduce(const struct wire_order *o)
{
	const struct coll_plan *p = link_state()->ordered[o->user];
	struct orr_type *t = p->piece[0].type;
	MPI_Count n = t->size > 0 ? (MPI_Count)o->bytes / t->size : 0;
	int64_t back = t->true_lb < 0 ? -t->true_lb : 0,
	        span = orr_type_span(t) * n + back + (t->true_ub > 0 ? t->true_ub : 0);
	double begun, volume;
	char *in, *inout;

	if (n == 0)
		return 0;
	in = calloc(2, (size_t)span);
	if (!in)
		link_abort("no memory for the operands of a reduction", 1);
	inout = in + span + back;
	orr_unpack(in + back, n, t, 0, (int64_t)o->bytes, link_at(o->in));
	orr_unpack(inout, n, t, 0, (int64_t)o->bytes, link_at(o->inout));
	begun = link_operator_begin();
	front_call_op(p->op->token, in + back, inout, n, orr_handle(t));
	volume = link_operator_end(begun);
	if (p->w.request == WIRE_NONE)
		*link_operated() += volume; /* coll_run tells it */
	else
		link_charge(volume);
	orr_pack(inout, n, t, 0, (int64_t)o->bytes, link_at(o->inout));
	free(in);
	return 0;
}

void core_obey(void);
void core_obey(void)
{
	struct wire_order *o = &link_state()->c->order;

	if (o->what != WIRE_REDUCE)
		return;
	link_state()->obeys = 1;
	reduce(o);
	link_state()->obeys = 0;
}

/* --- what objects need --- */

_Noreturn void orr_core_abort(const char *message, int code)
{
	fflush(stdout);
	link_abort(message, code);
}

int orr_core_process(void)
{
	return (int)link_state()->rank;
}

const char *orr_core_host(void)
{
	const struct link *l = link_state();

	if (l->hold)
		return l->hold->host(l->rank);
	return l->head
	           ? (const char *)wire_at(l->head, l->head->names) + (size_t)l->rank * WIRE_NAME
	           : "localhost";
}

char *const *orr_core_words(void)
{
	return link_state()->hold ? link_state()->hold->words() : NULL;
}

int orr_core_processes(void)
{
	link_open();
	return (int)link_state()->ranks;
}

int orr_core_running(void)
{
	return link_state()->running && !link_state()->ended;
}
