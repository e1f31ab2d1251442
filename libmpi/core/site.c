/* site.c: from where the program calls. A front tells the return address of each call; that of a
 * library between the program and the front (Fortran's, C++'s, the tracer) is passed over: the
 * stack is unwound to who called that one. As a function calls from one place with a stack frame of
 * one size, what was found once is read next time where it lay; the tracer says who called it. */
#include <link.h>
#include <string.h>
#include <unwind.h>

#include "base/callers.h"
#include "front.h"
#include "link_int.h"
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

/* Ranges and calls that are known are the same for all ranks that share this library. */
static uintptr_t within(uintptr_t a)
{
	return link_now->hold ? link_now->hold->within(a) : a;
}

static int is_layer(uintptr_t a)
{
	uintptr_t place = sites.n ? within(a) : 0;

	for (int i = 0; i < sites.n; i++)
		if (place >= sites.layer[i].from && place < sites.layer[i].to)
			return 1;
	return 0;
}

/* Its wrappers are reached by several ways, of frames of several sizes: from C, from Fortran's
 * library, from the wrapper of the other name. */
static int is_tracer(uintptr_t a)
{
	return within(a) >= sites.tracer.from && within(a) < sites.tracer.to;
}

static void file_see(void *self, const char *path, uintptr_t from, uintptr_t to)
{
	static const char *const names[] = {"libmpichfort", "libmpi_mpifh",   "libmpi_usempi",
	                                    "libmpichcxx",  "libmpi_cxx",     "libmpifort",
	                                    "libmpicxx",    "liborrery-trace"};
	int wanted = 0;

	(void)self;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		wanted |= strstr(path, names[i]) != NULL;
	if (!wanted)
		return;
	if (sites.n < LAYERS)
		sites.layer[sites.n++] = (struct range){from, to};
	if (strstr(path, "liborrery-trace"))
		sites.tracer = (struct range){from, to};
}

static int library_see(struct dl_phdr_info *info, size_t size, void *self)
{
	uintptr_t from = UINTPTR_MAX, to = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + p->p_vaddr < from)
			from = info->dlpi_addr + p->p_vaddr;
		if (info->dlpi_addr + p->p_vaddr + p->p_memsz > to)
			to = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if (info->dlpi_name && to > from)
		file_see(self, info->dlpi_name, from, to);
	return 0;
}

static void layers_find(const struct hold *hold)
{
	sites.found = 1;
	if (!hold)
		dl_iterate_phdr(library_see, NULL);
	else if (hold->files)
		hold->files(file_see, NULL);
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

/* Whether a call puts the address to return to right below the caller's frame: others keep it in a
 * register, and what is called stores it where it likes. */
#if defined __x86_64__
enum { CALL_STORES = 1 };
#else
enum { CALL_STORES = 0 };
#endif

/* Of a call from a layer: who called the layer. */
static uintptr_t beyond(uintptr_t call, uintptr_t frame)
{
	uintptr_t place = within(call);
	size_t slot = (place >> 2) % KNOWN;
	struct walk w = {.site = call};

	if (sites.known[slot].call == place)
		return *(const uintptr_t *)(frame + sites.known[slot].distance);
	_Unwind_Backtrace(frame_see, &w);
	if (CALL_STORES && !is_tracer(call) && w.at > frame && *(const uintptr_t *)w.at == w.site) {
		sites.known[slot].distance = w.at - frame;
		sites.known[slot].call = place;
	}
	return w.site;
}

static int stack_see(void *self, uintptr_t a)
{
	struct frames *f = self;

	if (a && !is_own(a) && !is_layer(a))
		f->at[f->n++] = a;
	return f->n == STACK_DEPTH;
}

/* Of a call from a layer, or from the tracer, which has said who called it. */
static uintptr_t behind(uintptr_t call, uintptr_t frame)
{
	uintptr_t told = link_traced()->called;

	return told && is_tracer(call) && !is_layer(told) ? told : beyond(call, frame);
}

void site_enter(const void *address, const void *frame, const char *call)
{
	struct link *l = link_now;
	uintptr_t a = (uintptr_t)address;

	if (is_own(a))
		return;
	if (!sites.found)
		layers_find(l->hold);
	link_traced()->site = is_layer(a) ? behind(a, (uintptr_t)frame) : a;
	link_traced()->call = call;
	link_traced()->begins = 1;
	if (l->c)
		l->c->site = link_traced()->site;
	if (l->head && l->head->checks) {
		struct frames f = {0};

		callers_walk(stack_see, &f);
		stack_is(&f);
	}
}
