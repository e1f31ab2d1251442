/* site.c: from where the program calls. A front tells the return address of each call; that of a
 * library between the program and the front (Fortran's, C++'s, the tracer) is passed over: the
 * stack is unwound to who called that one. As a function calls from one place with a stack frame of
 * one size, what was found once is read next time where it lay (but for the tracer). */
#include <link.h>
#include <string.h>
#include <unwind.h>

#include "front.h"
#include "link.h"
#include "stack.h"

enum { LAYERS = 8, KNOWN = 64 };

struct range {
	uintptr_t from, to;
};
static struct {
	struct range layer[LAYERS], tracer;
	int n, found;
	struct {
		uintptr_t call, distance; /* from the front's frame to where its caller's return
		                             address lies */
	} known[KNOWN];
} sites;

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static int is_own(uintptr_t a)
{
	return a >= (uintptr_t)__ehdr_start && a < (uintptr_t)_end;
}

static int is_layer(uintptr_t a)
{
	for (int i = 0; i < sites.n; i++)
		if (a >= sites.layer[i].from && a < sites.layer[i].to)
			return 1;
	return 0;
}

/* Its wrappers are reached by several ways, of frames of several sizes: from C, from Fortran's
 * library, from the wrapper of the other name. */
static int is_tracer(uintptr_t a)
{
	return a >= sites.tracer.from && a < sites.tracer.to;
}

static int layer_see(struct dl_phdr_info *info, size_t size, void *self)
{
	static const char *const names[] = {"libmpichfort", "libmpi_mpifh",   "libmpi_usempi",
	                                    "libmpichcxx",  "libmpi_cxx",     "libmpifort",
	                                    "libmpicxx",    "liborrery-trace"};
	struct range r = {UINTPTR_MAX, 0};
	int wanted = 0;

	(void)size;
	(void)self;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		wanted |= info->dlpi_name && strstr(info->dlpi_name, names[i]) != NULL;
	for (int i = 0; wanted && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + p->p_vaddr < r.from)
			r.from = info->dlpi_addr + p->p_vaddr;
		if (info->dlpi_addr + p->p_vaddr + p->p_memsz > r.to)
			r.to = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if (r.to > r.from && sites.n < LAYERS)
		sites.layer[sites.n++] = r;
	if (r.to > r.from && strstr(info->dlpi_name, "liborrery-trace"))
		sites.tracer = r;
	return 0;
}

struct walk {
	uintptr_t site, at; /* found: the address, and where it lay */
	int beyond;         /* a layer was seen */
};

static _Unwind_Reason_Code frame_see(struct _Unwind_Context *c, void *self)
{
	struct walk *w = self;
	uintptr_t a = _Unwind_GetIP(c);

	if (is_layer(a))
		w->beyond = 1;
	if (!w->beyond || is_own(a) || is_layer(a))
		return _URC_NO_REASON;
	w->site = a;
	w->at = _Unwind_GetCFA(c) - sizeof(uintptr_t);
	return _URC_END_OF_STACK;
}

/* Of a call from a layer: who called the layer. */
static uintptr_t beyond(uintptr_t call, uintptr_t frame)
{
	size_t slot = (call >> 2) % KNOWN;
	struct walk w = {.site = call};

	if (sites.known[slot].call == call)
		return *(const uintptr_t *)(frame + sites.known[slot].distance);
	_Unwind_Backtrace(frame_see, &w);
#if defined(__x86_64__)
	if (!is_tracer(call) && w.at > frame && *(const uintptr_t *)w.at == w.site) {
		sites.known[slot].distance = w.at - frame;
		sites.known[slot].call = call;
	}
#endif
	return w.site;
}

static _Unwind_Reason_Code stack_see(struct _Unwind_Context *c, void *self)
{
	struct frames *f = self;
	uintptr_t a = _Unwind_GetIP(c);

	if (a && !is_own(a) && !is_layer(a))
		f->at[f->n++] = a;
	return f->n < STACK_DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void site_enter(const void *address, const void *frame)
{
	struct link *l = link_now;
	uintptr_t a = (uintptr_t)address;

	if (is_own(a))
		return;
	if (!sites.found) {
		sites.found = 1;
		dl_iterate_phdr(layer_see, NULL);
	}
	l->site = is_layer(a) ? beyond(a, (uintptr_t)frame) : a;
	l->begins = 1;
	if (l->head && l->head->checks && !l->hold) {
		struct frames f = {0};

		_Unwind_Backtrace(stack_see, &f);
		stack_is(&f);
	}
}
