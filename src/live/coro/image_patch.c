/* image_patch.c: functions of the program or of its libraries that begin otherwise while a rank is
 * in MPI. The file is copied in memory, the functions' first bytes in it are changed, and its text
 * is laid over that of the slot (slot_patch): one copy for all ranks, and no more mappings than
 * before. Changing the pages of each slot would cost each rank a page and two mappings for each
 * function. */
#include "image_int.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* n things of a size at a place in the file, or NULL. */
static const void *part(const struct module *m, uint64_t at, uint64_t n, uint64_t size)
{
	return at <= m->size && n <= (m->size - at) / size ? m->file + at : NULL;
}

/* A function in a table of symbols, or NULL. */
static const Elf64_Sym *in_table(const struct module *m, const Elf64_Shdr *table,
                                 const Elf64_Shdr *strings, const char *name)
{
	uint64_t n = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *sym = part(m, table->sh_offset, n, sizeof *sym);
	const char *text = part(m, strings->sh_offset, strings->sh_size, 1);
	size_t length = strlen(name) + 1;

	for (uint64_t i = 0; sym && text && i < n; i++)
		if (ELF64_ST_TYPE(sym[i].st_info) == STT_FUNC && sym[i].st_value &&
		    sym[i].st_size > 0 && sym[i].st_name < strings->sh_size &&
		    strings->sh_size - sym[i].st_name >= length &&
		    memcmp(text + sym[i].st_name, name, length) == 0)
			return &sym[i];
	return NULL;
}

/* Functions that are no other's affair are in the table that a debugger reads. */
static const Elf64_Sym *function_in(const struct module *m, const char *name)
{
	const Elf64_Ehdr *h = (const void *)m->file;
	const Elf64_Shdr *s = part(m, h->e_shoff, h->e_shnum, sizeof *s);
	const Elf64_Sym *found = NULL;

	for (uint32_t i = 0; h->e_shoff && s && i < h->e_shnum && !found; i++)
		if ((s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM) &&
		    s[i].sh_link < h->e_shnum)
			found = in_table(m, &s[i], &s[s[i].sh_link], name);
	return found;
}

static int copy_make(struct module *m, struct err *err)
{
	/* by its path, for where.c, if it is not too long for the kernel */
	int fd = memfd_create(strlen(m->path) < 250 ? m->path : "orrery-text", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < m->size) {
		ssize_t n = write(fd, m->file + done, m->size - done);

		if (n < 0) {
			close(fd);
			fd = -1;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0)
		return err_sys(err, errno, "a copy of %s", m->path);
	m->patched = fd + 1;
	return 0;
}

const struct module *image_function(const struct image *im, const char *name, uint64_t *address,
                                    uint64_t *size)
{
	for (uint32_t i = 0; i < im->n; i++) {
		const Elf64_Sym *f = function_in(&im->module[i], name);

		if (f) {
			*address = f->st_value;
			*size = f->st_size;
			return &im->module[i];
		}
	}
	return NULL;
}

int image_patch(struct image *im, const char *name, const unsigned char jump[JUMP_BYTES],
                struct err *err)
{
	uint64_t address, size;
	const struct module *found = image_function(im, name, &address, &size);
	struct module *m = found ? &im->module[found - im->module] : NULL;
	const unsigned char *at = m && size >= JUMP_BYTES ? module_bytes(m, address, size) : NULL;

	if (!at)
		return 0;
	if (!m->patched && copy_make(m, err) < 0)
		return -1;
	if (pwrite(m->patched - 1, jump, JUMP_BYTES, at - m->file) != JUMP_BYTES)
		return err_sys(err, errno, "a copy of %s", m->path);
	im->has_patches = 1;
	return 1;
}
