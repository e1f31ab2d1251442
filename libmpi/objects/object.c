/* object.c: handles, references, integers of handles, names. */
#include "object.h"

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "errors.h"
#include "local.h"

static struct orr_local first = {.mutex = PTHREAD_MUTEX_INITIALIZER};
struct orr_local *orr_local_now = &first;

void orr_lock(void)
{
	pthread_mutex_lock(&orr_local()->mutex);
}

void orr_unlock(void)
{
	pthread_mutex_unlock(&orr_local()->mutex);
}

/* --- tables --- */

struct orr_slots {
	struct orr_slots *older;
	int32_t room;
	void *at[]; /* objects; odd: free, and the next free one */
};

static int table_grow(struct orr_table *t)
{
	struct orr_slots *old = t->slots;
	int32_t room = old ? 2 * old->room : 8;
	struct orr_slots *s = calloc(1, sizeof *s + (size_t)room * sizeof s->at[0]);
	if (!s)
		return -1;
	s->room = room;
	s->older = old;
	if (old)
		memcpy(s->at, old->at, (size_t)old->room * sizeof s->at[0]);
	else
		t->free = -1;
	t->slots = s;
	return 0;
}

/* With the lock held. */
static int32_t slot_new(struct orr_table *t, void *object)
{
	if ((!t->slots || (t->free < 0 && t->n == t->slots->room)) && table_grow(t))
		return -1;
	int32_t slot = t->free;
	if (slot >= 0)
		t->free = (int32_t)(uint32_t)((uintptr_t)t->slots->at[slot] >> 1);
	else
		slot = t->n++;
	t->slots->at[slot] = object;
	return slot;
}

static void slot_free(struct orr_table *t, int32_t slot)
{
	t->slots->at[slot] = (void *)((uintptr_t)(uint32_t)t->free << 1 | 1);
	t->free = slot;
}

void orr_table_end(struct orr_table *t)
{
	struct orr_slots *s = t->slots;
	while (s) {
		struct orr_slots *older = s->older;
		free(s);
		s = older;
	}
	t->slots = NULL;
	t->n = 0;
}

static struct orr_object *slot_at(const struct orr_table *t, uintptr_t slot)
{
	const struct orr_slots *s = t->slots;
	if (!s || slot >= (uintptr_t)s->room || ((uintptr_t)s->at[slot] & 1))
		return NULL;
	return s->at[slot];
}

struct orr_object *orr_table_at(const struct orr_table *t, int32_t slot)
{
	return slot_at(t, (uintptr_t)slot);
}

/* Where the object of a predefined handle is written down; NULL: nowhere. */
static void **predefined_at(const struct orr_local *l, uintptr_t value)
{
	if (value - ORR_OWN_FIRST < ORR_OWN)
		return (void **)(uintptr_t)&l->own[value - ORR_OWN_FIRST];
	if (value == (uintptr_t)MPI_INFO_ENV)
		return (void **)(uintptr_t)&l->environment;
	return l->predefined ? &l->predefined[value] : NULL;
}

void *orr_object(enum orr_kind kind, const void *handle)
{
	uintptr_t value = (uintptr_t)handle;
	const struct orr_local *l = orr_local();
	struct orr_object *o;
	if (value < ORR_HANDLES) {
		void **at = predefined_at(l, value);
		if (value == (uintptr_t)MPI_INFO_ENV && l->started && !l->environment)
			orr_infos_start(); /* it says what many never ask */
		o = at ? *at : NULL;
	} else {
		o = slot_at(&l->table[kind], value - ORR_HANDLES);
	}
	return o && o->kind == kind ? o : NULL;
}

void *orr_handle(const void *object)
{
	return (void *)(uintptr_t)((const struct orr_object *)object)->handle;
}

static int handle_give(struct orr_object *o)
{
	int32_t slot = slot_new(&orr_local()->table[o->kind], o);
	if (slot < 0)
		return -1;
	o->handle = (uint32_t)ORR_HANDLES + (uint32_t)slot;
	return 0;
}

static void handle_take(struct orr_object *o)
{
	if (o->handle >= ORR_HANDLES)
		slot_free(&orr_local()->table[o->kind], (int32_t)(o->handle - ORR_HANDLES));
	else if (o->handle)
		*predefined_at(orr_local(), o->handle) = NULL;
	o->handle = 0;
}

void *orr_object_new(enum orr_kind kind, size_t size)
{
	struct orr_object *o = calloc(1, size);
	if (!o)
		return NULL;
	o->kind = kind;
	o->refs = o->shown = 1;
	o->site = orr_core_site();
	orr_lock();
	int failed = handle_give(o);
	orr_unlock();
	if (failed) {
		free(o);
		return NULL;
	}
	return o;
}

void *orr_handle_show(void *object)
{
	struct orr_object *o = object;
	orr_lock();
	int failed = !o->handle && handle_give(o);
	if (!failed) {
		o->refs++;
		o->shown++;
		o->site = orr_core_site();
	}
	orr_unlock();
	return failed ? NULL : orr_handle(o);
}

uint32_t orr_handle_hide(void *object)
{
	struct orr_object *o = object;
	orr_lock();
	uint32_t left = o->shown ? --o->shown : 0;
	if (!left)
		handle_take(o);
	orr_unlock();
	return left;
}

void *orr_object_keep(void *object)
{
	((struct orr_object *)object)->refs++;
	return object;
}

int orr_object_drop(void *object)
{
	struct orr_object *o = object;
	if (--o->refs > 0)
		return 0;
	orr_lock();
	handle_take(o);
	orr_unlock();
	if (o->handler)
		orr_errhandler_drop(o->handler);
	if (o->info)
		orr_info_drop(o->info);
	free(o->name);
	return 1;
}

void orr_object_end(void *object)
{
	((struct orr_object *)object)->kind = ORR_NONE;
	free(object);
}

void orr_predefine(uint32_t constant, void *object)
{
	struct orr_object *o = object;
	orr_lock();
	handle_take(o);
	orr_unlock();
	o->handle = constant;
	*predefined_at(orr_local(), constant) = object;
}

void *orr_handle_null(enum orr_kind kind)
{
	switch (kind) {
	case ORR_TYPE:
		return MPI_DATATYPE_NULL;
	case ORR_OP:
		return MPI_OP_NULL;
	case ORR_GROUP:
		return MPI_GROUP_NULL;
	case ORR_INFO:
		return MPI_INFO_NULL;
	case ORR_ERRHANDLER:
		return MPI_ERRHANDLER_NULL;
	case ORR_REQUEST:
		return MPI_REQUEST_NULL;
	case ORR_WIN:
		return MPI_WIN_NULL;
	case ORR_FILE:
		return MPI_FILE_NULL;
	case ORR_MESSAGE:
		return MPI_MESSAGE_NULL;
	case ORR_SESSION:
		return MPI_SESSION_NULL;
	default:
		return MPI_COMM_NULL;
	}
}

/* --- names --- */

int orr_name_set(struct orr_object *o, const char *name)
{
	char *copy = strndup(name, MPI_MAX_OBJECT_NAME - 1);
	if (!copy)
		return MPI_ERR_NO_MEM;
	free(o->name);
	o->name = copy;
	return MPI_SUCCESS;
}

void orr_name_get(const struct orr_object *o, const char *otherwise, char *name, int *length)
{
	const char *from = o->name ? o->name : otherwise;
	size_t n = strnlen(from, MPI_MAX_OBJECT_NAME - 1);
	memcpy(name, from, n);
	name[n] = 0;
	*length = (int)n;
}
