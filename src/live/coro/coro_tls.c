/* coro_tls.c: thread-local storage of programs. The simulator's own program has no other than this
 * room, so that it is what lies below the thread's pointer; the ranks' end where the room ends.
 * What a rank has in it is copied when another one runs on the same thread. At its beginning is
 * whose thread this is. */
#include "coro_int.h"

#include <string.h>

enum { TLS_ROOM = 256 << 10, TLS_OWN = 64 };

static _Thread_local unsigned char room[TLS_ROOM] __attribute__((aligned(64)));

unsigned char *coro_tls_end(void)
{
	return __builtin_thread_pointer();
}

struct coro **coro_tls_thread(void)
{
	return (struct coro **)(void *)room;
}

int coro_tls_check(const struct image *im, struct err *err)
{
	uintptr_t end = (uintptr_t)coro_tls_end(), size = end - (uintptr_t)room;

	room[TLS_OWN] = 0;
	return im->tls + TLS_OWN <= size && size < TLS_ROOM + 4096
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "%s has %llu bytes of thread-local variables, more than the %d that "
	                     "there is room for (--hold processes has no such limit)",
	                     im->module[0].path, (unsigned long long)im->tls, TLS_ROOM - TLS_OWN);
}

/* Of modules, from this one on, into what ends at `end`. */
void coro_tls_fill(const struct coros *c, uint32_t slot, uint32_t from, uint32_t n,
                   unsigned char *end)
{
	for (uint32_t i = from; i < from + n; i++) {
		const struct module *m = &c->image.module[i];

		if (m->tls_file)
			memcpy(end - m->tls_at, slot_address(&c->image, slot, m, m->tls_from),
			       m->tls_file);
	}
}

void coro_tls_begin(const struct coros *c, uint32_t slot, uint32_t from, uint32_t n)
{
	coro_tls_fill(c, slot, from, n, coro_tls_end());
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
			memcpy(p + more, r->tls, c->tls);
		free(r->tls);
		r->tls = p;
	}
	c->tls = c->image.tls;
	return 0;
}
