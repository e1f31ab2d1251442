/* image_read.c: the files of a program are read: segments, dynamic tables, symbols; and the
 * libraries it needs are found. Text is not changed, so that all slots share it. */
#include "image_int.h"
#include "live/search.h"
#include "processor.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- a file --- */

static int refuse(const struct module *m, struct err *err, const char *why)
{
	return err_set(err, ERR_INPUT,
	               "%s cannot be held as a coroutine: %s (--hold processes can)", m->path, why);
}

static int file_map(struct module *m, struct err *err)
{
	int fd = open(m->path, O_RDONLY | O_CLOEXEC);
	struct stat s;

	if (fd < 0 || fstat(fd, &s) < 0) {
		err_sys(err, errno, "%s", m->path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	m->size = (size_t)s.st_size;
	m->file = m->size ? mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	if (m->file == MAP_FAILED) {
		m->file = NULL;
		return err_sys(err, m->size ? errno : ENOEXEC, "%s", m->path);
	}
	return 0;
}

static int header_take(struct module *m, struct err *err)
{
	const Elf64_Ehdr *h = (const void *)m->file;

	if (m->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(m, err, "it is a script or the like, no program");
	if (PROCESSOR_ELF == EM_NONE)
		return refuse(m, err, "this computer's processor is not known");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != PROCESSOR_ELF ||
	    (h->e_type != ET_DYN && h->e_type != ET_EXEC))
		return refuse(m, err, "it is for another processor");
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff > m->size || h->e_phoff % 8 != 0 ||
	    h->e_phnum > (m->size - h->e_phoff) / sizeof(Elf64_Phdr))
		return refuse(m, err, "its headers are broken");
	m->ph = (const void *)(m->file + h->e_phoff);
	m->n_ph = h->e_phnum;
	m->entry = h->e_entry;
	m->is_fixed = h->e_type == ET_EXEC;
	return 0;
}

/* Bytes at an address of the file, or NULL: fewer than n are there. */
const void *module_bytes(const struct module *m, uint64_t address, uint64_t n)
{
	for (uint32_t i = 0; i < m->n_ph; i++) {
		const Elf64_Phdr *p = &m->ph[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr <= p->p_filesz &&
		    n <= p->p_filesz - (address - p->p_vaddr))
			return m->file + p->p_offset + (address - p->p_vaddr);
	}
	return NULL;
}

/* As module_bytes, of what linkers align to so many bytes: NULL too where it is not. */
const void *module_words(const struct module *m, uint64_t address, uint64_t n, unsigned align)
{
	const void *p = module_bytes(m, address, n);

	return (uintptr_t)p % align == 0 ? p : NULL;
}

uint64_t image_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t page_down(uint64_t x)
{
	return x / image_page() * image_page();
}

static uint64_t page_up(uint64_t x)
{
	return page_down(x + image_page() - 1);
}

static int segments_take(struct module *m, struct err *err)
{
	uint64_t low = UINT64_MAX, high = 0, from = UINT64_MAX, to = 0, relro = 0;

	for (uint32_t i = 0; i < m->n_ph; i++) {
		const Elf64_Phdr *p = &m->ph[i];

		if (p->p_type == PT_LOAD || p->p_type == PT_TLS)
			if (p->p_offset > m->size || p->p_filesz > m->size - p->p_offset ||
			    p->p_filesz > p->p_memsz || p->p_vaddr + p->p_memsz < p->p_vaddr)
				return refuse(m, err, "its segments are broken");
		if (p->p_type == PT_LOAD) {
			low = page_down(p->p_vaddr) < low ? page_down(p->p_vaddr) : low;
			high = page_up(p->p_vaddr + p->p_memsz) > high
			           ? page_up(p->p_vaddr + p->p_memsz)
			           : high;
			if (p->p_flags & PF_W) {
				from = p->p_vaddr < from ? p->p_vaddr : from;
				to = p->p_vaddr + p->p_memsz > to ? p->p_vaddr + p->p_memsz : to;
			}
			if ((p->p_offset - p->p_vaddr) % image_page() != 0)
				return refuse(m, err, "its segments are not aligned to pages");
		} else if (p->p_type == PT_TLS) {
			m->tls_from = p->p_vaddr;
			m->tls_file = p->p_filesz;
			m->tls_size = p->p_memsz;
			m->tls_align = p->p_align ? p->p_align : 1;
		} else if (p->p_type == PT_GNU_RELRO) {
			relro = p->p_vaddr + p->p_memsz;
		} else if (p->p_type == PT_GNU_EH_FRAME) {
			m->frames = p->p_vaddr;
		} else if (p->p_type == PT_GNU_STACK) {
			m->runs_stack = (p->p_flags & PF_X) != 0;
		}
	}
	if (low > high)
		return refuse(m, err, "it has nothing to load");
	m->low = low;
	m->span = high - low;
	m->data_from = from > to ? 0 : from;
	m->data_to = from > to ? 0 : to;
	if (relro > m->data_from && relro <= m->data_to)
		m->data_from = relro;
	return 0;
}

/* --- its dynamic table --- */

struct dynamic {
	uint64_t strtab, strsz, symtab, hash, gnu_hash, rela, relasz, jmprel, pltrelsz, versym;
	uint64_t verneed, verneednum, verdef, verdefnum, relr, relrsz, runpath, rpath, textrel;
	uint64_t needed[IMAGE_NEEDED];
	uint32_t n_needed;
	int pie;
};

static void tag_take(struct module *m, struct dynamic *d, const Elf64_Dyn *e)
{
	const struct {
		int64_t tag;
		uint64_t *to;
	} known[] = {
	    {DT_STRTAB, &d->strtab},
	    {DT_STRSZ, &d->strsz},
	    {DT_SYMTAB, &d->symtab},
	    {DT_HASH, &d->hash},
	    {DT_GNU_HASH, &d->gnu_hash},
	    {DT_RELA, &d->rela},
	    {DT_RELASZ, &d->relasz},
	    {DT_JMPREL, &d->jmprel},
	    {DT_PLTRELSZ, &d->pltrelsz},
	    {DT_VERSYM, &d->versym},
	    {DT_VERNEED, &d->verneed},
	    {DT_VERNEEDNUM, &d->verneednum},
	    {DT_VERDEF, &d->verdef},
	    {DT_VERDEFNUM, &d->verdefnum},
	    {DT_RUNPATH, &d->runpath},
	    {DT_RPATH, &d->rpath},
	    {36 /* DT_RELR */, &d->relr},
	    {35 /* DT_RELRSZ */, &d->relrsz},
	    {DT_INIT, &m->init},
	    {DT_FINI, &m->fini},
	    {DT_INIT_ARRAY, &m->init_array},
	    {DT_INIT_ARRAYSZ, &m->n_init},
	    {DT_FINI_ARRAY, &m->fini_array},
	    {DT_FINI_ARRAYSZ, &m->n_fini},
	};

	if (e->d_tag == DT_NEEDED && d->n_needed < IMAGE_NEEDED)
		d->needed[d->n_needed++] = e->d_un.d_val;
	if (e->d_tag == DT_TEXTREL || (e->d_tag == DT_FLAGS && e->d_un.d_val & DF_TEXTREL))
		d->textrel = 1;
	if (e->d_tag == DT_FLAGS_1)
		d->pie = (e->d_un.d_val & DF_1_PIE) != 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].tag == e->d_tag)
			*known[i].to = e->d_un.d_val;
}

