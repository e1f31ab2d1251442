/* link.c: operations on their way to the simulator, through the ring or, where ranks share a
 * process, by giving it the turn; its answers; blocks and numbers of requests. Attaching: attach.c;
 * what begins and ends a call: enter.c; a tracer in this rank: traced.c. See link.h. */
#include "link_int.h"
#include "measure.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_AFTER = 2 }; /* s of rest: is the simulator there? */

static struct link first;
struct link *link_now = &first;

/* The simulator waits for this rank, perhaps. */
static void ring_bell(void)
{
	struct wire_channel *c = link_now->c;

	atomic_fetch_add(&c->bell, 1);
	if (atomic_load(&c->watched))
		wire_wake(&c->bell);
}

/* At first, and after so long a rest. */
static void simulator_check(struct timespec *until)
{
	if (kill((pid_t)link_now->head->simulator, 0) < 0 && errno == ESRCH)
		_exit(1);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, until);
	until->tv_sec += LOOKS_AFTER;
}

/* User operators run while their rank waits (life.c). */
void core_obey(void);

static void rest(_Atomic uint32_t *word, uint32_t until, int equal)
{
	_Atomic uint32_t *bell = wire_bell(link_now->head, link_now->rank);
	struct wire_channel *c = link_now->c;
	int error = errno; /* the program's, which a call of MPI that succeeds leaves alone */
	uint32_t seen;

	for (;;) {
		seen = atomic_load(bell);
		if (atomic_load(&c->command) != WIRE_NO_COMMAND) {
			core_obey();
			atomic_store(&c->command, WIRE_NO_COMMAND);
			ring_bell();
			continue;
		}
		if ((atomic_load(word) == until) == equal) {
			errno = error;
			return;
		}
		if (wire_rest(bell, link_now->rank, seen, &link_now->look) < 0)
			simulator_check(&link_now->look);
	}
}

/* The simulator serves it no longer, or never has: it would wait for ever. */
static __attribute__((noinline, cold)) void late_call(void)
{
	char text[64];

	snprintf(text, sizeof text,
	         link_now->ended == LINK_FORKED ? "a child of rank %u calls MPI"
	                                        : "rank %u calls MPI after MPI_Finalize",
	         link_now->rank);
	link_abort(text, 1);
}

static struct wire_op *ring_room(uint32_t size)
{
	if (link_now->ended && !link_now->running)
		late_call();
	struct wire_op *op = wire_op_room(link_now->c, &link_now->at, size);

	while (!op) {
		atomic_store(&link_now->c->full, 1);
		ring_bell();
		rest(&link_now->c->full, 0, 1);
		op = wire_op_room(link_now->c, &link_now->at, size);
	}
	return op;
}

/* To the simulator in this process, which lets this rank go on when it has done what was asked. */
static void give(const struct link *l)
{
	l->hold->give();
	while (atomic_load_explicit(&l->c->command, memory_order_relaxed) != WIRE_NO_COMMAND) {
		core_obey();
		atomic_store_explicit(&l->c->command, WIRE_NO_COMMAND, memory_order_relaxed);
		l->hold->give();
	}
	/* the channel is that of all ranks, of which others have run */
	l->c->site = l->traced.site;
	l->c->less_threads = l->less_threads;
}

/* The simulator does nothing else until an order has been carried out, and MPI 4.0, 6.9.5, allows
 * an operator of the program's but MPI_Abort of what communicates. */
#define WITHIN_OPERATOR \
	"communicates within an operator of its own, where MPI allows nothing but MPI_Abort"

static _Noreturn void order_end(struct link *l, const char *text)
{
	struct wire_channel *c = l->c;

	snprintf(c->order.text, sizeof c->order.text, "%s", text);
	c->order.ended = 1;
	atomic_store(&c->command, WIRE_NO_COMMAND);
	for (;;) { /* the simulator ends us */
		if (l->hold) {
			l->hold->give();
			continue;
		}
		ring_bell();
		rest(&c->answered, atomic_load(&c->answered), 0);
	}
}

struct wire_op *link_room_beside(enum wire_kind kind, size_t bytes)
{
	const struct hold *hold = link_now->hold;
	size_t size = (sizeof(struct wire_op) + bytes + 7) / 8 * 8;
	struct wire_op *op;

	if (link_now->obeys)
		link_abort(WITHIN_OPERATOR, 1);
	op = hold ? hold->room((uint32_t)size) : ring_room((uint32_t)size);
	*op = (struct wire_op){.size = (uint32_t)size, .kind = (uint8_t)kind};
	return op;
}

