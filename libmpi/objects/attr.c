/* attr.c: keyvals, and attributes of communicators, types and windows. */
#include "attr.h"

#include <stdlib.h>

#include "front.h"
#include "local.h"
#include "orr_mpi.h"

struct keyval {
	uint32_t refs;
	int id;
	uint8_t kind; /* enum orr_kind */
	uint8_t freed;
	void *copy, *remove; /* tokens of the front: 0: null, 1: duplicate */
	void *extra;
};
struct orr_keyvals {
	struct keyval **at;
	int n;
};
/* One attribute. value: what was set; the object keeps both widths, because C gets a pointer to
 * what Fortran has set. */
struct orr_attr {
	struct orr_attr *next;
	struct keyval *key; /* NULL: predefined */
	int id;
	enum orr_language language;
	int small;
	intptr_t value;
};

static enum attr_kind front_kind(uint32_t kind)
{
	return kind == ORR_COMM ? ATTR_COMM : kind == ORR_TYPE ? ATTR_TYPE : ATTR_WIN;
}

static int error_of(enum orr_kind kind)
{
	return kind == ORR_COMM ? MPI_ERR_COMM : kind == ORR_TYPE ? MPI_ERR_TYPE : MPI_ERR_WIN;
}

/* --- keyvals --- */

static struct keyval *keyval_find(int id, enum orr_kind kind)
{
	const struct orr_keyvals *all = orr_local()->keyvals;
	int slot = id - ORR_HANDLES;
	if (!all || slot < 0 || slot >= all->n)
		return NULL;
	struct keyval *k = all->at[slot];
	return k && k->kind == kind ? k
	                            : NULL; /* freed ones live as long as attributes have them */
}

static void keyval_drop(struct keyval *k)
{
	if (--k->refs)
		return;
	orr_local()->keyvals->at[k->id - ORR_HANDLES] = NULL;
	free(k);
}

static int keyval_slot(struct orr_keyvals **all)
{
	if (!*all)
		*all = calloc(1, sizeof **all);
	if (!*all)
		return -1;
	int slot = 0;
	while (slot < (*all)->n && (*all)->at[slot])
		slot++;
	if (slot < (*all)->n)
		return slot;
	struct keyval **at = realloc((*all)->at, ((size_t)slot + 1) * sizeof(struct keyval *));
	if (!at)
		return -1;
	at[slot] = NULL;
	(*all)->at = at;
	(*all)->n = slot + 1;
	return slot;
}

static int keyval_create(enum orr_kind kind, void *copy, void *remove, int *id, void *extra)
{
	struct keyval *k = calloc(1, sizeof *k);
	orr_lock();
	int slot = k ? keyval_slot(&orr_local()->keyvals) : -1;
	if (slot >= 0) {
		*k = (struct keyval){.refs = 1,
		                     .id = ORR_HANDLES + slot,
		                     .kind = (uint8_t)kind,
		                     .copy = copy,
		                     .remove = remove,
		                     .extra = extra};
		orr_local()->keyvals->at[slot] = k;
		*id = k->id;
	}
	orr_unlock();
	if (slot >= 0)
		return MPI_SUCCESS;
	free(k);
	return MPI_ERR_NO_MEM;
}

static int keyval_free(enum orr_kind kind, int *id)
{
	struct keyval *k = id ? keyval_find(*id, kind) : NULL;
	if (!k)
		return MPI_ERR_KEYVAL;
	if (!k->freed) {
		k->freed = 1;
		keyval_drop(k);
	}
	*id = MPI_KEYVAL_INVALID;
	return MPI_SUCCESS;
}

/* --- attributes --- */

static struct orr_attr *attr_find(const struct orr_object *o, int id)
{
	struct orr_attr *a = o->attrs;
	while (a && a->id != id)
		a = a->next;
	return a;
}

static void attr_unlink(struct orr_object *o, struct orr_attr *a)
{
	struct orr_attr **p = &o->attrs;
	while (*p && *p != a)
		p = &(*p)->next;
	if (!*p)
		return; /* its own callback has taken it out */
	*p = a->next;
	if (a->key)
		keyval_drop(a->key);
	free(a);
}

