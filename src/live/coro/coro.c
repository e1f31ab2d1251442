/* coro.c: see coro.h.
 *
 *   NEW --coros_run--> LIVES --exit, return of main--> EXITED
 *                        |  \--a fatal signal, a call that cannot be--> KILLED
 *                        give: an operation is there; the simulator runs
 *
 * What a rank is given in the place of the ring: coro_hold.c; who is in a slot: coro_slot.c;
 * faults: coro_fault.c; the end: coro_end.c.
 */
#include "../launched.h"
#include "base/program.h"
#include "coro_int.h"
#include "launch/launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS_SHARED = 64 };

static int program_find(struct coros *c, struct err *err)
{
	char *file = program_file(c->o.command[0]);

	if (!file)
		return err_set(err, ERR_INPUT, "%s: not found, or not a program", c->o.command[0]);
	snprintf(c->program, sizeof c->program, "%s", file);
	free(file);
	own_names(c);
	return 0;
}

union library_function {
	void *object;
	void (*set)(const struct orrery_clock *clock);
	void (*swap)(struct clock_state *from, const struct clock_state *to);
	void (*hold)(const struct orrery_timer_hold *h);
	int (*folded)(const void *p, size_t n);
	int (*memory)(const void *p, size_t n, size_t *same);
	void (*begins)(void **table);
	uint64_t (*counted)(void);
	int (*suspend)(const sigset_t *mask);
};

/* The clocks that programs read; folded memory, if that is asked for. */
static int firsts_open(struct coros *c, struct err *err)
{
	char clocks[PATH_MAX], guest[PATH_MAX];
	const char *first[3] = {NULL};
	union library_function f;
	int n = 0, has_clocks;

	snprintf(clocks, sizeof clocks, "%s/liborrery_time.so", c->o.library);
	snprintf(guest, sizeof guest, "%s/liborrery_guest.so", c->o.library);
	has_clocks = access(clocks, R_OK) == 0;
	if (has_clocks)
		first[n++] = clocks;
	if (c->o.folds || c->o.kernels)
		first[n] = guest;
	if (image_read(&c->image,
	               &(struct image_words){.program = c->program,
	                                     .library = c->o.library,
	                                     .first = first,
	                                     .preload = c->o.tracer,
	                                     .own = own_functions,
	                                     .hides = first[n] ? own_kernel_hides : NULL,
	                                     .guard = own_thread_guard},
	               err) < 0)
		return -1;
	if (has_clocks) {
		f.object = dlsym(c->image.shared[0], "orrery_clock_set");
		c->clock_set = f.set;
		f.object = dlsym(c->image.shared[0], "orrery_clock_switch");
		c->clock_switch = f.swap;
		f.object = dlsym(c->image.shared[0], "sigsuspend");
		c->suspend = f.suspend;
		c->hold.timer = dlsym(c->image.shared[0], "orrery_timer");
		f.object = dlsym(c->image.shared[0], "orrery_timer_held");
		if (f.hold)
			f.hold(&own_timer);
		f.object = dlsym(c->image.shared[0], "orrery_thread_begins");
		c->thread_begins = f.begins;
	}
	c->guest = first[n] ? c->image.shared[n] : NULL;
	f.object = c->o.folds ? dlsym(c->guest, "orrery_folded") : NULL;
	c->folded = f.folded;
	f.object = c->o.folds ? dlsym(c->guest, "orrery_memory") : NULL;
	c->memory = f.memory;
	f.object = c->o.folds ? dlsym(c->guest, "orrery_counted_again") : NULL;
	c->counted_again = f.counted;
	return 0;
}

/* Who names no library of MPI (an interpreter) may open one later. */
static int library_open(struct coros *c, struct err *err)
{
	union {
		void *object;
		orrery_hold_fn *function;
	} hold = {NULL};

	if (!c->image.mpi && image_mpi(&c->image, c->o.mpich ? "libmpich.so.12" : "libmpi.so.40",
	                               c->o.library, err) < 0)
		return -1;
	hold.object = dlsym(c->image.mpi, HOLD_SYMBOL);
	if (!hold.function)
		return err_set(err, ERR_LIMIT, "%s is of another version", c->image.mpi_path);
	coro_hold_set(c);
	hold.function(&c->hold, &c->library);
	return 0;
}

