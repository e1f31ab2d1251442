/* image_slots.c: slots: | guard | stack | module | module | ..., one after the other in one piece
 * of address space. What is read-only is one mapping of the file; what is not is memory of its own,
 * filled from the file, so that stack and data of a small program are four mappings. */
#include "image_int.h"
#include "processor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
enum { MAPS_KEPT = 2000 };        /* for everybody else in the process */
#define LEAST ((uint64_t)1 << 20) /* of addresses for what a rank may open; less is none */

static uint64_t page_down(uint64_t x)
{
	return x / image_page() * image_page();
}

static uint64_t page_up(uint64_t x)
{
	return page_down(x + image_page() - 1);
}

uint32_t image_slots_max(const struct image *im)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	int64_t maps = 65530, each = 3;
	char line[32];

	if (f && fgets(line, sizeof line, f))
		num_take_digits(line, &maps);
	if (f)
		fclose(f);
	for (uint32_t i = 0; i < im->n; i++) {
		if (im->module[i].is_fixed)
			return 1;
		for (uint32_t k = 0; k < im->module[i].n_ph; k++)
			each += im->module[i].ph[k].p_type == PT_LOAD;
	}
	return maps > MAPS_KEPT + each ? (uint32_t)((maps - MAPS_KEPT) / each) : 1;
}

/* What must lie at one address lies at a distance from the only slot. */
static void fixed_place(struct image *im)
{
	struct module *m = &im->module[0];
	uint64_t was = m->at, is = m->low - (uint64_t)(uintptr_t)im->slots;

	if (!m->is_fixed || was == is)
		return;
	m->at = is;
	for (uint32_t i = 0; i < im->n_fix; i++) {
		struct fix *f = &im->fix[i];

		if (f->where - was < m->span)
			f->where += is - was;
		if (f->kind != FIX_VALUE && f->kind != FIX_COPY_VALUE && f->value - was < m->span)
			f->value += is - was;
	}
}