static int dynamic_read(struct module *m, struct dynamic *d, struct err *err)
{
	int found = 0, loader = 0;

	*d = (struct dynamic){0};
	for (uint32_t i = 0; i < m->n_ph; i++) {
		const Elf64_Dyn *e;

		loader |= m->ph[i].p_type == PT_INTERP;
		if (m->ph[i].p_type != PT_DYNAMIC)
			continue;
		e = module_words(m, m->ph[i].p_vaddr, m->ph[i].p_filesz, 8);
		for (uint64_t k = 0; e && k < m->ph[i].p_filesz / sizeof *e; k++) {
			if (e[k].d_tag == DT_NULL)
				break;
			tag_take(m, d, &e[k]);
		}
		found = e != NULL;
	}
	m->n_init /= 8;
	m->n_fini /= 8;
	if (!found ||
	    (d->pie && !loader)) /* -static, -static-pie: it begins with a C library of its own */
		return refuse(m, err, "it is linked statically");
	if (d->textrel)
		return refuse(m, err, "its text is not independent of its place");
	m->str = module_bytes(m, d->strtab, d->strsz);
	m->str_size = d->strsz;
	if (!m->str || d->strsz == 0 || m->str[d->strsz - 1] != '\0')
		return refuse(m, err, "its names are broken");
	return 0;
}

