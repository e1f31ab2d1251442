/* function.c: see function.h. */
#include "function.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct found {
	const char *name;
	size_t least, size;
	void *at;
};

static int base_of(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr; /* the first is the program */
	return 1;
}

static uint64_t symbol_value(const char *file, size_t n, struct found *f)
{
	const ElfW(Ehdr) *e = (const void *)file;
	const ElfW(Shdr) *s = (const void *)(file + e->e_shoff);

	for (int i = 0; e->e_shoff && e->e_shoff + e->e_shnum * sizeof *s <= n && i < e->e_shnum;
	     i++) {
		const ElfW(Sym) *sym = (const void *)(file + s[i].sh_offset);
		const char *names = file + s[s[i].sh_link].sh_offset;

		if (s[i].sh_type != SHT_SYMTAB && s[i].sh_type != SHT_DYNSYM)
			continue;
		for (size_t k = 0; k < s[i].sh_size / sizeof *sym; k++)
			if ((sym[k].st_info & 0xf) == STT_FUNC && sym[k].st_value &&
			    sym[k].st_size >= f->least &&
			    strcmp(names + sym[k].st_name, f->name) == 0) {
				f->size = sym[k].st_size;
				return sym[k].st_value;
			}
	}
	return 0;
}

static void in_program(struct found *f)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uintptr_t base = 0;
	uint64_t value = 0;
	struct stat st;
	void *file;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			value = symbol_value(file, (size_t)st.st_size, f);
			munmap(file, (size_t)st.st_size);
		}
	}
	close(fd);
	dl_iterate_phdr(base_of, &base);
	f->at = value ? (void *)(base + value) : NULL;
}

static int in_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct found *f = arg;
	const ElfW(Sym) *sym = NULL;
	Dl_info where;
	void *lib = info->dlpi_name && *info->dlpi_name
	                ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD)
	                : NULL;

	(void)size;
	if (!lib)
		return 0;
	f->at = dlsym(lib, f->name);
	if (f->at && dladdr1(f->at, &where, (void **)(uintptr_t)&sym, RTLD_DL_SYMENT) && sym)
		f->size = sym->st_size;
	dlclose(lib);
	return f->at != NULL;
}

void *function_find(const char *name, size_t least, size_t *size)
{
	struct found f = {.name = name, .least = least};

	in_program(&f);
	if (!f.at)
		dl_iterate_phdr(in_library, &f);
	*size = f.size;
	return f.at;
}
