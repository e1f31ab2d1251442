/* own_loader.c: what a rank asks the loader: names and addresses of what was laid into its slot, of
 * which the C library's loader knows nothing. */
#include "coro_int.h"

#include <link.h>
#include <string.h>

void *own_dlsym(void *handle, const char *name)
{
	const struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, c->rank);
	const struct module *behind = NULL;

	if (handle == RTLD_NEXT)
		behind = image_module(&c->image, slot, __builtin_return_address(0));
	else if (handle != RTLD_DEFAULT)
		return dlsym(handle, name);
	return image_find(&c->image, slot, name, behind);
}

/* Which file, and where it begins; names of functions are not looked for. */
static const struct module *file_tell(const void *address, Dl_info *info)
{
	const struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, c->rank);
	const struct module *m = image_module(&c->image, slot, address);

	if (m)
		*info = (Dl_info){.dli_fname = m->path,
		                  .dli_fbase = slot_address(&c->image, slot, m, m->low)};
	return m;
}

int own_dladdr(const void *address, Dl_info *info)
{
	return file_tell(address, info) ? 1 : dladdr(address, info);
}

int own_dladdr1(const void *address, Dl_info *info, void **extra, int flags)
{
	struct coros *c = coros_now;
	const struct module *m = file_tell(address, info);
	struct link_map *map;

	if (!m)
		return dladdr1(address, info, extra, flags);
	if (flags != RTLD_DL_LINKMAP) {
		*extra = NULL;
		return 1;
	}
	map = &c->map[m - c->image.module]; /* of the rank that asks, until another one does */
	*map = (struct link_map){.l_addr = (uintptr_t)info->dli_fbase - m->low, .l_name = m->path};
	*extra = map;
	return 1;
}