const char *module_text(const struct module *m, uint64_t place)
{
	return place < m->str_size ? m->str + place : "";
}

/* How many symbols: the old hash table says it; of the GNU one the last chain's end. */
static uint32_t symbols_count(const struct module *m, const struct dynamic *d)
{
	const uint32_t *h = d->hash ? module_words(m, d->hash, 8, 4) : NULL, *bucket, *chain;
	uint32_t last = 0, n;

	if (h)
		return h[1];
	h = d->gnu_hash ? module_words(m, d->gnu_hash, 16, 4) : NULL;
	if (!h)
		return 0;
	bucket = module_bytes(m, d->gnu_hash + 16 + (uint64_t)h[2] * 8, (uint64_t)h[0] * 4);
	for (uint32_t i = 0; bucket && i < h[0]; i++)
		last = bucket[i] > last ? bucket[i] : last;
	if (last < h[1]) { /* none is defined: those wanted are in relocations */
		n = 1;
		for (int t = 0; t < 2; t++)
			for (uint64_t i = 0; i < m->n_rela[t]; i++)
				if (ELF64_R_SYM(m->rela[t][i].r_info) >= n)
					n = (uint32_t)ELF64_R_SYM(m->rela[t][i].r_info) + 1;
		return n > h[1] ? n : h[1];
	}
	for (;; last++) { /* the end of a chain is odd */
		chain = module_bytes(m,
		                     d->gnu_hash + 16 + (uint64_t)h[2] * 8 + (uint64_t)h[0] * 4 +
		                         (uint64_t)(last - h[1]) * 4,
		                     4);
		if (!chain || *chain & 1)
			break;
	}
	return last + 1;
}

static int version_name(struct module *m, uint32_t number, const char *name, struct err *err)
{
	number &= 0x7fff;
	if (number >= m->n_version) {
		const char **p = realloc(m->version_name, (number + 1) * sizeof *p);

		if (!p)
			return err_nomem(err, "versions of symbols", number);
		memset(p + m->n_version, 0, (number + 1 - m->n_version) * sizeof *p);
		m->version_name = p;
		m->n_version = number + 1;
	}
	m->version_name[number] = name;
	return 0;
}

static int versions_read(struct module *m, const struct dynamic *d, struct err *err)
{
	uint64_t at = d->verneed;

	for (uint64_t i = 0; at && i < d->verneednum; i++) {
		const Elf64_Verneed *v = module_words(m, at, sizeof *v, 4);
		uint64_t aux = v ? at + v->vn_aux : 0;

		for (uint32_t k = 0; v && k < v->vn_cnt; k++) {
			const Elf64_Vernaux *x = module_words(m, aux, sizeof *x, 4);

			if (!x)
				break;
			if (version_name(m, x->vna_other, module_text(m, x->vna_name), err) < 0)
				return -1;
			aux += x->vna_next;
		}
		if (!v || !v->vn_next)
			break;
		at += v->vn_next;
	}
	at = d->verdef;
	for (uint64_t i = 0; at && i < d->verdefnum; i++) {
		const Elf64_Verdef *v = module_words(m, at, sizeof *v, 4);
		const Elf64_Verdaux *x = v ? module_words(m, at + v->vd_aux, sizeof *x, 4) : NULL;

		if (!x)
			break;
		if (version_name(m, v->vd_ndx, module_text(m, x->vda_name), err) < 0)
			return -1;
		if (!v->vd_next)
			break;
		at += v->vd_next;
	}
	return 0;
}