static int call_remove(struct orr_object *o, struct orr_attr *a)
{
	if (!a->key || !a->key->remove)
		return MPI_SUCCESS;
	return front_call_delete_attr(front_kind(o->kind), a->key->remove, orr_handle(o), a->id,
	                              (void *)a->value, a->key->extra);
}

static int attr_add(struct orr_object *o, struct keyval *k, int id, enum orr_language language,
                    intptr_t value)
{
	struct orr_attr *a = malloc(sizeof *a);
	if (!a)
		return MPI_ERR_NO_MEM;
	*a = (struct orr_attr){o->attrs, k, id, language, (int)value, value};
	if (k)
		k->refs++;
	o->attrs = a;
	return MPI_SUCCESS;
}

int orr_attr_predefined(struct orr_object *o, int keyval, const void *place)
{
	return attr_add(o, NULL, keyval, ORR_C, (intptr_t)place);
}

int orr_attr_set(enum orr_kind kind, const void *handle, int keyval, enum orr_language language,
                 intptr_t value)
{
	struct orr_object *o = orr_object(kind, handle);
	struct keyval *k = keyval_find(keyval, kind);
	if (!o || !k)
		return o ? MPI_ERR_KEYVAL : error_of(kind);
	struct orr_attr *a = attr_find(o, keyval);
	if (!a)
		return attr_add(o, k, keyval, language, value);
	/* As if it were deleted, then set (MPI 4.0, 7.7.2): it is the last one from here on. */
	int code = call_remove(o, a);
	if (code)
		return code;
	k->refs++;
	attr_unlink(o, a);
	code = attr_add(o, k, keyval, language, value);
	keyval_drop(k);
	return code;
}

/* Predefined attributes point to integers: their value, in Fortran, is the integer. */
static intptr_t predefined_value(const struct orr_attr *a)
{
	if (a->id == MPI_WIN_BASE)
		return a->value;
	if (a->id == MPI_WIN_SIZE)
		return *(const MPI_Aint *)a->value;
	return *(const int *)a->value;
}

static intptr_t value_for(struct orr_attr *a, enum orr_language language)
{
	if (language == ORR_C && a->language == ORR_FORTRAN)
		return (intptr_t)&a->value;
	if (language == ORR_C && a->language == ORR_FORTRAN77)
		return (intptr_t)&a->small;
	if (language != ORR_C && !a->key)
		return predefined_value(a);
	return language == ORR_FORTRAN77 ? (int)a->value : a->value;
}

/* What the world's communicators have predefined, all have, but where there is no world: a program
 * of sessions alone has MPI_TAG_UB (MPI 4.0, 9.1.2). */
static int is_there(int keyval)
{
	int world = 0;
	return keyval == MPI_TAG_UB || (orr_Initialized(&world) == MPI_SUCCESS && world);
}

int orr_attr_get(enum orr_kind kind, const void *handle, int keyval, enum orr_language language,
                 intptr_t *value, int *flag)
{
	const struct orr_object *o = orr_object(kind, handle);
	if (!o)
		return error_of(kind);
	int known = kind == ORR_COMM  ? keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE
	            : kind == ORR_WIN ? keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL
	                              : 0;
	if (!known && !keyval_find(keyval, kind))
		return MPI_ERR_KEYVAL;
	struct orr_attr *a = attr_find(o, keyval);
	if (!a && known && kind == ORR_COMM && is_there(keyval))
		a = attr_find(orr_object(ORR_COMM, MPI_COMM_WORLD), keyval);
	*flag = a != NULL;
	if (a)
		*value = value_for(a, language);
	return MPI_SUCCESS;
}

static int get_c(enum orr_kind kind, const void *handle, int keyval, void *to, int *flag)
{
	intptr_t value;
	int code = orr_attr_get(kind, handle, keyval, ORR_C, &value, flag);
	if (!code && *flag)
		*(void **)to = (void *)value;
	return code;
}

