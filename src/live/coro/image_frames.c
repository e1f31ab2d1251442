/* image_frames.c: where the compiler's library (libgcc) finds the frames of code of which the C
 * library's loader knows nothing, for exceptions and whoever else unwinds a stack.
 *
 * For each frame it asks the loader which file an address is in, and where that has its frames:
 * _dl_find_object (glibc 2.35 and later; its manual, "Dynamic Linker Introspection"). In this
 * program ours is in its place, and finds an address of a slot by a division. An older libgcc asks
 * in another way; and a program that this is a part of may not show it ours. Then libgcc is told
 * the frames of each slot (__register_frame), of which it looks at one after the other: with many
 * slots, long. What of libgcc a program has in itself (-static-libgcc) is bound to ours (own.c). */
#include "image_int.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* --- the loader's answer --- */

#if defined DLFO_STRUCT_HAS_EH_DBASE
static _Atomic(const struct image *) shown; /* whose slots are found; NULL: nobody's */

static int frames_find(void *address, struct dl_find_object *out)
{
	const struct image *im = atomic_load(&shown);
	const struct module *m;
	uint32_t slot;
	char *from;

	if (!im)
		return -1;
	m = image_module_any(im, address, &slot);
	if (!m || !m->frames || !im->laid[slot] || (m->part && !slot_has(im, slot, m->part)))
		return -1;
	from = slot_address(im, slot, m, m->low);
	*out = (struct dl_find_object){.dlfo_map_start = from,
	                               .dlfo_map_end = from + m->span,
	                               .dlfo_eh_frame = slot_address(im, slot, m, m->frames)};
	return 0;
}

/* In the place of the C library's: the linker exports it from the program (CMakeLists.txt). */
__attribute__((visibility("default"))) int _dl_find_object(void *address,
                                                           struct dl_find_object *out)
{
	typedef int find_fn(void *address, struct dl_find_object *out);
	static _Atomic(find_fn *) others;
	find_fn *find = atomic_load(&others);

	if (frames_find(address, out) == 0)
		return 0;
	if (!find) {
		union {
			void *object;
			find_fn *function;
		} next = {.object = dlsym(RTLD_NEXT, "_dl_find_object")};

		find = next.function;
		atomic_store(&others, find);
	}
	return find ? find(address, out) : -1;
}

/* The first function of .eh_frame_hdr, if it has a table in the usual way: 0 is none. */
static uintptr_t first_function(const struct image *im, uint32_t slot, const struct module *m)
{
	static const unsigned char usual[4] = {1, 0x1b, 0x03, 0x3b};
	const unsigned char *head = m->frames ? module_bytes(m, m->frames, 16) : NULL;
	uint32_t count;
	int32_t offset;

	if (!head || memcmp(head, usual, sizeof usual) != 0)
		return 0;
	memcpy(&count, head + 8, sizeof count);
	memcpy(&offset, head + 12, sizeof offset);
	return count ? (uintptr_t)slot_address(im, slot, m, m->frames + (uint64_t)(int64_t)offset)
	             : 0;
}

/* libgcc finds what only we know. */
static int is_found(const struct image *im, uint32_t slot)
{
	uintptr_t at = 0;
	void *bases[3];

	for (uint32_t i = 0; i < im->n_first_modules && !at; i++)
		at = first_function(im, slot, &im->module[i]);
	return at && im->frames_find((void *)at, bases) && (uintptr_t)bases[2] == at;
}

static void show(struct image *im, uint32_t slot)
{
	const struct image *nobody = NULL;

	im->asked = 1;
	if (atomic_compare_exchange_strong(&shown, &nobody, im) && im->frames_find &&
	    is_found(im, slot))
		im->frames_add = im->frames_drop = NULL;
}

static void hide(const struct image *im)
{
	atomic_compare_exchange_strong(&shown, &im, NULL);
}
#else
static void show(struct image *im, uint32_t slot)
{
	(void)slot;
	im->asked = 1;
}

static void hide(const struct image *im)
{
	(void)im;
}
#endif

/* --- what libgcc is told --- */

void image_frames(struct image *im)
{
	union {
		void *object;
		void (*tell)(const void *frames);
		const void *(*find)(void *address, void *bases[3]);
	} f;

	for (uint32_t i = im->n_first; i < im->n_shared && !im->frames_add; i++) {
		f.object = dlsym(im->shared[i], "__register_frame");
		im->frames_add = f.tell;
		f.object = dlsym(im->shared[i], "__deregister_frame");
		im->frames_drop = f.tell;
		f.object = dlsym(im->shared[i], "_Unwind_Find_FDE");
		im->frames_find = f.find;
	}
}

/* .eh_frame, as .eh_frame_hdr says, if in the usual way: an offset from where it stands. */
static const void *frames_at(const struct image *im, uint32_t slot, const struct module *m)
{
	const unsigned char *head = m->frames ? module_bytes(m, m->frames, 8) : NULL;
	int32_t offset;

	if (!head || head[0] != 1 || head[1] != 0x1b)
		return NULL;
	memcpy(&offset, head + 4, sizeof offset);
	return slot_address(im, slot, m, m->frames + 4 + (uint64_t)(int64_t)offset);
}

static void frames_tell(const struct image *im, uint32_t slot, uint32_t first, uint32_t n,
                        void (*tell)(const void *frames))
{
	for (uint32_t i = first; tell && i < first + n; i++) {
		const void *frames = frames_at(im, slot, &im->module[i]);

		if (frames)
			tell(frames);
	}
}

void slot_frames_add(struct image *im, uint32_t slot, uint32_t first, uint32_t n)
{
	if (!im->asked)
		show(im, slot);
	frames_tell(im, slot, first, n, im->frames_add);
}

void slot_frames_drop(const struct image *im, uint32_t slot)
{
	frames_tell(im, slot, 0, im->n_first_modules, im->frames_drop);
	for (uint32_t k = 1; k <= im->n_parts; k++)
		if (slot_has(im, slot, k))
			frames_tell(im, slot, im->part[k].first, im->part[k].n, im->frames_drop);
}

void image_frames_end(const struct image *im)
{
	hide(im);
}
