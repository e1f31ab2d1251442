/* sites.c: see sites.h. */
#include "sites.h"

#include "base/callers.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES_OURS = 16 }; /* of the tracer, below the application's: at most */

void sites_init(struct sites *s, int depth)
{
	void *warm[1];

	*s = (struct sites){.depth = depth};
	hash64_init(&s->site);
	hash64_init(&s->region);
	python_init(&s->python);
	if (depth > 1)
		callers_take(warm, 1); /* loads what it needs now, and not inside a call */
}

void sites_release(struct sites *s)
{
	hash64_release(&s->site);
	hash64_release(&s->region);
	python_release(&s->python);
	free(s->frames);
	free(s->modules);
	*s = (struct sites){0};
}

/* The site of a key, added with its frames if it is new: its index, or -1. */
static int64_t site_add(struct sites *s, uint64_t key, void *const *frames, int n, struct err *err)
{
	uint32_t i = hash64_find(&s->site, key);
	void **all;

	if (i != HASH_NONE)
		return i;
	all = vec_grow(s->frames, &s->cap, sizeof *all, ((size_t)s->n + 1) * (size_t)s->depth,
	               "call sites", err);
	if (!all || hash64_put(&s->site, key, s->n, err) < 0)
		return -1;
	s->frames = all;
	for (int k = 0; k < s->depth; k++)
		all[(size_t)s->n * (size_t)s->depth + (size_t)k] = k < n ? frames[k] : NULL;
	return s->n++;
}

/* A frame that is a place in a Python program: its number, marked by a bit that no address of a
 * process has. */
static const uintptr_t PYTHON = (uintptr_t)1 << (8 * sizeof(uintptr_t) - 1);

static uint64_t frames_key(struct sites *s, void *const *frames, int n, struct err *err)
{
	uint64_t key = 0;

	if (s->depth == 1)
		return (uint64_t)(uintptr_t)frames[0];
	for (int k = 0; k < n; k++)
		key = hash_mix(key ^ (uint64_t)(uintptr_t)frames[k]);
	key |= key == 0;
	return site_add(s, key, frames, n, err) < 0 ? 0 : key;
}

uint64_t site_key(struct sites *s, void *address, struct err *err)
{
	void *frames[FRAMES_OURS + SITES_DEPTH_MAX];
	uint32_t place[SITES_DEPTH_MAX];
	int n = python_places(&s->python, address, place, s->depth, err), first = 0;

	if (n < 0)
		return 0;
	for (int k = 0; k < n; k++)
		frames[k] = (void *)(PYTHON | place[k]);
	if (n > 0)
		return frames_key(s, frames, n, err);
	if (s->depth == 1)
		return (uint64_t)(uintptr_t)address;
	n = callers_take(frames, FRAMES_OURS + s->depth);
	while (first < n && frames[first] != address)
		first++;
	if (first == n) { /* the stack cannot be walked: the call itself is what is known */
		frames[0] = address;
		first = 0;
		n = 1;
	}
	return frames_key(s, frames + first, n - first < s->depth ? n - first : s->depth, err);
}

/* --- names --- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Tells of a module when it is first met. */
static int module_tell(struct sites *s, const struct link_map *map, const char *path,
                       const struct sites_out *out, struct err *err)
{
	uintptr_t *all;

	for (uint32_t i = 0; i < s->n_modules; i++)
		if (s->modules[i] == (uintptr_t)map)
			return 0;
	all = vec_grow(s->modules, &s->cap_modules, sizeof *all, (size_t)s->n_modules + 1,
	               "modules", err);
	if (!all)
		return -1;
	s->modules = all;
	all[s->n_modules++] = (uintptr_t)map;
	return out->module(out->self, base_of(path), path, err);
}

/* "ring+0x11f3": the address as the file has it, whether it may be loaded anywhere or not. Code
 * that is in no file has no name that another run knows. */
static int frame_name(struct sites *s, void *address, struct str *text, const struct sites_out *out,
                      struct err *err)
{
	char program[4096];
	struct link_map *map = NULL;
	const char *path;
	Dl_info info;
	ssize_t n;

	if ((uintptr_t)address & PYTHON) {
		str_puts(text, s->python.name[(uintptr_t)address & ~PYTHON]);
		return 0;
	}
	if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) {
		str_puts(text, "?");
		return 0;
	}
	path = map->l_name;
	if (!*path) {
		n = readlink("/proc/self/exe", program, sizeof program - 1);
		if (n < 0) /* the first thread has ended */
			n = readlink("/proc/thread-self/exe", program, sizeof program - 1);
		program[n > 0 ? n : 0] = '\0';
		path = n > 0 ? program : "program";
	}
	str_printf(text, "%s+0x%llx", base_of(path),
	           (unsigned long long)((uintptr_t)address - map->l_addr));
	return module_tell(s, map, path, out, err);
}

static int site_name(struct sites *s, int64_t site, struct str *text, const struct sites_out *out,
                     struct err *err)
{
	void *const *frame = site < 0 ? NULL : s->frames + (size_t)site * (size_t)s->depth;

	if (!frame) {
		str_puts(text, "start");
		return 0;
	}
	for (int k = 0; k < s->depth && frame[k]; k++) {
		if (k > 0)
			str_putc(text, '<');
		if (frame_name(s, frame[k], text, out, err) < 0)
			return -1;
	}
	return 0;
}

/* Two return addresses in one of depth 1 are the keys themselves; paths were added when they were
 * walked. */
static int64_t site_of_key(struct sites *s, uint64_t key, struct err *err)
{
	void *address = (void *)(uintptr_t)key;

	return site_add(s, key, &address, 1, err);
}

static int region_tell(struct sites *s, int64_t from, int64_t to, int64_t number,
                       const struct sites_out *out, struct err *err)
{
	struct str text;
	int result;

	str_init(&text);
	result = site_name(s, from, &text, out, err);
	str_putc(&text, '>');
	result = result < 0 ? -1 : site_name(s, to, &text, out, err);
	if (text.failed)
		result = err_nomem(err, "the name of a region", text.n);
	result = result < 0 ? -1 : out->region(out->self, number, text.s, err);
	str_release(&text);
	return result;
}

int64_t region_slow(struct sites *s, uint64_t from, uint64_t to, const struct sites_out *out,
                    struct err *err)
{
	int64_t a = from ? site_of_key(s, from, err) : -1, b = to ? site_of_key(s, to, err) : -1;
	uint64_t pair = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
	struct sites_cached *slot = region_slot(s, from, to);
	uint32_t number;

	if ((from && a < 0) || (to && b < 0))
		return -1;
	number = hash64_find(&s->region, pair);
	if (number == HASH_NONE) {
		number = s->regions;
		if (hash64_put(&s->region, pair, number, err) < 0 ||
		    region_tell(s, a, b, number, out, err) < 0)
			return -1;
		s->regions++;
	}
	*slot = (struct sites_cached){from, to, (int64_t)number + 1};
	return number;
}