/* Those that others may use. Of several versions the one that is not hidden. */
static int symbols_read(struct module *m, const struct dynamic *d, struct err *err)
{
	uint32_t n = symbols_count(m, d);

	m->sym = module_words(m, d->symtab, (uint64_t)n * sizeof *m->sym, 8);
	if (!m->sym)
		return refuse(m, err, "its symbols are broken");
	m->n_sym = n;
	m->version = d->versym ? module_words(m, d->versym, (uint64_t)n * 2, 2) : NULL;
	if (versions_read(m, d, err) < 0)
		return -1;
	for (uint32_t i = 1; i < n; i++) {
		const Elf64_Sym *s = &m->sym[i];
		int bind = ELF64_ST_BIND(s->st_info);
		int plt = m->is_fixed && s->st_shndx == SHN_UNDEF && s->st_value != 0;

		if ((s->st_shndx == SHN_UNDEF && !plt) || bind == STB_LOCAL ||
		    ELF64_ST_VISIBILITY(s->st_other) == STV_HIDDEN)
			continue;
		if (m->version && m->version[i] & 0x8000 &&
		    hash_str_find(&m->symbols, module_text(m, s->st_name)) != HASH_NONE)
			continue;
		if (hash_str_put(&m->symbols, module_text(m, s->st_name), i, err) < 0)
			return -1;
	}
	return 0;
}

static int relocations_take(struct module *m, const struct dynamic *d, struct err *err)
{
	m->rela[0] = module_words(m, d->rela, d->relasz, 8);
	m->n_rela[0] = m->rela[0] ? d->relasz / sizeof(Elf64_Rela) : 0;
	m->rela[1] = module_words(m, d->jmprel, d->pltrelsz, 8);
	m->n_rela[1] = m->rela[1] ? d->pltrelsz / sizeof(Elf64_Rela) : 0;
	m->relr = module_words(m, d->relr, d->relrsz, 8);
	m->n_relr = m->relr ? d->relrsz / 8 : 0;
	return (d->relasz && !m->rela[0]) || (d->pltrelsz && !m->rela[1]) || (d->relrsz && !m->relr)
	           ? refuse(m, err, "its relocations are broken")
	           : 0;
}

/* --- libraries --- */

/* Those that all ranks use: OpenBLAS has no state but its threads; the C library keeps what its
 * threads and its loader need, and what of it would leak from rank to rank is kept apart (own.c).
 */
int image_is_common(const char *name)
{
	static const char *const names[] = {"libc.so.",      "libm.so.",       "libpthread.so.",
	                                    "libdl.so.",     "librt.so.",      "libutil.so.",
	                                    "libresolv.so.", "libgcc_s.so.",   "ld-linux-",
	                                    "libmvec.so.",   "libopenblas.so."};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

int image_library(const struct image *im, const struct module *m, const char *name, char *out,
                  struct err *err)
{
	const struct module *program = &im->module[0];
	const struct search where = {m->path, m->rpath, m->runpath, program->path,
	                             program->runpath ? NULL : program->rpath};

	int found = search_library(&where, name, out, err);

	return found ? (found < 0 ? -1 : 0)
	             : err_set(err, ERR_INPUT, "%s, which %s needs, was not found", name, m->path);
}

int image_share(struct image *im, const char *path, void **out, struct err *err)
{
	void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!h)
		return err_set(err, ERR_INPUT, "%s", dlerror());
	*out = h;
	for (uint32_t i = 0; i < im->n_shared; i++)
		if (im->shared[i] == h) {
			dlclose(h);
			return 0;
		}
	if (im->n_shared == IMAGE_SHARED)
		return err_set(
		    err, ERR_LIMIT,
		    "more than %d libraries in common: --hold processes has no such limit",
		    IMAGE_SHARED);
	im->shared[im->n_shared++] = h;
	return 0;
}

