/* binary.c: reads the dynamic section and the dynamic symbols of an ELF file that is mapped.
 * Whatever lies outside of the file is taken for missing. */
#include "binary.h"

#include "base/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *at(const struct binary *b, uint64_t offset, uint64_t n)
{
	if (offset > b->size || n > b->size - offset)
		return NULL;
	return (const char *)b->map + offset;
}

/* The same of a table, which lies as its items must. */
static const void *table_at(const struct binary *b, uint64_t offset, uint64_t n)
{
	return offset % _Alignof(Elf64_Shdr) == 0 ? at(b, offset, n) : NULL;
}

/* A string in a table of `size` bytes; "" where it does not end in it. */
static const char *name_at(const struct binary *b, const Elf64_Shdr *table, uint64_t index)
{
	const char *s;

	if (index >= table->sh_size || !(s = at(b, table->sh_offset, table->sh_size)) ||
	    !memchr(s + index, '\0', table->sh_size - index))
		return "";
	return s + index;
}

static const Elf64_Shdr *section(const struct binary *b, uint32_t type, uint32_t *link)
{
	const Elf64_Ehdr *h = b->map;

	for (uint32_t i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = table_at(b, h->e_shoff + i * sizeof *s, sizeof *s);

		if (!s || s->sh_type != type)
			continue;
		*link = s->sh_link;
		return s;
	}
	return NULL;
}

static const Elf64_Shdr *section_number(const struct binary *b, uint32_t i)
{
	const Elf64_Ehdr *h = b->map;

	return i < h->e_shnum ? table_at(b, h->e_shoff + i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr))
	                      : NULL;
}

static int dynamic_take(struct binary *b, struct err *err)
{
	uint32_t link = 0;
	const Elf64_Shdr *d = section(b, SHT_DYNAMIC, &link), *names = section_number(b, link);
	const Elf64_Dyn *row = d ? table_at(b, d->sh_offset, d->sh_size) : NULL;
	uint64_t n = d ? d->sh_size / sizeof *row : 0;

	if (!row || !names)
		return 0;
	b->needed = calloc(n + 1, sizeof *b->needed);
	if (!b->needed)
		return err_nomem(err, "libraries of a program", n);
	for (uint64_t i = 0; i < n && row[i].d_tag != DT_NULL; i++) {
		const char *s = name_at(b, names, row[i].d_un.d_val);

		if (row[i].d_tag == DT_NEEDED)
			b->needed[b->n_needed++] = s;
		else if (row[i].d_tag == DT_RPATH)
			b->rpath = s;
		else if (row[i].d_tag == DT_RUNPATH)
			b->runpath = s;
		else if (row[i].d_tag == DT_FLAGS_1 && row[i].d_un.d_val & DF_1_PIE)
			b->is_static |= !b->is_program; /* -static-pie */
	}
	return 0;
}

static int symbols_take(struct binary *b, struct err *err)
{
	uint32_t link = 0;
	const Elf64_Shdr *d = section(b, SHT_DYNSYM, &link), *names = section_number(b, link);
	const Elf64_Sym *sym = d ? table_at(b, d->sh_offset, d->sh_size) : NULL;
	uint64_t n = d ? d->sh_size / sizeof *sym : 0;

	if (!sym || !names)
		return 0;
	b->wanted = calloc(n + 1, sizeof *b->wanted);
	b->owned = calloc(n + 1, sizeof *b->owned);
	if (!b->wanted || !b->owned)
		return err_nomem(err, "symbols of a program", n);
	for (uint64_t i = 1; i < n; i++) {
		const char *s = name_at(b, names, sym[i].st_name);

		if (sym[i].st_shndx == SHN_UNDEF)
			b->wanted[b->n_wanted++] = s;
		else
			b->owned[b->n_owned++] = s;
	}
	return 0;
}

static int is_function(const Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && sym->st_shndx == SHN_UNDEF);
}

static int table_names(const struct binary *b, const Elf64_Shdr *table, const char *function)
{
	const Elf64_Sym *sym = table_at(b, table->sh_offset, table->sh_size);
	const Elf64_Shdr *names = section_number(b, table->sh_link);

	for (uint64_t i = 0; sym && names && i < table->sh_size / sizeof *sym; i++)
		if (is_function(&sym[i]) &&
		    strcmp(name_at(b, names, sym[i].st_name), function) == 0)
			return 1;
	return 0;
}

int binary_names(const struct binary *b, const char *function)
{
	const Elf64_Ehdr *h = b->map;

	for (uint32_t i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = section_number(b, i);

		if (s && (s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM) &&
		    table_names(b, s, function))
			return 1;
	}
	return 0;
}

