/* segment.c: the memory that ranks and simulator share.
 *
 * It is a memory file without a name, which ranks open through /proc: nothing is left however the
 * simulator ends. Ranks that are coroutines share the simulator's own memory. */
#include "base/ticks.h"
#include "live_int.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static void names_fill(struct live *l)
{
	char *name = wire_at(l->head, l->head->names);

	for (uint32_t i = 0; i < l->ranks; i++, name += WIRE_NAME)
		if (l->o.host_name)
			l->o.host_name(l->o.self, i, name, WIRE_NAME);
}

/* What a rank may have under way before it waits: a GiB in all, but room for a few large messages
 * each. */
static uint64_t payload_of(uint32_t ranks)
{
	uint64_t share = ((uint64_t)1 << 30) / ranks, least = (uint64_t)4 << 20,
	         most = (uint64_t)64 << 20;

	return share < least ? least : share > most ? most : share;
}

static void segment_fill(struct live *l)
{
	struct ticks ticks;

	l->head->simulator = (uint32_t)getpid();
	l->head->checks = l->o.checks;
	l->head->computation = l->o.computation == LIVE_NONE ? WIRE_COMPUTES_NOTHING
	                                                     : WIRE_MEASURED;
	if (l->head->computation == WIRE_MEASURED && ticks_start(&ticks))
		l->head->tick = ticks.ns;
	l->head->thread_cores = l->o.thread_cores;
	l->head->reading = l->o.reading;
	l->head->payload = payload_of(l->ranks);
	l->head->world = l->places = l->ranks - l->o.spare;
	l->head->universe = l->o.universe > l->head->world ? (int32_t)l->ranks : 0;
	wire_heap_init(&l->heap, l->head, l->ranks);
	for (uint32_t i = 0; i < l->ranks; i++) {
		l->rank[i].c = wire_channel(l->head, i);
		l->rank[i].head = l->head;
		l->rank[i].over = l->rank[i].spawned = i >= l->head->world;
	}
}

static uint64_t heap_of(uint32_t ranks, uint64_t gib)
{
	return (gib << 30) + ((uint64_t)16 << 20) * ranks;
}

/* As much again has to be free beside it, for stacks and data, unless `is_last`. */
static int memory_map(struct live *l, int is_last)
{
	uint64_t asked = is_last ? l->size : 2 * l->size;

	l->head = mmap(NULL, asked, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (l->head == MAP_FAILED)
		l->head = NULL;
	else if (asked > l->size)
		munmap((char *)l->head + l->size, asked - l->size);
	return l->head != NULL;
}

/* Only what is used takes memory, but a limit of addresses counts all of it. */
static int room_error(const struct live *l, const char *what, struct err *err)
{
	return errno == ENOMEM
	           ? err_nomem(err, what, l->size)
	           : err_sys(err, errno, "%s, %llu bytes", what, (unsigned long long)l->size);
}

/* Ranks of this process: no rings, and all use one channel, as one of them runs at a time. Less
 * under a limit, as below. */
static int memory_make(struct live *l, struct err *err)
{
	const uint64_t most = (uint64_t)1 << 42;
	uint64_t heap = 0;

	for (uint64_t gib = 4; !l->head && gib; gib /= 2) {
		heap = heap_of(l->ranks, gib);
		if (heap > most)
			heap = most;
		l->size = wire_size(1, heap);
		memory_map(l, gib == 1);
	}
	if (!l->head)
		return room_error(l, "messages of the ranks", err);
	wire_layout(l->head, 1, heap);
	l->head->ranks = l->ranks;
	l->head->stride = 0;
	segment_fill(l);
	return 0;
}

/* 0, with errno, if there is no room for so much. */
static int segment_map(struct live *l, uint64_t gib)
{
	l->size = wire_size(l->ranks, heap_of(l->ranks, gib));
	if (ftruncate(l->fd, (off_t)l->size) < 0)
		return 0;
	l->head = mmap(NULL, l->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, l->fd, 0);
	if (l->head == MAP_FAILED)
		l->head = NULL;
	return l->head != NULL;
}

/* Room for messages of some GB, as only what is used takes memory; less of it under a limit. */
int segment_make(struct live *l, struct err *err)
{
	uint64_t gib = 16;

	if (l->o.holding == LIVE_COROUTINES)
		return memory_make(l, err);
	l->fd = memfd_create("orrery-live", MFD_CLOEXEC);
	while (l->fd >= 0 && !segment_map(l, gib) && gib > 1)
		gib /= 2;
	if (!l->head)
		return room_error(l, "the memory that ranks share", err);
	wire_layout(l->head, l->ranks, heap_of(l->ranks, gib));
	segment_fill(l);
	names_fill(l);
	return 0;
}

/* Coroutines have one channel, which is of the one that runs. */
void segment_rates(struct live *l, uint32_t rank)
{
	const struct live_rates *from = &l->rank[rank].rates;
	struct wire_channel *c = l->rank[rank].c;

	c->volume = from->volume;
	c->work = from->work;
	c->takes = from->takes;
}

void segment_release(struct live *l)
{
	if (l->head)
		munmap(l->head, l->size);
	if (l->fd >= 0)
		close(l->fd);
}