int image_mpi(struct image *im, const char *name, const char *library, struct err *err)
{
	static const char *const ours[][2] = {{"libmpich.so.12", "mpich/libmpich.so.12"},
	                                      {"libmpi.so.12", "mpich/libmpich.so.12"},
	                                      {"libmpi.so.40", "openmpi/libmpi.so.40"},
	                                      {"libmpi_abi.so.0", "abi/libmpi_abi.so.0"}};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
		if (strcmp(name, ours[i][0]) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", library, ours[i][1]);
		if (im->mpi && strcmp(path, im->mpi_path) != 0)
			return err_set(err, ERR_INPUT,
			               "%s and another library of MPI in one program; --mpi says "
			               "which one a program loads while it runs",
			               name);
		snprintf(im->mpi_path, sizeof im->mpi_path, "%s", path);
		return image_share(im, path, &im->mpi, err) < 0 ? -1 : 1;
	}
	return 0;
}

/* --- all --- */

static int needed_take(struct image *im, uint32_t self, const char *name, const char *library,
                       struct err *err)
{
	struct module *m = &im->module[self];
	char path[PATH_MAX];
	uint32_t other;
	void *handle;
	int rc = image_mpi(im, name, library, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (image_is_common(name))
		return image_share(im, name, &handle, err);
	if (strcmp(name, "libmpi_mpifh.so.40") == 0)
		snprintf(path, sizeof path, "%s/openmpi/%s", library, name);
	else if (image_library(im, m, name, path, err) < 0)
		return -1;
	if (image_module_read(im, path, library, &other, err) < 0)
		return -1;
	m->needed[m->n_needed++] = other;
	return 0;
}

/* Sanitizers know one stack a thread, and want to be there before all else. Whoever is built with
 * one calls its beginning. */
static int sanitized_refuse(const struct module *m, struct err *err)
{
	static const char *const begins[][2] = {{"__asan_init", "AddressSanitizer"},
	                                        {"__hwasan_init", "HWAddressSanitizer"},
	                                        {"__msan_init", "MemorySanitizer"},
	                                        {"__tsan_init", "ThreadSanitizer"}};

	for (uint32_t i = 1; i < m->n_sym; i++)
		for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
			if (strcmp(module_text(m, m->sym[i].st_name), begins[k][0]) == 0)
				return err_set(err, ERR_LIMIT,
				               "%s is built with %s, which knows no coroutines: "
				               "--hold processes",
				               m->path, begins[k][1]);
	return 0;
}

static int module_take(struct image *im, uint32_t self, const char *library, struct err *err)
{
	struct module *m = &im->module[self];
	struct dynamic d;

	if (file_map(m, err) < 0 || header_take(m, err) < 0 || segments_take(m, err) < 0 ||
	    dynamic_read(m, &d, err) < 0 || relocations_take(m, &d, err) < 0 ||
	    symbols_read(m, &d, err) < 0 || sanitized_refuse(m, err) < 0)
		return -1;
	if (m->is_fixed && self > 0)
		return refuse(m, err, "it is no library");
	m->runpath = d.runpath ? strdup(module_text(m, d.runpath)) : NULL;
	m->rpath = d.rpath ? strdup(module_text(m, d.rpath)) : NULL;
	for (uint32_t i = 0; i < d.n_needed; i++)
		if (needed_take(im, self, module_text(m, d.needed[i]), library, err) < 0)
			return -1;
	return 0;
}

int image_module_read(struct image *im, const char *path, const char *library, uint32_t *index,
                      struct err *err)
{
	char real[PATH_MAX];
	uint32_t self = im->n;