static int slots_make(struct coros *c, struct err *err)
{
	uint32_t most = image_slots_max(&c->image), n = c->o.slots ? c->o.slots : most;

	if (!c->o.slots && most < c->o.ranks && most > SLOTS_SHARED)
		n = SLOTS_SHARED; /* those that take turns want no more pages than caches hold */
	if (c->image.module[0].is_fixed)
		n = 1; /* however many --slots says */
	c->n_slots = n > c->o.ranks ? c->o.ranks : n;
	c->resident = malloc(c->n_slots * sizeof *c->resident);
	c->pristine = calloc(c->n_slots, sizeof *c->pristine);
	if (!c->resident || !c->pristine)
		return err_nomem(err, "slots of ranks", c->n_slots);
	for (uint32_t i = 0; i < c->n_slots; i++)
		c->resident[i] = NOBODY;
	return image_slots(&c->image, c->n_slots, c->o.stack ? c->o.stack : CORO_STACK, err);
}

/* Of our library, whatever is of no other. */
static void copies_tell(const struct coros *c)
{
	const void *base = NULL;
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)c->library.enter, &info))
		base = info.dli_fbase;
	for (uint32_t i = 0; i < c->image.n_fix; i++) {
		const struct fix *f = &c->image.fix[i];
		const void *own = (const void *)(uintptr_t)f->source;

		if (f->source && dladdr(own, &info) && info.dli_fbase == base)
			c->library.moved(own, f->where);
	}
}

/* Sanitizers know one stack a thread. */
static int has_sanitizer(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return 1;
#else
	return 0;
#endif
}

struct coros *coros_new(const struct coro_options *o, struct err *err)
{
	struct coros *c = has_sanitizer() ? NULL : calloc(1, sizeof *c);

	if (has_sanitizer()) {
		err_set(err, ERR_LIMIT,
		        "this orrery was built with sanitizers, which know no coroutines: --hold "
		        "processes");
		return NULL;
	}
	if (!c) {
		err_nomem(err, "coroutines", sizeof *c);
		return NULL;
	}
	c->o = *o;
	c->rank = c->last = NOBODY;
	setenv("OPENBLAS_NUM_THREADS", "1", 0); /* a rank has one thread */
	setvbuf(stdout, NULL, _IOLBF, 0);       /* as a rank's (libmpi/core/lines.c) */
	c->environment = environ;
	own_streams_find(c);
	pthread_mutex_init(&c->threads, NULL);
	c->coro = calloc(o->ranks, sizeof *c->coro);
	c->identity = malloc(o->ranks * sizeof *c->identity);
	if (!c->coro || !c->identity) {
		err_nomem(err, "coroutines", o->ranks * sizeof *c->coro);
		coros_free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < o->ranks; i++)
		c->identity[i] = (int32_t)i;
	coros_now = c;
	c->thread_dies = own_thread_dies;
	if (program_find(c, err) < 0 || firsts_open(c, err) < 0 ||
	    coro_tls_check(&c->image, err) < 0 || library_open(c, err) < 0 ||
	    slots_make(c, err) < 0 || own_environment_find(c, err) < 0 ||
	    own_kernels_begin(c, err) < 0 ||
	    own_output_files(o->output, o->world, &c->folder, err) < 0 ||
	    coro_faults_catch(c, err) < 0) {
		coros_free(c);
		return NULL;
	}
	c->tls = c->image.tls;
	copies_tell(c);
	coro_progress_watch(c);
	return c;
}

static void coro_release(struct coros *c, struct coro *r)
{
	if (r->state) {
		c->library.leave(r->state);
		free(r->state);
	}
	own_threads_stop(r);
	if (r->op)
		free(r->op);
	free(r->saved);
	free(r->tls);
	free(r->kernels);
	free(r->words);
	own_release(r);
	r->state = r->op = r->kernels = NULL;
	r->saved = r->tls = NULL;
	r->words = NULL;
}

