/* elf_image.h: a 64-bit ELF program with all of what says which libraries it needs (elf(5)):
 * segments and sections, which say the same in two ways. What goes where is drawn: the parts lie in
 * any order, with gaps, and are loaded at addresses that have nothing to do with where they lie. */
#ifndef ORRERY_TESTS_ELF_IMAGE_H
#define ORRERY_TESTS_ELF_IMAGE_H

#include "tmp.h"

#include "base/rng.h"

#include <elf.h>

enum { ELF_IMAGE_NEEDED = 8, ELF_IMAGE_DYNAMIC = 64, ELF_IMAGE_SIZE = 16384 };

struct elf_image {
	Elf64_Dyn dynamic[ELF_IMAGE_DYNAMIC];
	int n, has_interpreter;
	char strings[2048];
	size_t n_strings;
	unsigned char byte[ELF_IMAGE_SIZE];
	size_t size;
};

static inline void elf_image_begin(struct elf_image *e)
{
	memset(e, 0, sizeof *e);
	e->n_strings = 1; /* the first string is empty */
}

static inline void elf_image_put(struct elf_image *e, Elf64_Sxword tag, uint64_t value)
{
	assert_true(e->n < ELF_IMAGE_DYNAMIC - 1);
	e->dynamic[e->n++] = (Elf64_Dyn){tag, {value}};
}

static inline void elf_image_string(struct elf_image *e, Elf64_Sxword tag, const char *text)
{
	size_t n = strlen(text) + 1;

	elf_image_put(e, tag, e->n_strings);
	assert_true(e->n_strings + n <= sizeof e->strings);
	memcpy(e->strings + e->n_strings, text, n);
	e->n_strings += n;
}

/* A part, behind a gap. Where it lies. */
static inline uint64_t elf_image_part(struct elf_image *e, struct rng *r, const void *part,
                                      size_t n)
{
	uint64_t at = (e->size + 8 * rng_below(r, 20) + 7) / 8 * 8;

	assert_true(at + n <= ELF_IMAGE_SIZE);
	memcpy(e->byte + at, part, n);
	e->size = at + n;
	return at;
}

static inline Elf64_Phdr elf_image_load(uint64_t at, uint64_t n, uint64_t address)
{
	return (Elf64_Phdr){
	    .p_type = PT_LOAD, .p_offset = at, .p_filesz = n, .p_memsz = n, .p_vaddr = address};
}

/* Where the strings are loaded stands among the entries, at a place that is drawn. */
static inline void elf_image_strtab(struct elf_image *e, struct rng *r, uint64_t address)
{
	int end = 0, i;

	while (e->dynamic[end].d_tag != DT_NULL)
		end++;
	i = (int)rng_below(r, (uint64_t)end + 1);
	memmove(&e->dynamic[i + 1], &e->dynamic[i], (size_t)(e->n - i) * sizeof *e->dynamic);
	e->dynamic[i] = (Elf64_Dyn){DT_STRTAB, {address}};
	e->n++;
}

static inline void elf_image_segments(struct elf_image *e, struct rng *r, Elf64_Ehdr *h,
                                      uint64_t strings, uint64_t address, uint64_t dynamic)
{
	Elf64_Phdr all[4] = {
	    elf_image_load(strings, e->n_strings, address),
	    elf_image_load(0, sizeof *h, address + 0x100000),
	    {.p_type = PT_DYNAMIC,
	     .p_offset = dynamic,
	     .p_filesz = (uint64_t)e->n * sizeof *e->dynamic},
	    {.p_type = rng_below(r, 2) ? PT_INTERP : PT_NOTE},
	};

	e->has_interpreter = all[3].p_type == PT_INTERP;
	for (int i = 3; i > 0; i--) { /* in any order */
		int k = (int)rng_below(r, (uint64_t)i + 1);
		Elf64_Phdr kept = all[i];

		all[i] = all[k];
		all[k] = kept;
	}
	h->e_phoff = elf_image_part(e, r, all, sizeof all);
	h->e_phnum = 4;
	h->e_phentsize = sizeof *all;
}

static inline void elf_image_sections(struct elf_image *e, struct rng *r, Elf64_Ehdr *h,
                                      uint64_t strings, uint64_t dynamic)
{
	Elf64_Shdr all[4] = {{.sh_type = SHT_NULL}, {.sh_type = SHT_PROGBITS}};
	uint32_t table = rng_below(r, 2) ? 2 : 3;

	all[table] = (Elf64_Shdr){
	    .sh_type = SHT_STRTAB, .sh_offset = strings, .sh_size = e->n_strings};
	all[5 - table] = (Elf64_Shdr){.sh_type = SHT_DYNAMIC,
	                              .sh_offset = dynamic,
	                              .sh_size = (uint64_t)e->n * sizeof *e->dynamic,
	                              .sh_link = table};
	h->e_shoff = elf_image_part(e, r, all, sizeof all);
	h->e_shnum = 4;
	h->e_shentsize = sizeof *all;
}

/* The file of it all. */
static inline void elf_image_end(struct elf_image *e, struct rng *r)
{
	Elf64_Ehdr h = {.e_type = rng_below(r, 2) ? ET_DYN : ET_EXEC, .e_machine = EM_X86_64};
	uint64_t address = 0x10000 * (1 + rng_below(r, 1000)), strings, dynamic;

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	e->size = sizeof h;
	strings = elf_image_part(e, r, e->strings, e->n_strings);
	elf_image_strtab(e, r, address);
	dynamic = elf_image_part(e, r, e->dynamic, (size_t)e->n * sizeof *e->dynamic);
	elf_image_segments(e, r, &h, strings, address, dynamic);
	elf_image_sections(e, r, &h, strings, dynamic);
	memcpy(e->byte, &h, sizeof h);
}

#endif
