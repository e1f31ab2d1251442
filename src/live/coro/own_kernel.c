/* own_kernel.c: functions of a rank that are not run but take what a model of its host says
 * (--kernel), or whose allocations are folded: the library before the program's (libmpi/guest) has
 * them; here it is told whose turn it is. */
#include "coro_int.h"

#include "base/memory.h"
#include "live/kernels.h"

#include <signal.h>
#include <string.h>

enum { PATCHES = 64 };

/* Of the rank that runs, until its models are read: nobody else runs before. */
static const char *kernels(void)
{
	struct coros *c = coros_now;
	uint32_t rank = c->rank == NOBODY ? 0 : c->rank;
	struct str text;

	free(c->kernels);
	str_init(&text);
	live_kernels_text(c->o.kernels, c->o.host(c->o.self, rank), c->o.seed, &text);
	if (text.failed && c->rank != NOBODY)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for its kernels");
	c->kernels = text.s;
	return c->kernels;
}

static uint32_t rank(void)
{
	return coros_now->rank;
}

static void **place(void)
{
	return &coro_now()->kernels;
}

/* What the rank would have had without the libraries that are looked at first. */
static void *real(const char *name)
{
	const struct coros *c = coros_now;

	return image_find_behind(&c->image, coro_slot(c, coro_rank()), name);
}

/* In a slot, from its beginning: what a program that has one place has before it is that, too. */
static uintptr_t function(const char *name, size_t *size)
{
	const struct image *im = &coros_now->image;
	uint64_t address, n;
	const struct module *m = image_function(im, name, &address, &n);

	*size = m ? n : 0;
	return m ? m->at + (address - m->low) : 0;
}

static uintptr_t within(const void *address)
{
	const struct coros *c = coros_now;
	const unsigned char *slot = slot_at(&c->image, coro_slot(c, coro_rank()));

	return coro_rank() == NOBODY ? 0 : (uintptr_t)address - (uintptr_t)slot;
}

int own_kernels_running(int on)
{
	struct coros *c = coros_now;
	struct err err;

	coro_now()->in_mpi = (uint8_t)on;
	if (!on && c->counted_again)
		memory_counted_again(c->counted_again());
	return slot_patch(&c->image, coro_slot(c, coro_rank()), on, &err);
}

int own_kernel_hides(const char *name)
{
	return live_kernels_hide(coros_now->o.kernels, name);
}

int own_kernels_begin(struct coros *c, struct err *err)
{
	struct guest_patch patch[PATCHES];
	union {
		void *object;
		orrery_guest_hold_fn *function;
		int (*takes)(double seconds);
	} f;
	int n;

	if (!c->guest)
		return 0;
	f.object = dlsym(c->image.mpi, "orrery_kernel_takes");
	c->guest_hold = (struct guest_hold){kernels, rank,     place,  real,
	                                    f.takes, function, within, c->o.ranks};
	f.object = dlsym(c->guest, "orrery_guest_hold");
	if (!f.function)
		return err_set(err, ERR_LIMIT, "liborrery_guest.so is of another version");
	n = f.function(&c->guest_hold, patch, PATCHES);
	for (int i = 0; i < n; i++)
		if (image_patch(&c->image, patch[i].name, patch[i].jump, err) < 0)
			return -1;
	return 0;
}
