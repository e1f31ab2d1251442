/* folded.c: what memory is, where it may be folded: asked of libmpi/guest, if that is loaded. */
#include "link.h"

#include <dlfcn.h>

enum { FOLD_LEAST = 4096 }; /* --fold-memory takes no less */

int link_is_folded(const void *buf, uint64_t bytes)
{
	static union {
		void *object;
		int (*function)(const void *p, size_t n);
	} folded;
	static int known;
	const struct hold *hold = link_now->hold;

	if (bytes < FOLD_LEAST || !buf)
		return 0;
	if (hold)
		return hold->folded && hold->folded(buf, bytes);
	if (!known)
		folded.object = dlsym(RTLD_DEFAULT, "orrery_folded");
	known = 1;
	return folded.function && folded.function(buf, bytes);
}

link_memory_kind *link_memory(void)
{
	static union {
		void *object;
		link_memory_kind *function;
	} kind;
	static int known;

	if (link_now->hold)
		return link_now->hold->memory;
	if (!known)
		kind.object = dlsym(RTLD_DEFAULT, "orrery_memory");
	known = 1;
	return kind.function;
}
