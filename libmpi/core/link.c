/* link.c: see link.h. */
#include "link.h"
#include "base/num.h"
#include "measure.h"
#include "time/time.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FOLD_LEAST = 4096 }; /* --fold-memory takes no less */
enum { LOOKS_AFTER = 2 };   /* s of rest: is the simulator there? */

static struct link first;
struct link *link_now = &first;
static __thread double mark;        /* processor time of this thread at the end of its last call, */
static __thread double mark_beside; /* and of pauses that passed while threads computed */
static __thread struct link_traced own_traced;

/* Of the thread that calls; of the rank, where ranks share a thread. */
static struct link_traced *traced(void)
{
	return link_now->hold ? &link_now->traced : &own_traced;
}

/* --- attaching --- */

int link_measured(void)
{
	return link_now->head->computation == WIRE_MEASURED;
}

static _Noreturn void refuse(const char *why)
{
	fprintf(stderr,
	        "orrery: %s. This MPI library runs programs in a simulation: "
	        "orrery run -np N -p MACHINE -- PROGRAM\n",
	        why);
	exit(2);
}

static void *map(const char *path, size_t *size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat s;
	void *p;

	if (fd < 0 || fstat(fd, &s) < 0)
		refuse("the simulator is not there");
	*size = (size_t)s.st_size;
	p = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		refuse("the memory shared with the simulator cannot be mapped");
	madvise(p, *size, MADV_DONTDUMP); /* a core has the program's memory */
	return p;
}

/* A child of the rank is no rank. */
static void forked(void)
{
	link_now->running = 0;
	link_now->ended = LINK_FORKED;
	measure_forked();
}

int link_open(void)
{
	const char *path = getenv(WIRE_ENV_SEGMENT), *rank = getenv(WIRE_ENV_RANK);
	int64_t number;
	size_t size;

	if (link_now->head)
		return MPI_SUCCESS;
	if (!path || !rank)
		refuse("the program was not started by 'orrery run'");
	if (num_parse_i64(rank, strlen(rank), &number) < 0 || number < 0 || number > UINT32_MAX)
		refuse("its rank in the environment is no number");
	link_now->rank = (uint32_t)number;
	link_now->head = map(path, &size);
	if (link_now->head->magic != WIRE_MAGIC || link_now->head->version != WIRE_VERSION ||
	    link_now->rank >= link_now->head->ranks)
		refuse("the simulator is of another version");
	link_now->ranks = link_now->head->world;
	link_now->c = wire_channel(link_now->head, link_now->rank);
	link_now->heap = &link_now->own_heap;
	wire_heap_init(link_now->heap, link_now->head, link_now->rank);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	link_mutex_init(link_now);
	link_now->first = pthread_self();
	if (atomic_load(&link_now->c->pid) != 0)
		refuse("this rank's place is taken: a process that it started calls MPI_Init too");
	pthread_atfork(NULL, NULL, forked);
	overflow_watch(link_now);
	if (link_measured())
		measure_start(link_now->head->tick);
	atomic_store(&link_now->c->state, WIRE_INSIDE);
	atomic_store(&link_now->c->pid, (uint32_t)getpid());
	return MPI_SUCCESS;
}

/* --- entering and leaving --- */

void link_mutex_init(struct link *l)
{
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&l->mutex, &recursive);
	pthread_mutexattr_destroy(&recursive);
}

/* Volumes are whole numbers: what a trace can say in few digits. */
void link_charge(double volume)
{
	link_now->computed += nearbyint(volume);
}

double link_computed_takes(void)
{
	double takes = link_now->c->volume * link_now->c->takes;

	return takes > 0 ? takes : 1;
}

/* The call has ended what was computed before it, so what other threads do is the operator's. */
double link_operator_begin(void)
{
	if (!link_measured())
		return 0;
	threads_time(0, link_now->head->thread_cores);
	return processor_time();
}

double link_operator_end(double begun)
{
	double own;

	if (!link_measured())
		return 0;
	processor_time_since(begun, &own);
	return nearbyint(threads_time(own, link_now->head->thread_cores) * link_now->c->volume);
}

static void mark_set(void)
{
	mark = processor_time();
	mark_beside = link_now->beside;
}

/* Less what has passed in the simulation while it was computed. */
static void charge(void)
{
	double own, now = processor_time_since(mark, &own);
	double beside = (link_now->beside - mark_beside) / link_computed_takes();
	double taken = threads_time(own > beside ? own - beside : 0, link_now->head->thread_cores);

	if (taken > 0)
		link_charge(taken * link_now->c->volume);
	mark = now;
	mark_beside = link_now->beside;
}

/* Of a rank that is a process one thread is in MPI at a time, whatever level the program asked for:
 * some call from several that asked for less, and real libraries bear it mostly. */
static int locks(void)
{
	return link_now->provided == MPI_THREAD_MULTIPLE || !link_now->hold;
}

/* A thread that waits here has something to do, though it sleeps (beside.c). */
static void lock_take(void)
{
	if (pthread_mutex_trylock(&link_now->mutex) == 0)
		return;
	atomic_fetch_add(&link_now->entering, 1);
	pthread_mutex_lock(&link_now->mutex);
	atomic_fetch_sub(&link_now->entering, 1);
}