void link_wrong(enum wire_wrong_kind kind, uint32_t of, uint64_t begun, uint32_t stack)
{
	uint32_t here = stack_number();
	struct wire_op *op = link_room_beside(WIRE_WRONG, sizeof(struct wire_wrong));

	op->site = link_traced()->site;
	op->stack = here;
	*(struct wire_wrong *)(op + 1) = (struct wire_wrong){
	    .site = begun, .stack = stack, .kind = (uint32_t)kind, .of = of};
	link_put(op);
}

/* --- looks in a trace --- */

#define SPIN_SECONDS 1e-6 /* less computation between two looks is a loop that waits */

static int is_look(uint32_t kind)
{
	return kind == WIRE_TEST || kind == WIRE_IPROBE || kind == WIRE_IMPROBE ||
	       kind == WIRE_PARRIVED;
}

/* What stands in the trace for looks that found nothing: the wait for what the last one found,
 * which lasts until it is there, and the time that they took after that; all of it where none found
 * anything and the program does something else. */
static void looks_write(struct link *l)
{
	double looked = l->looked;

	l->looked = 0;
	if (looked > 0)
		l->trace->sleep(looked);
}

static void looks_before(struct link *l, uint32_t kind, double computed)
{
	if ((!is_look(kind) && kind != WIRE_CLOCK) || computed * l->c->takes > SPIN_SECONDS)
		looks_write(l);
}

static void look_after(struct link *l)
{
	const struct wire_answer *a = &l->c->answer;

	if (!l->trace || a->look == WIRE_NO_LOOK || link_several())
		return;
	if (a->look == WIRE_MISSED) {
		l->looked += a->looked;
		return;
	}
	l->looked = a->looked < l->looked ? a->looked : l->looked;
	looks_write(l);
}

/* What readings of the clock took, before what follows them. They begin no call. */
__attribute__((noinline)) void link_readings_put(struct link *l)
{
	double x = l->read;
	int begins = link_traced()->begins;
	struct wire_op *op;

	l->read = 0;
	link_traced()->begins = 0;
	op = link_sleep(WIRE_CLOCK, x);
	op->a = 1;
	link_put(op);
	link_traced()->begins = begins;
}

/* Operations by which another thread's wait may be over. */
#define BIT(kind) (UINT64_C(1) << (kind))
static const uint64_t begin_something = BIT(WIRE_SEND) | BIT(WIRE_ISEND) | BIT(WIRE_RECV) |
                                        BIT(WIRE_IRECV) | BIT(WIRE_SENDRECV) | BIT(WIRE_MRECV) |
                                        BIT(WIRE_IMRECV) | BIT(WIRE_PREADY) | BIT(WIRE_START) |
                                        BIT(WIRE_COLL);
_Static_assert(WIRE_KINDS <= 64, "a bit each");

/* Of which the simulator knows the group of calls, not which it is. */
static const uint64_t of_a_group = BIT(WIRE_COMM_AGREE) | BIT(WIRE_COMM_MAKE) |
                                   BIT(WIRE_COMM_CART) | BIT(WIRE_COMM_GRAPH) | BIT(WIRE_WIN_MAKE) |
                                   BIT(WIRE_WIN_SYNC) | BIT(WIRE_SPAWN) | BIT(WIRE_PORT);

static void name_write(struct wire_op *op, const char *call)
{
	char *name = (char *)op + op->size - WIRE_CALL_NAME;

	op->named = 1;
	memset(name, 0, WIRE_CALL_NAME);
	memcpy(name, call, strnlen(call, WIRE_CALL_NAME - 1));
}

struct wire_op *link_room(enum wire_kind kind, size_t bytes)
{
	struct link_traced *own = link_traced();
	int named = own->call && of_a_group >> kind & 1;
	uint32_t stack;
	struct wire_op *op;

	if (link_now->read > 0)
		link_readings_put(link_now);
	stack = link_now->stacks ? stack_number() : 0;
	op = link_room_beside(kind, bytes + (named ? WIRE_CALL_NAME : 0));

	if (named)
		name_write(op, own->call);
	op->stack = stack;
	op->computed = link_now->computed;
	op->site = own->site;
	op->flags = own->begins ? WIRE_BEGINS : 0;
	if (link_now->ops_read == link_now->ops)
		op->flags |= WIRE_TIMED;
	own->begins = 0;
	link_now->ops++;
	link_now->begun += begin_something >> kind & 1;
	link_now->computed = 0;
	if (link_now->trace)
		looks_before(link_now, kind, op->computed);
	if (link_now->trace && op->computed > 0)
		link_now->trace->compute(op->computed);
	return op;
}

struct wire_op *link_sleep(enum wire_kind kind, double seconds)
{
	struct wire_op *op = link_room(kind, 0);

	op->x = seconds;
	if (link_now->trace && seconds > 0)
		link_now->trace->sleep(seconds);
	return op;
}