void coros_free(struct coros *c)
{
	if (!c)
		return;
	watch_end(&c->watch);
	own_names_end(c);
	coro_damage_expect(c);
	for (uint32_t i = 0; c->coro && i < c->o.ranks; i++)
		coro_release(c, &c->coro[i]);
	while (c->free_op) {
		struct free_op *f = c->free_op;

		c->free_op = f->next;
		free(f);
	}
	for (uint32_t i = 0; c->pristine && i < c->n_slots; i++)
		free(c->pristine[i]);
	environ = c->environment;
	image_release(&c->image);
	coro_faults_leave(c);
	if (!c->is_damaged)
		alarm(0);
	free(c->pristine);
	free(c->resident);
	free(c->identity);
	launched_free(c->launched);
	free(c->folder);
	free(c->home);
	free(c->kernels);
	free(c->coro);
	coros_now = NULL;
	free(c);
}

/* --- switching --- */

static void first(void *arguments)
{
	own_begin(coros_now, coros_now->rank, arguments);
}

static int coro_begins(struct coros *c, uint32_t rank, struct err *err)
{
	struct coro *r = &c->coro[rank];
	uint32_t slot = coro_slot(c, rank);
	void *arguments;

	r->state = calloc(1, c->library.state);
	r->tls = c->image.tls ? calloc(1, c->image.tls) : NULL;
	if (!r->state || (c->image.tls && !r->tls))
		return err_nomem(err, "state of a rank", c->library.state + c->image.tls);
	if (r->tls)
		coro_tls_fill(c, slot, 0, c->image.n_first_modules, r->tls);
	arguments = own_arguments(c, rank, slot_stack_top(&c->image, slot));
	r->sp = coro_context(arguments, first, arguments);
	r->phase = CORO_LIVES;
	return 0;
}

static void others_leave(struct coros *c)
{
	struct coro *r = c->last == NOBODY ? NULL : &c->coro[c->last];

	if (!r || r->phase != CORO_LIVES)
		return;
	if (c->clock_switch)
		c->clock_switch(&r->clock, &r->clock);
	if (r->tls)
		memcpy(r->tls, coro_tls_now(&c->image), c->image.tls);
}

static void takes_place(struct coros *c, uint32_t rank)
{
	struct coro *r = &c->coro[rank];

	others_leave(c);
	if (c->clock_switch)
		c->clock_switch(NULL, &r->clock);
	own_environment_enter(c, r);
	if (r->tls)
		memcpy(coro_tls_now(&c->image), r->tls, c->image.tls);
	c->library.enter(r->state, rank);
	*c->library.place = slot_at(&c->image, coro_slot(c, rank));
	c->last = rank;
}

int coros_run(struct coros *c, uint32_t rank, struct err *err)
{
	struct coro *r = &c->coro[rank];
	uint32_t slot = coro_slot(c, rank);

	if (c->resident[slot] != rank &&
	    (coro_put_out(c, slot, err) < 0 || coro_put_in(c, slot, rank, err) < 0))
		return -1;
	if (r->phase == CORO_NEW && coro_begins(c, rank, err) < 0)
		return -1;
	if (c->last != rank)
		takes_place(c, rank);
	if (c->has_streams)
		own_streams_set(r->own);
	if (own_process_set(c, r->own) < 0)
		return err_sys(err, errno, "rank %u cannot go back to %s, where it worked", rank,
		               r->own ? r->own->folder : c->home);
	c->rank = c->ran = rank;
	c->turns++;
	c->err = err;
	errno = r->error;
	coro_switch(&c->sp, r->sp);
	r->error = errno;
	c->rank = NOBODY;
	if (coro_fault_after(c, r, err) < 0)
		return -1;
	if (c->has_streams)
		own_streams_set(NULL);
	if (own_process_set(c, NULL) < 0)
		return err_sys(err, errno, "cannot go back to %s", c->home);
	if (r->phase == CORO_LIVES)
		return 0;
	environ = c->environment;
	if (!c->is_damaged)
		coro_release(c, r);
	c->last = NOBODY;
	return 0;
}

enum coro_state coros_state(const struct coros *c, uint32_t rank)
{
	return (enum coro_state)c->coro[rank].phase;
}

int coros_code(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].code;
}

const char *coros_reason(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].phase == CORO_KILLED ? c->reason : "";
}