void link_enter(void)
{
	if (locks())
		lock_take();
	if (link_now->depth++ == 0 && link_now->running && !traced()->stopped && link_measured())
		charge();
}

int link_enter_first(void)
{
	int within;

	if (locks())
		lock_take();
	within = link_now->depth > 0; /* this thread's: the others are kept out */
	if (!within)
		link_enter();
	if (locks())
		pthread_mutex_unlock(&link_now->mutex);
	return !within;
}

void link_leave(void)
{
	if (--link_now->depth == 0 && link_now->running && !traced()->stopped && link_measured()) {
		mark_set();
		threads_time(
		    0, link_now->head->thread_cores); /* what others did was beside the call */
	}
	if (locks())
		pthread_mutex_unlock(&link_now->mutex);
	if (link_now->timer && link_now->depth == 0 && link_now->date >= link_now->timer->due)
		link_now->timer->run(link_now->date);
}

void link_yield(void)
{
	int depth = link_now->depth;

	if (link_now->provided != MPI_THREAD_MULTIPLE)
		return;
	link_now->depth = 0;
	for (int i = 0; i < depth; i++)
		pthread_mutex_unlock(&link_now->mutex);
	sched_yield();
	for (int i = 0; i < depth; i++)
		pthread_mutex_lock(&link_now->mutex);
	link_now->depth = depth;
}

int link_release(void)
{
	int depth;

	if (!locks())
		return link_now->depth;
	pthread_mutex_lock(&link_now->mutex);
	depth = link_now->depth; /* this thread's: the others are kept out */
	link_now->depth = 0;
	for (int i = 0; i <= depth; i++)
		pthread_mutex_unlock(&link_now->mutex);
	return depth;
}

void link_regain(int depth)
{
	for (int i = 0; i <= depth && locks(); i++)
		pthread_mutex_lock(&link_now->mutex);
	link_now->depth = depth + 1;
	if (depth == 0 && link_now->running && !traced()->stopped && link_measured()) {
		mark_set();
		threads_time(0, link_now->head->thread_cores);
	}
}

/* --- operations --- */

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
static __attribute__((noinline)) void readings_put(struct link *l)
{
	double x = l->read;
	uint8_t begins = l->begins;
	struct wire_op *op;

	l->read = 0;
	l->begins = 0;
	op = link_sleep(WIRE_CLOCK, x);
	op->a = 1;
	link_put(op);
	l->begins = begins;
}

struct wire_op *link_room(enum wire_kind kind, size_t bytes)
{
	uint32_t stack;
	struct wire_op *op;

	if (link_now->read > 0)
		readings_put(link_now);
	stack = link_now->stacks ? stack_number() : 0;
	op = link_room_beside(kind, bytes);

	op->stack = stack;
	op->computed = link_now->computed;
	op->site = link_now->site;
	op->flags = link_now->begins ? WIRE_BEGINS : 0;
	link_now->begins = 0;
	link_now->ops++;
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

static void told(struct link *l)
{
	const struct wire_answer *a = &l->c->answer;

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

int link_is_folded(const void *buf, uint64_t bytes)
{
	static union {
		void *object;
		int (*function)(const void *p, size_t n);
	} folded;
	static int known;
	const struct hold *hold = link_now->hold;

	if (bytes < FOLD_LEAST || !buf)
		return 0;
	if (hold)
		return hold->folded && hold->folded(buf, bytes);
	if (!known)
		folded.object = dlsym(RTLD_DEFAULT, "orrery_folded");
	known = 1;
	return folded.function && folded.function(buf, bytes);
}

link_memory_kind *link_memory(void)
{
	static union {
		void *object;
		link_memory_kind *function;
	} kind;
	static int known;

	if (link_now->hold)
		return link_now->hold->memory;
	if (!known)
		kind.object = dlsym(RTLD_DEFAULT, "orrery_memory");
	known = 1;
	return kind.function;
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

/* --- the tracer, in this rank --- */

void link_made(uint64_t identity, const int32_t *remote)
{
	traced()->made = identity;
	traced()->remote = remote;
}

static void time_stop(void)
{
	if (traced()->stopped++ == 0 && link_now->running && link_measured() &&
	    link_now->depth == 0)
		charge();
}

static void time_start(void)
{
	if (--traced()->stopped == 0 && link_now->running && link_measured() &&
	    link_now->depth == 0)
		mark_set();
}

static void flush(void)
{
	link_enter();
	if (link_now->running && !link_now->ended && link_now->computed > 0)
		link_put(link_room(WIRE_COMPUTE, 0));
	else if (link_now->running && !link_now->ended && link_now->read > 0)
		readings_put(link_now);
	link_leave();
}

static uint64_t made(void)
{
	return traced()->made;
}

static int32_t remote(int32_t i)
{
	return traced()->remote[i];
}

static int32_t world_first(void)
{
	return link_now->first_rank;
}

static int32_t spawner(void)
{
	return link_now->spawner;
}

static void trace_set(const struct simulated_trace *t)
{
	link_now->trace = t;
}

static double operated(void)
{
	double volume = link_now->operated;

	link_now->operated = 0;
	return volume;
}

extern const struct simulated orrery_simulated;
__attribute__((visibility("default"))) const struct simulated orrery_simulated = {
    SIMULATED_VERSION, time_stop, time_start, flush,    made, remote,
    world_first,       spawner,   operated,   trace_set};

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