/* Under a limit of addresses there is less room for what ranks open, or none. */
static int slots_map(struct image *im)
{
	uint64_t room = IMAGE_ROOM;

	for (;;) {
		im->room = room;
		im->pitch = im->stack + im->size + room;
		im->slots = mmap(NULL, im->n_slots * im->pitch, PROT_NONE,
		                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (im->slots != MAP_FAILED)
			return 1;
		im->slots = NULL;
		if (room == 0)
			return 0;
		room = room > LEAST ? room / 16 : 0;
	}
}

int image_slots(struct image *im, uint32_t n, uint64_t stack, struct err *err)
{
	im->stack = page_up(stack) + image_page();
	for (uint32_t i = 0; i < im->n; i++)
		im->module[i].at += im->stack;
	for (uint32_t i = 0; i < im->n_fix; i++) {
		im->fix[i].where += im->stack;
		if (im->fix[i].kind != FIX_VALUE && im->fix[i].kind != FIX_COPY_VALUE)
			im->fix[i].value += im->stack;
	}
	im->n_slots = n;
	im->laid = calloc(n, 1);
	im->is_patched = calloc(n, 1);
	if (!im->laid || !im->is_patched)
		return err_nomem(err, "places of the ranks", n);
	if (!slots_map(im))
		return err_nomem(err, "address space of the ranks", n * im->pitch);
	madvise(im->slots, n * im->pitch, MADV_NOHUGEPAGE);
	fixed_place(im);
	return 0;
}

/* --- one slot --- */

static int map_error(const struct module *m, struct err *err)
{
	return err_sys(err, errno, "memory for %s (the limit may be vm.max_map_count)", m->path);
}

/* A segment whose pages are those of the file. */
static int read_only(const struct module *m, int fd, unsigned char *at, const Elf64_Phdr *p,
                     uint64_t to, int protection, struct err *err)
{
	uint64_t from = page_down(p->p_vaddr);

	if (mmap(at + (from - m->low), to - from, protection, MAP_PRIVATE | MAP_FIXED, fd,
	         (off_t)page_down(p->p_offset)) == MAP_FAILED)
		return map_error(m, err);
	return 0;
}

static int writable(const struct module *m, unsigned char *at, const Elf64_Phdr *p, struct err *err)
{
	uint64_t from = page_down(p->p_vaddr), to = page_up(p->p_vaddr + p->p_memsz);

	if (mmap(at + (from - m->low), to - from, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		return map_error(m, err);
	memcpy(at + (p->p_vaddr - m->low), m->file + p->p_offset, p->p_filesz);
	return 0;
}

/* Segments that follow each other in file and memory alike and are only read are one mapping.
 * text: those that are written are left as they are. */
static int segments_map(const struct module *m, int fd, unsigned char *at, int text,
                        struct err *err)
{
	for (uint32_t i = 0; i < m->n_ph; i++) {
		const Elf64_Phdr *p = &m->ph[i];
		uint64_t to = page_up(p->p_vaddr + p->p_memsz);
		int protection = PROT_READ | (p->p_flags & PF_X ? PROT_EXEC : 0);

		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_flags & PF_W) {
			if (!text && writable(m, at, p, err) < 0)
				return -1;
			continue;
		}
		while (i + 1 < m->n_ph && m->ph[i + 1].p_type == PT_LOAD &&
		       !(m->ph[i + 1].p_flags & PF_W) && m->ph[i + 1].p_vaddr == to &&
		       m->ph[i + 1].p_vaddr - m->ph[i + 1].p_offset == p->p_vaddr - p->p_offset) {
			i++;
			to = page_up(m->ph[i].p_vaddr + m->ph[i].p_memsz);
			protection |= m->ph[i].p_flags & PF_X ? PROT_EXEC : 0;
		}
		if (read_only(m, fd, at, p, to, protection, err) < 0)
			return -1;
	}
	return 0;
}

static int file_lay(const struct module *m, unsigned char *at, int text, struct err *err)
{
	int fd = open(m->path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_sys(err, errno, "%s", m->path);
	rc = segments_map(m, fd, at, text, err);
	close(fd);
	return rc;
}

int slot_patch(struct image *im, uint32_t slot, int on, struct err *err)
{
	if (!im->has_patches || im->is_patched[slot] == on)
		return 0;
	im->is_patched[slot] = (uint8_t)on;
	for (uint32_t i = 0; i < im->n_first_modules; i++) {
		const struct module *m = &im->module[i];
		unsigned char *at = slot_address(im, slot, m, m->low);

		if (m->patched && (on ? segments_map(m, m->patched - 1, at, 1, err)
		                      : file_lay(m, at, 1, err)) < 0)
			return -1;
	}
	return 0;
}

static int module_lay(struct image *im, uint32_t slot, struct module *m, struct err *err)
{
	if (m->is_fixed) {
		void *want = (void *)(uintptr_t)m->low, *at;

		at = mmap(want, m->span, PROT_NONE,
		          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
		if (at != want)
			return err_set(err, ERR_LIMIT,
			               "%s has to lie where something else is: link it with -pie",
			               m->path);
	}
	return file_lay(m, slot_address(im, slot, m, m->low), 0, err);
}

static void fix_apply(const struct image *im, unsigned char *slot, const struct fix *f)
{
	uintptr_t v = (uintptr_t)slot + f->value;

	(void)im;
	switch ((enum fix_kind)f->kind) {
	case FIX_VALUE:
		v = f->value;
		break;
	case FIX_PLACE:
		break;
	case FIX_CALL:
		v = processor_resolve(v);
		break;
	case FIX_COPY_PLACE:
		memcpy(slot + f->where, (void *)v, f->size);
		return;
	case FIX_COPY_VALUE:
		memcpy(slot + f->where, (void *)(uintptr_t)f->value, f->size);
		return;
	}
	memcpy(slot + f->where, &v, sizeof v);
}

void slot_clear(struct image *im, uint32_t slot)
{
	if (!im->laid[slot])
		return;
	slot_frames_drop(im, slot);
	if (im->open)
		memset(im->open + (size_t)slot * IMAGE_PARTS, 0, IMAGE_PARTS);
	if (im->module[0].is_fixed)
		munmap((void *)(uintptr_t)im->module[0].low, im->module[0].span);
	im->laid[slot] = im->is_patched[slot] = 0;
}

static void slots_end(struct image *im)
{
	for (uint32_t i = 0; im->laid && i < im->n_slots; i++)
		if (im->laid[i])
			slot_frames_drop(im, i);
	image_frames_end(im);
	if (im->n && im->module[0].is_fixed && im->laid && im->laid[0])
		munmap((void *)(uintptr_t)im->module[0].low, im->module[0].span);
	if (im->slots)
		munmap(im->slots, im->n_slots * im->pitch);
}

static int slot_modules_lay(struct image *im, uint32_t slot, uint32_t first, uint32_t n,
                            struct err *err)
{
	for (uint32_t i = first; i < first + n; i++)
		if (module_lay(im, slot, &im->module[i], err) < 0)
			return -1;
	return 0;
}

static void slot_fix(const struct image *im, uint32_t slot, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		fix_apply(im, slot_at(im, slot), &im->fix[i]);
}

int slot_open(struct image *im, uint32_t slot, uint32_t part, struct err *err)
{
	const struct part *p = &im->part[part];

	if (slot_has(im, slot, part))
		return 0;
	if (!im->open)
		im->open = calloc(im->n_slots, IMAGE_PARTS);
	if (!im->open)
		return err_nomem(err, "libraries that ranks open", im->n_slots);
	if (slot_modules_lay(im, slot, p->first, p->n, err) < 0)
		return -1;
	slot_fix(im, slot, p->fix_from, p->fix_to);
	im->open[(size_t)slot * IMAGE_PARTS + part] = 1;
	slot_frames_add(im, slot, p->first, p->n);
	return 1;
}

int slot_lay(struct image *im, uint32_t slot, struct err *err)
{
	unsigned char *at = slot_at(im, slot);

	if (im->laid[slot])
		return 0;
	if (mmap(at + image_page(), im->stack - image_page(),
	         PROT_READ | PROT_WRITE | (im->runs_stack ? PROT_EXEC : 0),
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		return map_error(&im->module[0], err);
	if (slot_modules_lay(im, slot, 0, im->n_first_modules, err) < 0)
		return -1;
	slot_fix(im, slot, 0, im->n_first_fix);
	im->laid[slot] = 1;
	slot_frames_add(im, slot, 0, im->n_first_modules);
	return 0;
}

void slot_save(const struct image *im, uint32_t slot, unsigned char *to)
{
	for (uint32_t i = 0; i < im->n; i++) {
		const struct module *m = &im->module[i];
		uint64_t n = m->data_to - m->data_from;

		memcpy(to, slot_address(im, slot, m, m->data_from), n);
		to += n;
	}
}

void slot_restore(const struct image *im, uint32_t slot, const unsigned char *from)
{
	for (uint32_t i = 0; i < im->n; i++) {
		const struct module *m = &im->module[i];
		uint64_t n = m->data_to - m->data_from;

		memcpy(slot_address(im, slot, m, m->data_from), from, n);
		from += n;
	}
}

void image_release(struct image *im)
{
	slots_end(im);
	image_modules_drop(im, 0);
	image_fixes_drop(im, 0);
	free(im->fix);
	free(im->laid);
	free(im->open);
	free(im->is_patched);
	*im = (struct image){0};
}
