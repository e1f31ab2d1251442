/* left.c: objects that the program never freed. Those that only other objects hold are no fault of
 * its: the groups of a communicator, infos that were copied. Predefined ones are not in the tables.
 */
#include "comm.h"
#include "info.h"
#include "type.h"

static void inner_add(void *object, uint32_t n)
{
	if (object)
		((struct orr_object *)object)->inner += n;
}

/* What this object holds. */
static void holdings_see(struct orr_object *o)
{
	struct orr_comm *c = (struct orr_comm *)o;

	inner_add(o->info, 1);
	inner_add(o->handler, 1);
	if (o->kind != ORR_COMM)
		return;
	inner_add(c->local, 1);
	inner_add(c->remote, 1);
}

static void each(void (*see)(struct orr_object *o, void *self), void *self)
{
	const struct orr_local *l = orr_local();

	for (int k = 0; k < ORR_KINDS; k++)
		for (int32_t i = 0; i < l->table[k].n; i++) {
			struct orr_object *o = orr_table_at(&l->table[k], i);

			if (o)
				see(o, self);
		}
}

static void clear(struct orr_object *o, void *self)
{
	(void)self;
	o->inner = 0;
}

static void hold(struct orr_object *o, void *self)
{
	(void)self;
	holdings_see(o);
}

struct list {
	struct orr_left *out;
	int room, n;
};

static void take(struct orr_object *o, void *self)
{
	struct list *l = self;
	int i = 0;

	if (o->shown == 0 || o->handle < ORR_HANDLES || o->inner >= o->refs ||
	    (o->kind == ORR_TYPE && ((struct orr_type *)o)->f90))
		return;
	while (i < l->n && (l->out[i].site != o->site || l->out[i].kind != o->kind))
		i++;
	if (i == l->n && l->n == l->room)
		return;
	if (i == l->n)
		l->out[l->n++] = (struct orr_left){.site = o->site, .kind = o->kind};
	l->out[i].n++;
}

int orr_objects_left(struct orr_left *out, int room)
{
	const struct orr_local *l = orr_local();
	struct list list = {.out = out, .room = room};

	orr_lock();
	each(clear, NULL);
	each(hold, NULL);
	for (int i = 0; i < ORR_OWN; i++)
		if (l->own[i])
			holdings_see(l->own[i]);
	each(take, &list);
	orr_unlock();
	return list.n;
}