static void kind_take(struct binary *b)
{
	const Elf64_Ehdr *h = b->map;
	int dynamic = 0;

	for (uint32_t i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = table_at(b, h->e_phoff + i * sizeof *p, sizeof *p);

		if (p && p->p_type == PT_INTERP)
			b->is_program = 1;
		if (p && p->p_type == PT_DYNAMIC)
			dynamic = 1;
	}
	b->is_relocatable = h->e_type == ET_DYN;
	b->is_static = h->e_type == ET_EXEC ? !b->is_program : !dynamic;
}

static int is_ours(const struct binary *b)
{
	const Elf64_Ehdr *h = b->map;

	return b->size >= sizeof *h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
	       h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (h->e_type == ET_EXEC || h->e_type == ET_DYN) &&
	       (h->e_shentsize == sizeof(Elf64_Shdr) || h->e_shnum == 0) &&
	       (h->e_phentsize == sizeof(Elf64_Phdr) || h->e_phnum == 0);
}

static int map_file(const char *path, struct binary *b, struct err *err)
{
	struct stat st;
	/* a FIFO that nobody writes to is not waited for */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r = 0;

	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(err, errno, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	b->size = (size_t)st.st_size;
	b->map = st.st_size > 0 && S_ISREG(st.st_mode)
	             ? mmap(NULL, b->size, PROT_READ, MAP_PRIVATE, fd, 0)
	             : MAP_FAILED;
	if (b->map == MAP_FAILED) {
		b->map = NULL;
		r = st.st_size > 0 && S_ISREG(st.st_mode) ? err_sys(err, errno, "%s", path) : 1;
	}
	close(fd);
	return r;
}

int binary_open(const char *path, struct binary *out, struct err *err)
{
	int rc;

	*out = (struct binary){0};
	rc = map_file(path, out, err);
	if (rc != 0)
		return rc;
	if (!is_ours(out)) {
		binary_release(out);
		return 1;
	}
	kind_take(out);
	if (dynamic_take(out, err) < 0 || symbols_take(out, err) < 0) {
		binary_release(out);
		return -1;
	}
	return 0;
}

void binary_release(struct binary *b)
{
	if (b->map)
		munmap(b->map, b->size);
	free(b->needed);
	free(b->wanted);
	free(b->owned);
	*b = (struct binary){0};
}

/* --- who can run it --- */

/* 0: it is no ELF file, or cannot be read. Bytes of another order make another number. */
static int header_read(const char *path, Elf64_Ehdr *h)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), is;

	if (fd < 0)
		return 0;
	is = pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h &&
	     memcmp(h->e_ident, ELFMAG, SELFMAG) == 0;
	close(fd);
	return is;
}

const char *binary_other_processor(const char *path)
{
	static const struct {
		int machine;
		const char *name;
	} all[] = {{EM_X86_64, "x86-64"},  {EM_386, "32-bit x86"}, {EM_AARCH64, "AArch64"},
	           {EM_ARM, "32-bit Arm"}, {EM_PPC64, "POWER"},    {EM_S390, "IBM Z"},
	           {EM_RISCV, "RISC-V"}};
	Elf64_Ehdr its, ours;
	struct err ignored = {.kind = ERR_NONE};
	char self[4096];

	if (!header_read(path, &its) || program_self(self, sizeof self, &ignored) < 0 ||
	    !header_read(self, &ours) ||
	    (its.e_machine == ours.e_machine && its.e_ident[EI_CLASS] == ours.e_ident[EI_CLASS] &&
	     its.e_ident[EI_DATA] == ours.e_ident[EI_DATA]))
		return NULL;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].machine == its.e_machine && its.e_machine != ours.e_machine)
			return all[i].name;
	return "of other word length or byte order";
}

static void loader_name(const struct binary *b, char *out, size_t n)
{
	const Elf64_Ehdr *h = b->map;

	for (uint32_t i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = table_at(b, h->e_phoff + i * sizeof *p, sizeof *p);
		const char *name = p && p->p_type == PT_INTERP ? at(b, p->p_offset, p->p_filesz)
		                                               : NULL;

		if (name)
			snprintf(out, n, "%.*s", (int)strnlen(name, p->p_filesz), name);
	}
}

/* "#! interpreter word" */
static void script_interpreter(const char *path, char *out, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char line[256];
	ssize_t got = fd < 0 ? 0 : pread(fd, line, sizeof line - 1, 0);

	if (fd >= 0)
		close(fd);
	line[got > 0 ? got : 0] = '\0';
	if (strncmp(line, "#!", 2) == 0) {
		const char *from = line + 2 + strspn(line + 2, " \t");

		snprintf(out, n, "%.*s", (int)strcspn(from, " \t\r\n"), from);
	}
}

void binary_interpreter(const char *path, char *out, size_t n)
{
	struct err ignored = {.kind = ERR_NONE};
	struct binary b;

	out[0] = '\0';
	if (binary_open(path, &b, &ignored) != 0) {
		script_interpreter(path, out, n);
		return;
	}
	loader_name(&b, out, n);
	binary_release(&b);
}
