/* wire.c: the segment that the simulator and the ranks share: its layout, its heap, its rings, its
 * futexes. Compiled into both sides. */
#include "wire.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

static uint64_t up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* --- layout --- */

static uint64_t channels_at(void)
{
	return up(sizeof(struct wire_head), PAGE);
}

static uint64_t bells_at(uint32_t ranks)
{
	return channels_at() + ranks * up(sizeof(struct wire_channel), PAGE) +
	       up((uint64_t)WIRE_CLASSES * 8, WIRE_LINE);
}

static uint64_t hosts_at(uint32_t ranks)
{
	return bells_at(ranks) + up(ranks, WIRE_GROUP) / WIRE_GROUP * WIRE_LINE;
}

static uint64_t heap_at(uint32_t ranks)
{
	return up(hosts_at(ranks) + ranks * ((uint64_t)4 + WIRE_NAME), PAGE);
}

uint64_t wire_size(uint32_t ranks, uint64_t heap)
{
	return heap_at(ranks) + up(heap, PAGE);
}

void wire_layout(struct wire_head *h, uint32_t ranks, uint64_t heap)
{
	h->magic = WIRE_MAGIC;
	h->version = WIRE_VERSION;
	h->ranks = h->world = ranks;
	h->channels = channels_at();
	h->stride = up(sizeof(struct wire_channel), PAGE);
	h->freed = h->channels + ranks * h->stride;
	h->bells = bells_at(ranks);
	h->hosts = hosts_at(ranks);
	h->names = h->hosts + (uint64_t)4 * ranks;
	h->heap = heap_at(ranks);
	h->heap_end = h->heap + up(heap, PAGE);
	atomic_store(&h->heap_top, h->heap);
}

/* --- heap: free lists by class; what others give back comes as one list --- */

void wire_heap_init(struct wire_heap *heap, struct wire_head *h, uint32_t owner)
{
	*heap = (struct wire_heap){.head = h, .owner = owner};
	heap->freed = owner < h->ranks ? wire_channel(h, owner)->freed : wire_at(h, h->freed);
}

static uint32_t class_of(uint64_t bytes)
{
	uint64_t size = bytes + sizeof(struct wire_block);
	uint32_t bits = size <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(size - 1);

	return bits <= WIRE_CLASS_FIRST ? 0 : bits - WIRE_CLASS_FIRST;
}

/* What a rank says is one, which may be anything: of the heap, with a class. */
static int is_block(const struct wire_head *h, uint64_t block)
{
	return block >= h->heap + sizeof(struct wire_block) && block < h->heap_end &&
	       block % sizeof(uint64_t) == 0 && wire_block(h, block)->class < WIRE_CLASSES;
}

int wire_block_holds(const struct wire_head *h, uint64_t block, uint64_t bytes)
{
	uint64_t room;

	if (!is_block(h, block))
		return 0;
	room = ((uint64_t)1 << (wire_block(h, block)->class + WIRE_CLASS_FIRST)) -
	       sizeof(struct wire_block);
	return bytes <= room && bytes <= h->heap_end - block;
}

static uint64_t fresh(struct wire_heap *heap, uint32_t class)
{
	struct wire_head *h = heap->head;
	uint64_t size = (uint64_t)1 << (class + WIRE_CLASS_FIRST), at;

	at = atomic_fetch_add(&h->heap_top, size);
	if (at + size > h->heap_end || at + size < at) {
		atomic_fetch_sub(&h->heap_top, size);
		return 0;
	}
	return at + sizeof(struct wire_block);
}

static void returned_take(struct wire_heap *heap, uint32_t class)
{
	uint64_t block = atomic_exchange(&heap->freed[class], 0);

	heap->free[class] = is_block(heap->head, block) ? block : 0;
	for (; is_block(heap->head, block);
	     block =
	         atomic_load_explicit(&wire_block(heap->head, block)->next, memory_order_relaxed))
		heap->out -= (uint64_t)1 << (class + WIRE_CLASS_FIRST);
}

uint64_t wire_block_new(struct wire_heap *heap, uint64_t bytes)
{
	uint32_t class = class_of(bytes);
	uint64_t block, size;
	struct wire_block *b;

	if (class >= WIRE_CLASSES)
		return 0;
	size = (uint64_t)1 << (class + WIRE_CLASS_FIRST);
	if (!heap->free[class])
		returned_take(heap, class);
	block = heap->free[class];
	if (block) {
		uint64_t next;

		b = wire_block(heap->head, block);
		next = atomic_load_explicit(&b->next, memory_order_relaxed);
		heap->free[class] = is_block(heap->head, next) ? next : 0;
	} else {
		block = fresh(heap, class);
		if (!block)
			return 0;
		b = wire_block(heap->head, block);
		b->owner = heap->owner;
		b->class = class;
	}
	b->sparse = 0;
	atomic_store_explicit(&b->more, 0, memory_order_relaxed);
	heap->out += size;
	return block;
}

