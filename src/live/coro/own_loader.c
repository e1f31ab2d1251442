/* own_loader.c: what a rank asks the loader: names and addresses of what was laid into its slot, of
 * which the C library's loader knows nothing, and further libraries, which are laid there, too. */
#include "coro_int.h"

#include <link.h>
#include <signal.h>
#include <string.h>

static const struct module *handle_module(const struct coros *c, const void *handle)
{
	const struct module *m = handle;

	return m >= c->image.module && m < c->image.module + c->image.n ? m : NULL;
}

void *own_dlsym(void *handle, const char *name)
{
	const struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, coro_rank());
	const struct module *behind = NULL, *m = handle_module(c, handle);
	void *p;

	if (m) {
		p = image_find_in(&c->image, slot, name, m);
	} else {
		if (handle == RTLD_NEXT)
			behind = image_module(&c->image, slot, __builtin_return_address(0));
		else if (handle != RTLD_DEFAULT && handle != &c->image)
			return dlsym(handle, name);
		p = image_find(&c->image, slot, name, behind);
	}
	if (!p)
		snprintf(own_now()->loader, CORO_REASON, "%s is not defined", name);
	return p;
}

/* --- opening --- */

/* With what it needs: their first instructions and values, as a loader has it. */
static int rank_opens(struct coros *c, uint32_t part, struct err *err)
{
	uint32_t slot = coro_slot(c, coro_rank());
	const struct part *p = &c->image.part[part];
	int rc;

	if (slot_has(&c->image, slot, part))
		return 0;
	for (uint32_t k = 1; k < part; k++)
		if (p->needs[k] && rank_opens(c, k, err) < 0)
			return -1;
	rc = slot_open(&c->image, slot, part, err);
	if (rc <= 0)
		return rc;
	coro_tls_begin(c, slot, p->first, p->n);
	for (uint32_t i = p->first; i < p->first + p->n; i++)
		own_module_begin(c, slot, &c->image.module[c->image.order[i]]);
	return 0;
}

static void *failed(const struct err *err)
{
	snprintf(own_now()->loader, CORO_REASON, "%s", err->text);
	return NULL;
}

void *own_dlopen(const char *name, int flags)
{
	struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, coro_rank());
	struct image_name what = {.name = name,
	                          .library = c->o.library,
	                          .slot = slot,
	                          .is_global = (flags & RTLD_GLOBAL) != 0,
	                          .only_if_there = (flags & RTLD_NOLOAD) != 0};
	struct err err = {0};
	const struct module *m;
	void *shared;

	if (!name || !*name)
		return &c->image;
	if (c->n_slots < c->o.ranks)
		coro_ends(
		    CORO_KILLED, SIGSYS,
		    c->image.module[0].is_fixed
		        ? "calls dlopen, which ranks that take turns cannot, and they do: the "
		          "program is not linked with -pie (--hold processes can)"
		        : "calls dlopen, which ranks that take turns in a place cannot: "
		          "--slots gives them more, --hold processes can");
	what.from = image_module(&c->image, slot, __builtin_return_address(0));
	if (!what.from)
		what.from = &c->image.module[0];
	m = image_open(&c->image, &what, &shared, &err);
	if (shared)
		return shared;
	if (!m || coro_tls_grow(c, &err) < 0 || rank_opens(c, m->part, &err) < 0)
		return failed(&err);
	return (void *)(uintptr_t)m;
}

/* What the ranks have in common, the MPI library above all: it was opened once for all of them. */
static int is_common(const struct image *im, const void *handle)
{
	for (uint32_t i = 0; i < im->n_shared; i++)
		if (im->shared[i] == handle)
			return 1;
	return 0;
}

int own_dlclose(void *handle)
{
	const struct coros *c = coros_now;

	if (!handle || handle_module(c, handle) || handle == &c->image ||
	    is_common(&c->image, handle))
		return 0;
	return dlclose(handle);
}

/* Once for each error. */
char *own_dlerror(void)
{
	struct own *o = own_now();

	if (!o->loader[0])
		return dlerror();
	memcpy(o->loader_told, o->loader, CORO_REASON);
	o->loader[0] = '\0';
	return o->loader_told;
}

/* --- addresses --- */

/* Which file, and where it begins; names of functions are not looked for. */
static const struct module *file_tell(const void *address, Dl_info *info)
{
	const struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, coro_rank());
	const struct module *m = image_module(&c->image, slot, address);

	if (m)
		*info = (Dl_info){.dli_fname = m->path,
		                  .dli_fbase = slot_address(&c->image, slot, m, m->low)};
	return m;
}

int coros_file(const struct coros *c, uint64_t address, const char **path, uint64_t *in_file)
{
	const void *at = (const void *)(uintptr_t)address;
	uint32_t slot;
	const struct module *m = image_module_any(&c->image, at, &slot);
	struct link_map *map;
	Dl_info info;

	if (m) {
		*path = m->path;
		*in_file = address - (uintptr_t)slot_address(&c->image, slot, m, m->low) + m->low;
		return 1;
	}
	if (!dladdr1(at, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
		return 0;
	*path = info.dli_fname;
	*in_file = address - map->l_addr;
	return 1;
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
