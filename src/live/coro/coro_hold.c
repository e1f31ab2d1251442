/* coro_hold.c: what the library of a rank calls in the place of the ring (struct hold): its
 * operation, and how it is handed over. */
#include "coro_int.h"

#include <signal.h>
#include <string.h>

enum { OP_SMALL = 256 };

static struct wire_op *room(uint32_t size)
{
	struct coros *c = coros_now;
	struct free_op *f = c->free_op;

	if (size <= OP_SMALL && f)
		c->free_op = f->next;
	else
		f = malloc(size <= OP_SMALL ? OP_SMALL : size);
	if (!f)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for what it asks");
	return coro_now()->op = (struct wire_op *)f;
}

static void give(void)
{
	coro_switch(&coro_now()->sp, coros_now->sp);
}

static const char *host(uint32_t rank)
{
	return coros_now->o.host(coros_now->o.self, rank);
}

static __attribute__((noreturn)) void end(int code)
{
	coro_ends(CORO_EXITED, code, "");
}

static void clock_told(const struct orrery_clock *simulated)
{
	if (coros_now->clock_set)
		coros_now->clock_set(simulated);
}

static char *const *words(void)
{
	return coro_words(coros_now, coro_rank());
}

static uint64_t world(uint32_t *appnum)
{
	*appnum = coro_now()->appnum;
	return coro_now()->world;
}

static void *threads(void)
{
	return coro_now()->threads_seen;
}

static void running(int on)
{
	if (own_kernels_running(on) < 0)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for its kernels");
}

static int copy(uint32_t rank, int write, const struct iovec *mine, size_t n_mine,
                const struct iovec *its, size_t n_its)
{
	struct coros *c = coros_now;
	size_t i = 0, k = 0, a = 0, b = 0;

	c->copies = 1;
	while (i < n_mine && k < n_its) {
		size_t left = mine[i].iov_len - a, there = its[k].iov_len - b;
		size_t n = left < there ? left : there;
		unsigned char *here = (unsigned char *)mine[i].iov_base + a;
		unsigned char *other = coro_memory_of(c, rank, (char *)its[k].iov_base + b, n);

		if (n > 0)
			memmove(write ? other : here, write ? here : other, n);
		a += n;
		b += n;
		if (a == mine[i].iov_len)
			i++, a = 0;
		if (b == its[k].iov_len)
			k++, b = 0;
	}
	c->copies = 0;
	while (i < n_mine && mine[i].iov_len == 0)
		i++;
	return i == n_mine ? 0 : -1;
}

static void files(hold_file_fn *see, void *self)
{
	const struct image *im = &coros_now->image;

	for (uint32_t i = 0; i < im->n; i++)
		see(self, im->module[i].path, im->module[i].at,
		    im->module[i].at + im->module[i].span);
}

static uintptr_t within(uintptr_t address)
{
	const struct coros *c = coros_now;

	return address - (uintptr_t)slot_at(&c->image, coro_slot(c, coro_rank()));
}

void coro_hold_set(struct coros *c)
{
	c->hold = (struct hold){.head = c->o.head,
	                        .heap = c->o.heap,
	                        .channel = c->o.channel,
	                        .identity = c->identity,
	                        .words = words,
	                        .world = world,
	                        .can_spawn = coro_can_spawn,
	                        .room = room,
	                        .give = give,
	                        .host = host,
	                        .end = end,
	                        .clock = clock_told,
	                        .copy = copy,
	                        .threads = threads,
	                        .running = c->guest ? running : NULL,
	                        .timer = c->hold.timer,
	                        .folded = c->folded,
	                        .one_calls = image_has_threads(&c->image),
	                        .memory = c->memory,
	                        .files = files,
	                        .within = within};
}

const struct wire_op *coros_op(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].op;
}

void coros_op_done(struct coros *c, uint32_t rank)
{
	struct coro *r = &c->coro[rank];
	struct free_op *f = (struct free_op *)r->op;

	if (r->op->size > OP_SMALL) {
		free(f);
	} else {
		f->next = c->free_op;
		c->free_op = f;
	}
	r->op = NULL;
}