static _Atomic uint64_t *returns_of(const struct wire_head *h, const struct wire_block *b)
{
	return b->owner < h->ranks ? &wire_channel(h, b->owner)->freed[b->class]
	                           : (_Atomic uint64_t *)wire_at(h, h->freed) + b->class;
}

void wire_block_share(const struct wire_head *h, uint64_t block)
{
	atomic_fetch_add_explicit(&wire_block(h, block)->more, 1, memory_order_relaxed);
}

/* Whoever comes last may write it again: all that the others have read is behind it then. */
static int is_last_owner(struct wire_block *b)
{
	return atomic_load_explicit(&b->more, memory_order_acquire) == 0 ||
	       atomic_fetch_sub_explicit(&b->more, 1, memory_order_acq_rel) == 0;
}

void wire_block_free(struct wire_heap *heap, uint64_t block)
{
	struct wire_block *b;
	_Atomic uint64_t *list;
	uint64_t first;

	if (!is_block(heap->head, block))
		return;
	b = wire_block(heap->head, block);
	if (!is_last_owner(b))
		return;
	if (b->owner == heap->owner) {
		atomic_store_explicit(&b->next, heap->free[b->class], memory_order_relaxed);
		heap->free[b->class] = block;
		heap->out -= (uint64_t)1 << (b->class + WIRE_CLASS_FIRST);
		return;
	}
	list = returns_of(heap->head, b);
	first = atomic_load(list);
	do
		atomic_store_explicit(&b->next, first, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(list, &first, block));
}

/* --- rings --- */

struct wire_op *wire_op_room(struct wire_channel *c, uint64_t *at, uint32_t size)
{
	uint64_t head = *at, tail = atomic_load_explicit(&c->tail, memory_order_acquire);
	uint32_t place = (uint32_t)(head % WIRE_RING), rest = WIRE_RING - place;
	uint32_t skip = rest < size ? rest : 0;
	struct wire_op *op;

	if (head + skip + size - tail > WIRE_RING)
		return NULL;
	if (skip) {
		op = (void *)(c->ring + place);
		op->size = skip;
		op->kind = WIRE_SKIP;
		place = 0;
		*at += skip;
	}
	op = (void *)(c->ring + place);
	*at += size;
	return op;
}

/* It lies within what was written, in one piece. */
static int is_whole(const struct wire_op *op, uint64_t tail, uint64_t head)
{
	uint64_t rest = WIRE_RING - tail % WIRE_RING,
	         least = op->kind == WIRE_SKIP ? 1 : sizeof *op;

	return op->size >= least && op->size % sizeof(uint64_t) == 0 && op->size <= rest &&
	       op->size <= head - tail;
}

const struct wire_op *wire_op_next(struct wire_channel *c)
{
	static const struct wire_op broken = {.size = sizeof broken, .kind = WIRE_KINDS};
	uint64_t head = atomic_load_explicit(&c->head, memory_order_acquire),
	         tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
	const struct wire_op *op;

	while (tail < head) {
		op = (const void *)(c->ring + tail % WIRE_RING);
		if (!is_whole(op, tail, head))
			return &broken;
		if (op->kind != WIRE_SKIP)
			return op;
		tail += op->size;
		atomic_store_explicit(&c->tail, tail, memory_order_release);
	}
	return NULL;
}

void wire_op_done(struct wire_channel *c, const struct wire_op *op)
{
	atomic_store_explicit(&c->tail,
	                      atomic_load_explicit(&c->tail, memory_order_relaxed) + op->size,
	                      memory_order_release);
}

/* --- futexes: shared ones, as the processes have no memory but this in common --- */

int wire_wait(_Atomic uint32_t *word, uint32_t value, double seconds)
{
	struct timespec t = {.tv_sec = (time_t)seconds,
	                     .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

	if (atomic_load(word) != value)
		return 0;
	if (syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0) < 0 && errno != EAGAIN &&
	    errno != EINTR)
		return -1;
	return atomic_load(word) != value ? 0 : -1;
}

void wire_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int wire_rest(_Atomic uint32_t *bell, uint32_t rank, uint32_t seen, const struct timespec *until)
{
	return syscall(SYS_futex, bell, FUTEX_WAIT_BITSET, seen, until, NULL,
	               wire_group_bit(rank)) < 0 &&
	               errno == ETIMEDOUT
	           ? -1
	           : 0;
}

void wire_ring(_Atomic uint32_t *bell, uint32_t mask)
{
	atomic_fetch_add(bell, 1);
	syscall(SYS_futex, bell, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, mask);
}