static int delete_one(enum orr_kind kind, const void *handle, int keyval)
{
	struct orr_object *o = orr_object(kind, handle);
	if (!o || !keyval_find(keyval, kind))
		return o ? MPI_ERR_KEYVAL : error_of(kind);
	struct orr_attr *a = attr_find(o, keyval);
	if (!a) /* erroneous is a key that is none alone (MPI 4.0, 7.7.2) */
		return MPI_SUCCESS;
	int code = call_remove(o, a);
	if (!code)
		attr_unlink(o, a);
	return code;
}

int orr_attrs_delete(struct orr_object *o)
{
	while (o->attrs) {
		struct orr_attr *a = o->attrs;
		int code = call_remove(o, a);
		if (code)
			return code;
		attr_unlink(o, a);
	}
	return MPI_SUCCESS;
}

static int copy_one(struct orr_object *from, struct orr_object *to, const struct orr_attr *a)
{
	void *value = (void *)a->value;
	int flag = a->key->copy == (void *)1, code = MPI_SUCCESS;
	if ((uintptr_t)a->key->copy > 1)
		code = front_call_copy_attr(front_kind(from->kind), a->key->copy, orr_handle(from),
		                            a->id, a->key->extra, (void *)a->value, (void *)&value,
		                            &flag);
	if (code || !flag)
		return code;
	return attr_add(to, a->key, a->id, a->language, (intptr_t)value);
}

/* In the order in which they were set: the list is the other way round. */
static int copy_from(struct orr_object *from, struct orr_object *to, const struct orr_attr *a)
{
	if (!a)
		return MPI_SUCCESS;
	int code = copy_from(from, to, a->next);
	return code || !a->key ? code : copy_one(from, to, a);
}

int orr_attrs_copy(struct orr_object *from, struct orr_object *to)
{
	int code = copy_from(from, to, from->attrs);
	if (code)
		orr_attrs_delete(to);
	return code;
}

void orr_attrs_end(void)
{
	struct orr_keyvals *all = orr_local()->keyvals;
	if (!all)
		return;
	for (int i = 0; i < all->n; i++)
		free(all->at[i]);
	free(all->at);
	free(all);
	orr_local()->keyvals = NULL;
}

/* --- the functions of MPI --- */

int orr_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
                           MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval,
                           void *extra_state)
{
	return keyval_create(ORR_COMM, (void *)comm_copy_attr_fn, (void *)comm_delete_attr_fn,
	                     comm_keyval, extra_state);
}

int orr_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
                           MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval,
                           void *extra_state)
{
	return keyval_create(ORR_TYPE, (void *)type_copy_attr_fn, (void *)type_delete_attr_fn,
	                     type_keyval, extra_state);
}

int orr_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
                          MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval,
                          void *extra_state)
{
	return keyval_create(ORR_WIN, (void *)win_copy_attr_fn, (void *)win_delete_attr_fn,
	                     win_keyval, extra_state);
}

int orr_Comm_free_keyval(int *comm_keyval)
{
	return keyval_free(ORR_COMM, comm_keyval);
}

int orr_Type_free_keyval(int *type_keyval)
{
	return keyval_free(ORR_TYPE, type_keyval);
}

int orr_Win_free_keyval(int *win_keyval)
{
	return keyval_free(ORR_WIN, win_keyval);
}

int orr_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
	return orr_attr_set(ORR_COMM, comm, comm_keyval, ORR_C, (intptr_t)attribute_val);
}

int orr_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
	return orr_attr_set(ORR_TYPE, datatype, type_keyval, ORR_C, (intptr_t)attribute_val);
}

int orr_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
	return orr_attr_set(ORR_WIN, win, win_keyval, ORR_C, (intptr_t)attribute_val);
}

int orr_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
	return get_c(ORR_COMM, comm, comm_keyval, attribute_val, flag);
}

int orr_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag)
{
	return get_c(ORR_TYPE, datatype, type_keyval, attribute_val, flag);
}

int orr_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag)
{
	return get_c(ORR_WIN, win, win_keyval, attribute_val, flag);
}

int orr_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
	return delete_one(ORR_COMM, comm, comm_keyval);
}

int orr_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
	return delete_one(ORR_TYPE, datatype, type_keyval);
}

int orr_Win_delete_attr(MPI_Win win, int win_keyval)
{
	return delete_one(ORR_WIN, win, win_keyval);
}
