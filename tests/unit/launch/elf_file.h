/* elf_file.h: a 64-bit ELF program made by hand, of the few parts that say which libraries it
 * needs (elf(5)):
 *
 *   0     header
 *   64    two segments: all of the file, loaded at BASE; the dynamic section
 *   176   dynamic section: DT_STRTAB at BASE + STRINGS, DT_NEEDED for each library, DT_NULL
 *   512   strings
 */
#ifndef ORRERY_TESTS_ELF_FILE_H
#define ORRERY_TESTS_ELF_FILE_H

#include "tmp.h"

#include <elf.h>
#include <sys/stat.h>

enum { ELF_BASE = 0x400000, ELF_STRINGS = 512, ELF_SIZE = 1024, ELF_NEEDED_MAX = 8 };

struct elf_file {
	union {
		unsigned char byte[ELF_SIZE];
		struct {
			Elf64_Ehdr header;
			Elf64_Phdr segment[2];
			Elf64_Dyn dynamic[ELF_NEEDED_MAX + 2];
		} part;
	} u;
};

static inline void elf_make(struct elf_file *e, const char *const *needed, int n)
{
	size_t at = ELF_STRINGS + 1;

	memset(e, 0, sizeof *e);
	memcpy(e->u.part.header.e_ident, ELFMAG, SELFMAG);
	e->u.part.header.e_ident[EI_CLASS] = ELFCLASS64;
	e->u.part.header.e_ident[EI_DATA] = ELFDATA2LSB;
	e->u.part.header.e_type = ET_EXEC;
	e->u.part.header.e_machine = EM_X86_64;
	e->u.part.header.e_phoff = offsetof(struct elf_file, u.part.segment);
	e->u.part.header.e_phentsize = sizeof(Elf64_Phdr);
	e->u.part.header.e_phnum = 2;
	e->u.part.segment[0] = (Elf64_Phdr){
	    .p_type = PT_LOAD, .p_vaddr = ELF_BASE, .p_filesz = ELF_SIZE, .p_memsz = ELF_SIZE};
	e->u.part.segment[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
	                                    .p_offset = offsetof(struct elf_file, u.part.dynamic),
	                                    .p_filesz = (Elf64_Xword)(n + 2) * sizeof(Elf64_Dyn)};
	e->u.part.dynamic[0] = (Elf64_Dyn){DT_STRTAB, {ELF_BASE + ELF_STRINGS}};
	for (int i = 0; i < n; i++) {
		e->u.part.dynamic[i + 1] = (Elf64_Dyn){DT_NEEDED, {at - ELF_STRINGS}};
		memcpy(e->u.byte + at, needed[i], strlen(needed[i]) + 1);
		at += strlen(needed[i]) + 1;
	}
}

/* As a file that may be run, for those who only look. Returns its path in the folder. */
static inline const char *elf_write(struct tmp *t, const char *name, const struct elf_file *e,
                                    size_t bytes)
{
	tmp_write_n(t, name, e->u.byte, bytes);
	assert_int_equal(chmod(t->path, 0755), 0);
	return t->path;
}

#endif
