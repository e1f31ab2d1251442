/* callers.c: see callers.h. */
#include "callers.h"

#include <dlfcn.h>
#include <unwind.h>

struct walk {
	callers_see *see;
	void *self;
};

static int lies_in_a_file(uintptr_t address)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	struct dl_find_object found;

	return _dl_find_object((void *)(address - 1), &found) == 0;
#else
	return address != 0;
#endif
}

static _Unwind_Reason_Code frame_see(struct _Unwind_Context *c, void *self)
{
	const struct walk *w = self;
	uintptr_t a = _Unwind_GetIP(c);

	if (w->see(w->self, a) || !lies_in_a_file(a))
		return _URC_END_OF_STACK;
	return _URC_NO_REASON;
}

void callers_walk(callers_see *see, void *self)
{
	struct walk w = {see, self};

	_Unwind_Backtrace(frame_see, &w);
}

struct taken {
	void **at;
	int n, room;
};

static int take(void *self, uintptr_t address)
{
	struct taken *t = self;

	t->at[t->n++] = (void *)address;
	return t->n == t->room;
}

int callers_take(void **at, int n)
{
	struct taken t = {at, 0, n};

	if (n > 0)
		callers_walk(take, &t);
	return t.n;
}