	if (!realpath(path, real))
		return err_sys(err, errno, "%s", path);
	for (uint32_t i = 0; i < im->n; i++)
		if (strcmp(im->module[i].path, real) == 0) {
			*index = i;
			return 0;
		}
	if (self == IMAGE_MODULES)
		return err_set(err, ERR_LIMIT,
		               "more than %d libraries: --hold processes has no such limit",
		               IMAGE_MODULES);
	*index = self;
	im->module[self].path = strdup(real);
	if (!im->module[self].path)
		return err_nomem(err, "name of a library", strlen(real));
	hash_str_init(&im->module[self].symbols);
	im->module[self].is_program = self == 0;
	im->n++;
	return module_take(im, self, library, err);
}

static void order_add(struct image *im, uint32_t i, uint8_t *seen, uint32_t *n)
{
	if (seen[i])
		return;
	seen[i] = 1;
	for (uint32_t k = 0; k < im->module[i].n_needed; k++)
		order_add(im, im->module[i].needed[k], seen, n);
	im->order[(*n)++] = i;
}

/* Of modules from this one on, after those in the order already. */
void image_order(struct image *im, uint32_t first)
{
	uint8_t seen[IMAGE_MODULES] = {0};
	uint32_t n = first;

	memset(seen, 1, first);
	if (first == 0 && im->preload) /* the program is initialised last */
		order_add(im, im->preload, seen, &n);
	for (uint32_t i = first; i < im->n; i++)
		order_add(im, i, seen, &n);
}

static uint64_t up(uint64_t x, uint64_t to)
{
	return (x + to - 1) / to * to;
}

/* Where a module's thread-local storage is, behind (or before) bytes of others, as a linker takes
 * it for the program's: so many bytes with it. */
static uint64_t tls_place(struct module *m, uint64_t others)
{
	uint64_t at = TLS_ABOVE ? up(TLS_HEAD + others, m->tls_align)
	                        : up(others + m->tls_size, m->tls_align);

	m->tls_at = TLS_ABOVE ? at : 0 - at;
	return TLS_ABOVE ? at + m->tls_size - TLS_HEAD : at;
}

/* Places of modules in a slot, and of their thread-local storage. Those before `first` have
 * theirs. */
void image_places(struct image *im, uint32_t first)
{
	uint64_t tls = first ? im->tls : 0;

	for (uint32_t i = first; i < im->n; i++) {
		struct module *m = &im->module[i];

		m->at = m->is_fixed ? (uint64_t)1 << 46 : im->stack + im->size; /* image_slots.c */
		im->size += m->is_fixed ? 0 : m->span;
		im->swap += m->data_to - m->data_from;
		im->runs_stack |= m->runs_stack;
		if (m->tls_size == 0)
			continue;
		tls = tls_place(m, tls);
	}
	im->tls = up(tls, 16);
}

int image_read(struct image *im, const struct image_words *w, struct err *err)
{
	uint32_t index;
	void *handle;

	*im = (struct image){.own = w->own, .hides = w->hides, .guard = w->guard};
	for (const char *const *first = w->first; first && *first; first++)
		if (image_share(im, *first, &handle, err) < 0)
			return -1;
	im->n_first = im->n_shared;
	if (image_module_read(im, w->program, w->library, &index, err) < 0)
		return -1;
	if (w->preload && image_module_read(im, w->preload, w->library, &im->preload, err) < 0)
		return -1;
	image_order(im, 0);
	image_frames(im);
	image_places(im, 0);
	if (image_bind(im, 0, err) < 0)
		return -1;
	im->n_first_modules = im->n;
	im->n_first_fix = im->n_fix;
	return 0;
}

void image_modules_drop(struct image *im, uint32_t first)
{
	for (uint32_t i = first; i < im->n; i++) {
		struct module *m = &im->module[i];

		if (m->file)
			munmap(m->file, m->size);
		hash_str_release(&m->symbols);
		free(m->version_name);
		free(m->runpath);
		free(m->rpath);
		free(m->path);
		if (m->patched)
			close(m->patched - 1);
		*m = (struct module){0};
	}
	im->n = first;
}

void image_fixes_drop(struct image *im, uint32_t first)
{
	for (uint32_t i = first; i < im->n_fix; i++)
		if (im->fix[i].kind == FIX_COPY_VALUE)
			free((void *)(uintptr_t)im->fix[i].value);
	im->n_fix = first;
}
