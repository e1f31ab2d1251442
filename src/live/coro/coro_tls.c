/* coro_tls.c: thread-local storage of programs. The simulator's own program has no other than this
 * room, so that it is what lies beside the thread's pointer (processor.h). What a rank has in it is
 * copied when another one runs on the same thread. At the end that is away from the pointer is
 * whose thread this is. */
#include "coro_int.h"
#include "processor.h"

#include <string.h>

enum { TLS_ROOM = 256 << 10, TLS_OWN = 64 };

/* Aligned to no more than the head is where it lies above the pointer: it begins right there. */
static _Thread_local unsigned char room[TLS_ROOM]
    __attribute__((aligned(TLS_ABOVE ? TLS_HEAD : 64)));

unsigned char *coro_tls_now(const struct image *im)
{
	return TLS_ABOVE ? thread_pointer() + TLS_HEAD : thread_pointer() - im->tls;
}

struct coro **coro_tls_thread(void)
{
	return (struct coro **)(void *)(room + (TLS_ABOVE ? TLS_ROOM - TLS_OWN : 0));
}

int coro_tls_check(const struct image *im, struct err *err)
{
	uintptr_t from = (uintptr_t)room, to = (uintptr_t)thread_pointer();
	uintptr_t size = TLS_ABOVE ? TLS_ROOM : to - from;

	room[TLS_OWN] = 0;
	return im->tls + TLS_OWN <= size && size < TLS_ROOM + 4096 &&
	               (!TLS_ABOVE || from == to + TLS_HEAD)
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "%s has %llu bytes of thread-local variables, more than the %d that "
	                     "there is room for (--hold processes has no such limit)",
	                     im->module[0].path, (unsigned long long)im->tls, TLS_ROOM - TLS_OWN);
}

/* A module's among those of all: they follow each other from the pointer on. */
static uint64_t place(const struct image *im, const struct module *m)
{
	return TLS_ABOVE ? m->tls_at - TLS_HEAD : im->tls + m->tls_at;
}

void coro_tls_fill(const struct coros *c, uint32_t slot, uint32_t from, uint32_t n,
                   unsigned char *to)
{
	for (uint32_t i = from; i < from + n; i++) {
		const struct module *m = &c->image.module[i];

		if (m->tls_file)
			memcpy(to + place(&c->image, m),
			       slot_address(&c->image, slot, m, m->tls_from), m->tls_file);
	}
}

void coro_tls_begin(const struct coros *c, uint32_t slot, uint32_t from, uint32_t n)
{
	coro_tls_fill(c, slot, from, n, coro_tls_now(&c->image));
}

int coro_tls_grow(struct coros *c, struct err *err)
{
	uint64_t more = c->image.tls - c->tls;

	if (coro_tls_check(&c->image, err) < 0)
		return -1;
	for (uint32_t i = 0; more && i < c->o.ranks; i++) {
		struct coro *r = &c->coro[i];
		unsigned char *p = r->phase == CORO_LIVES ? calloc(1, c->image.tls) : NULL;

		if (r->phase != CORO_LIVES)
			continue;
		if (!p)
			return err_nomem(err, "thread-local variables", c->image.tls);
		if (r->tls)
			memcpy(p + (TLS_ABOVE ? 0 : more), r->tls, c->tls);
		free(r->tls);
		r->tls = p;
	}
	c->tls = c->image.tls;
	return 0;
}