void link_put(struct wire_op *op)
{
	(void)op;
	if (link_now->hold)
		give(link_now);
	else
		atomic_store_explicit(&link_now->c->head, link_now->at, memory_order_release);
}

/* What has passed since the simulator answered last besides what was charged: others have computed
 * meanwhile. */
static void passed_take(struct link *l)
{
	const struct wire_answer *a = &l->c->answer;
	double passed = (a->date - l->told - l->charged * l->c->takes) / link_computed_takes();

	if (a->look != WIRE_NO_LOOK)
		link_looked(a->look == WIRE_HIT);
	if (!(passed > 0))
		return;
	passed -= threads_passed(passed);
	l->ahead = a->look == WIRE_MISSED ? l->ahead + passed : 0;
}

static void told(struct link *l)
{
	const struct wire_answer *a = &l->c->answer;

	if (l->provided == MPI_THREAD_MULTIPLE && !l->hold && link_measured())
		passed_take(l);
	l->charged = 0;
	l->told = a->date;
	atomic_store_explicit(&l->c->passed, 0, memory_order_relaxed);
	l->ops_told = a->early ? UINT64_MAX : l->ops;
	look_after(l);
}

struct wire_answer *link_ask(struct wire_op *op)
{
	struct wire_channel *c = link_now->c;
	uint32_t asked;

	op->flags |= WIRE_ASKS;
	if (link_now->hold) {
		give(link_now);
		link_now->date = c->answer.date;
		told(link_now);
		return &c->answer;
	}
	asked = atomic_load(&c->asked) + 1;
	atomic_store(&c->asked, asked);
	atomic_store_explicit(&c->head, link_now->at, memory_order_release);
	ring_bell();
	rest(&c->answered, asked, 1);
	if (link_now->timer)
		link_now->date = c->answer.date;
	told(link_now);
	return &c->answer;
}

struct wire_op *link_room_list(enum wire_kind kind, size_t body, uint32_t n, size_t element,
                               void **to)
{
	size_t bytes = n * element;
	uint64_t block = bytes > WIRE_INLINE ? link_block(bytes) : 0;
	struct wire_op *op = link_room(kind, body + (block ? 0 : bytes));

	op->n = n;
	op->list = block;
	if (block)
		op->flags |= WIRE_LISTED;
	*to = block ? link_at(block) : (char *)(op + 1) + body;
	return op;
}

/* --- blocks --- */

uint64_t link_block(uint64_t bytes)
{
	uint64_t block = wire_block_new(link_now->heap, bytes);
	char text[128];

	if (block)
		return block;
	snprintf(text, sizeof text, "no room for %llu bytes of data under way",
	         (unsigned long long)bytes);
	link_abort(text, 1);
}

void link_block_free(uint64_t block)
{
	if (block)
		wire_block_free(link_now->heap, block);
}

/* --- the end --- */

/* What the program has written, as the real ones do that end by exit(): Fortran's units, too. */
static void output_flush(void)
{
	union {
		void *object;
		void (*function)(int32_t *);
	} units = {.object = NULL};

	if (!link_now->hold)
		units.object = dlsym(RTLD_DEFAULT, "_gfortran_flush_i4");
	if (units.function)
		units.function(NULL); /* all of them */
	fflush(NULL);
}

_Noreturn void link_abort(const char *text, int code)
{
	size_t n = strlen(text) < WIRE_INLINE ? strlen(text) : WIRE_INLINE;
	struct wire_op *op;

	if (link_now->ended != LINK_FORKED) /* what a child has not printed is its parent's */
		output_flush();
	if (link_now->obeys)
		order_end(link_now, text);
	if (link_now->head && link_now->running && !link_now->ended) {
		op = link_room(WIRE_ABORT, n);
		op->a = (uint32_t)code;
		op->n = (uint32_t)n;
		memcpy(op + 1, text, n);
		link_ask(op); /* the simulator ends us */
	}
	fprintf(stderr, "orrery: %s\n", text); /* before MPI_Init or after it nobody else can */
	if (link_now->hold)
		link_now->hold->end(code ? code : 1);
	_exit(code ? code : 1);
}

/* --- numbers of requests --- */

uint32_t link_number(void)
{
	if (link_now->n_free > 0)
		return link_now->free_number[--link_now->n_free];
	return link_now->numbers++;
}

void link_number_free(uint32_t number)
{
	uint32_t *p;

	if (link_now->n_free == link_now->cap_free) {
		link_now->cap_free = link_now->cap_free ? 2 * link_now->cap_free : 64;
		p = realloc(link_now->free_number, link_now->cap_free * sizeof *p);
		if (!p)
			link_abort("no memory for requests", 1);
		link_now->free_number = p;
	}
	link_now->free_number[link_now->n_free++] = number;
}
