/* image_bind.c: the relocations of all modules become a list of fixes, which hold for every slot:
 * names are looked up once. The order is the one of a loader: the program, what stands in for the C
 * library, libraries loaded before the program's, the program's own libraries, those in common. */
#include "image_int.h"
#include "live/hold.h"
#include "processor.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct found {
	const struct module *m; /* NULL: in common, at `address` */
	const Elf64_Sym *sym;
	uintptr_t address;
};

static int refuse(const struct module *m, struct err *err, const char *what)
{
	return err_set(err, ERR_INPUT,
	               "%s cannot be held as a coroutine: %s (--hold processes can)", m->path,
	               what);
}

static const char *version_of(const struct module *m, uint32_t symbol)
{
	uint32_t v = m->version ? m->version[symbol] & 0x7fff : 0;

	return v > 1 && v < m->n_version ? m->version_name[v] : NULL;
}

static int in_module(const struct module *m, const char *name, int calls, struct found *out)
{
	uint32_t i = hash_str_find(&m->symbols, name);

	if (i == HASH_NONE || (calls && m->sym[i].st_shndx == SHN_UNDEF))
		return 0;
	*out = (struct found){.m = m, .sym = &m->sym[i]};
	return 1;
}

/* The simulator has a copy of this one variable of the C library that the library itself follows:
 * what dlsym finds is a place that nobody sets. */
static int is_environment(const char *name)
{
	while (*name == '_')
		name++;
	return strcmp(name, "environ") == 0;
}

static int in_common(const struct image *im, const char *name, const char *version,
                     struct found *out)
{
	if (is_environment(name)) {
		*out = (struct found){.address = (uintptr_t)&environ};
		return 1;
	}
	for (uint32_t i = im->n_first; i < im->n_shared; i++) {
		void *p = version ? dlvsym(im->shared[i], name, version) : NULL;

		if (!p)
			p = dlsym(im->shared[i], name);
		if (p) {
			*out = (struct found){.address = (uintptr_t)p};
			return 1;
		}
	}
	return 0;
}

/* dlsym looks into what a library needs, too: only what is its own counts. */
static int in_first(const struct image *im, const char *name, struct found *out)
{
	if (im->hides && im->hides(name))
		return 0;
	for (uint32_t i = 0; i < im->n_first; i++) {
		void *p = dlsym(im->shared[i], name);
		struct link_map *l = NULL;
		Dl_info info;

		if (!p || !dladdr(p, &info) || dlinfo(im->shared[i], RTLD_DI_LINKMAP, &l) < 0 ||
		    (uintptr_t)info.dli_fbase != l->l_addr)
			continue;
		*out = (struct found){.address = (uintptr_t)p};
		return 1;
	}
	return 0;
}

static int in_own(const struct image *im, const char *name, struct found *out)
{
	const struct image_own *o = im->own;

	while (o && o->name && strcmp(o->name, name) != 0)
		o++;
	if (!o || !o->name)
		return 0;
	*out = (struct found){.address = (uintptr_t)o->function};
	return 1;
}

/* Whether names of a module are for another one: parts that are opened later know some of each
 * other. */
static int is_seen(const struct image *im, const struct module *from, const struct module *m)
{
	return m->part == 0 || m->part == from->part ||
	       (from->part && im->part[from->part].needs[m->part]);
}

/* copies: what a program has a copy of is that of a library. */
static int find(const struct image *im, const struct module *from, uint32_t symbol, int calls,
                int copies, struct found *out)
{
	const char *name = module_text(from, from->sym[symbol].st_name);
	const char *version = version_of(from, symbol);

	if (!copies && in_module(&im->module[0], name, calls, out))
		return 1;
	if (in_own(im, name, out) || in_first(im, name, out))
		return 1;
	if (im->preload && in_module(&im->module[im->preload], name, 0, out))
		return 1;
	for (uint32_t i = 1; i < im->n; i++)
		if (is_seen(im, from, &im->module[i]) && in_module(&im->module[i], name, 0, out))
			return 1;
	return in_common(im, name, version, out);
}

static uint64_t place(const struct module *m, uint64_t address)
{
	return m->at + (address - m->low);
}

/* So many bytes of the module's memory, which it may write to (or only has: flags 0). */
static int is_there(const struct module *m, uint64_t address, uint64_t bytes, uint32_t flags)
{
	for (uint32_t i = 0; i < m->n_ph; i++) {
		const Elf64_Phdr *p = &m->ph[i];

		if (p->p_type == PT_LOAD && (p->p_flags & flags) == flags &&
		    address >= p->p_vaddr && bytes <= p->p_memsz &&
		    address - p->p_vaddr <= p->p_memsz - bytes)
			return 1;
	}
	return 0;
}

static int add(struct image *im, enum fix_kind kind, uint64_t where, uint64_t value, uint32_t size,
               struct err *err)
{
	struct fix *p = vec_grow(im->fix, &im->cap_fix, sizeof *p, (size_t)im->n_fix + 1,
	                         "relocations", err);

	if (!p)
		return -1;
	im->fix = p;
	p[im->n_fix++] = (struct fix){
	    .where = where, .value = value, .size = size, .kind = (uint8_t)kind};
	return 0;
}

/* A copy of what is in common: as it is now, before any rank changes it. */
static int copy_keep(struct image *im, uint64_t where, const struct found *f, uint64_t size,
                     struct err *err)
{
	void *p = malloc(size + 1);

	if (!p)
		return err_nomem(err, "a library's variable", size);
	memcpy(p, (void *)f->address, size);
	if (add(im, FIX_COPY_VALUE, where, (uintptr_t)p, (uint32_t)size, err) == 0) {
		im->fix[im->n_fix - 1].source = f->address;
		return 0;
	}
	free(p);
	return -1;
}

static enum relocation kind_of(const Elf64_Rela *r)
{
	return relocation_of((uint32_t)ELF64_R_TYPE(r->r_info));
}

static int symbol_fix(struct image *im, const struct module *m, const Elf64_Rela *r,
                      struct err *err)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(r->r_info);
	int calls = kind_of(r) == RELOCATION_CALL, copies = kind_of(r) == RELOCATION_COPY;
	uint64_t where = place(m, r->r_offset), addend = (uint64_t)r->r_addend;
	const Elf64_Sym *s = &m->sym[symbol];
	struct found f;

	if (symbol >= m->n_sym)
		return refuse(m, err, "its relocations are broken");
	if (ELF64_ST_BIND(s->st_info) == STB_LOCAL) {
		f = (struct found){.m = m, .sym = s};
	} else if (!find(im, m, symbol, calls, copies, &f)) {
		int lazy = calls && in_own(im, "(nobody)", &f);

		if (lazy) /* as a loader has it: an error when it is called */
			return add(im, FIX_VALUE, where, f.address, 0, err);
		if (ELF64_ST_BIND(s->st_info) != STB_WEAK)
			return err_set(err, ERR_INPUT, "%s: no library of the program defines %s",
			               m->path, module_text(m, s->st_name));
		if (copies) /* of nothing: it stays as it is */
			return 0;
		f = (struct found){0};
		addend = 0;
	}
	if (copies && (!is_there(m, r->r_offset, s->st_size, PF_W) ||
	               (f.m && !is_there(f.m, f.sym->st_value, s->st_size, 0))))
		return refuse(m, err, "its relocations are broken");
	if (copies)
		return f.m ? add(im, FIX_COPY_PLACE, where, place(f.m, f.sym->st_value),
		                 (uint32_t)s->st_size, err)
		           : copy_keep(im, where, &f, s->st_size, err);
	/* programs without a table of calls (-fno-plt, Rust) call by addresses */
	if (!f.m && (calls || (ELF64_ST_TYPE(s->st_info) == STT_FUNC && addend == 0)))
		f.address = guard_call(im, module_text(m, s->st_name), f.address);
	if (!f.m)
		return add(im, FIX_VALUE, where, f.address + addend, 0, err);
	if (f.sym->st_shndx == SHN_ABS)
		return add(im, FIX_VALUE, where, f.sym->st_value + addend, 0, err);
	return add(im, ELF64_ST_TYPE(f.sym->st_info) == STT_GNU_IFUNC ? FIX_CALL : FIX_PLACE, where,
	           place(f.m, f.sym->st_value) + addend, 0, err);
}

/* A thread-local variable: its module's block has one distance for all. */
static int thread_fix(struct image *im, const struct module *m, const Elf64_Rela *r,
                      struct err *err)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(r->r_info);
	uint64_t where = place(m, r->r_offset), addend = (uint64_t)r->r_addend;
	struct found f = {.m = m};

	if (symbol >= m->n_sym)
		return refuse(m, err, "its relocations are broken");
	if (symbol) {
		f.sym = &m->sym[symbol];
		if (ELF64_ST_BIND(f.sym->st_info) != STB_LOCAL && !find(im, m, symbol, 0, 0, &f))
			return err_set(err, ERR_INPUT, "%s: no library of the program defines %s",
			               m->path, module_text(m, m->sym[symbol].st_name));
		if (!f.m)
			return refuse(m, err, "it uses a thread-local variable of the C library");
		addend += f.sym->st_value;
	}
	switch (kind_of(r)) {
	case RELOCATION_TLS_MODULE: /* own_tls_get_addr adds both to the thread's pointer */
		return add(im, FIX_VALUE, where, f.m->tls_at, 0, err);
	case RELOCATION_TLS_OFFSET:
		return add(im, FIX_VALUE, where, addend, 0, err);
	case RELOCATION_TLS_DESCRIPTOR:
		if (!is_there(m, r->r_offset, 2 * sizeof(uint64_t), PF_W))
			return refuse(m, err, "its relocations are broken");
		if (add(im, FIX_VALUE, where, (uintptr_t)coro_tls_descriptor, 0, err) < 0)
			return -1;
		return add(im, FIX_VALUE, where + sizeof(uint64_t), f.m->tls_at + addend, 0, err);
	default:
		return add(im, FIX_VALUE, where, f.m->tls_at + addend, 0, err);
	}
}

static int relocation_take(struct image *im, const struct module *m, const Elf64_Rela *r,
                           struct err *err)
{
	char text[64];

	if (kind_of(r) == RELOCATION_NONE)
		return 0;
	if (!is_there(m, r->r_offset, sizeof(uint64_t), PF_W) && kind_of(r) != RELOCATION_COPY)
		return refuse(m, err,
		              "a relocation is of memory that it has not, or may not write to");
	switch (kind_of(r)) {
	case RELOCATION_BASE:
		return add(im, FIX_PLACE, place(m, r->r_offset), place(m, (uint64_t)r->r_addend), 0,
		           err);
	case RELOCATION_RESOLVE:
		return add(im, FIX_CALL, place(m, r->r_offset), place(m, (uint64_t)r->r_addend), 0,
		           err);
	case RELOCATION_ADDRESS:
	case RELOCATION_CALL:
	case RELOCATION_COPY:
		return symbol_fix(im, m, r, err);
	case RELOCATION_TLS_MODULE:
	case RELOCATION_TLS_OFFSET:
	case RELOCATION_TLS_PLACE:
	case RELOCATION_TLS_DESCRIPTOR:
		return thread_fix(im, m, r, err);
	default:
		snprintf(text, sizeof text, "a relocation of kind %u is not known",
		         (unsigned)ELF64_R_TYPE(r->r_info));
		return refuse(m, err, text);
	}
}

/* Relative ones in their short form: an address, then bits for the 63 words that follow. */
static int relr_take(struct image *im, const struct module *m, struct err *err)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < m->n_relr; i++) {
		uint64_t e = m->relr[i];

		if (!(e & 1)) {
			const uint64_t *v = module_words(m, e, 8, 8);

			if (e % 8 != 0 || !is_there(m, e, sizeof *v, PF_W))
				return refuse(m, err, "its relocations are broken");
			if (v && add(im, FIX_PLACE, place(m, e), place(m, *v), 0, err) < 0)
				return -1;
			at = e + 8;
			continue;
		}
		for (int bit = 0; bit < 63; bit++) {
			const uint64_t *v = module_words(m, at + (uint64_t)bit * 8, 8, 8);

			if (e >> (bit + 1) & 1 && v &&
			    is_there(m, at + (uint64_t)bit * 8, 8, PF_W) &&
			    add(im, FIX_PLACE, place(m, at + (uint64_t)bit * 8), place(m, *v), 0,
			        err) < 0)
				return -1;
		}
		at += 63 * 8;
	}
	return 0;
}

/* Resolvers and copies look at what is relocated already. */
static int is_late(const Elf64_Rela *r)
{
	return kind_of(r) == RELOCATION_RESOLVE || kind_of(r) == RELOCATION_COPY;
}

static int module_bind(struct image *im, const struct module *m, int late, struct err *err)
{
	if (!late && relr_take(im, m, err) < 0)
		return -1;
	for (int t = 0; t < 2; t++)
		for (uint64_t k = 0; k < m->n_rela[t]; k++)
			if (is_late(&m->rela[t][k]) == late &&
			    relocation_take(im, m, &m->rela[t][k], err) < 0)
				return -1;
	return 0;
}

/* A loader has our library set the pointers of the program's libraries that have the same names:
 * in common, it sets its own. */
static int marks_bind(struct image *im, uint32_t first, struct err *err)
{
	const char *const *name = im->mpi ? dlsym(im->mpi, MARKS_SYMBOL) : NULL;

	for (; name && *name; name++)
		for (uint32_t i = first; i < im->n; i++) {
			const struct module *m = &im->module[i];
			struct found own, ours = {.address = (uintptr_t)dlsym(im->mpi, *name)};

			if (ours.address && in_module(m, *name, 1, &own) &&
			    is_there(m, own.sym->st_value, sizeof(void *), PF_W) &&
			    copy_keep(im, place(m, own.sym->st_value), &ours, sizeof(void *), err) <
			        0)
				return -1;
		}
	return 0;
}

int image_bind(struct image *im, uint32_t first, struct err *err)
{
	int rc = marks_bind(im, first, err);

	guards_begin(im, first);
	for (int late = 0; late < 2; late++)
		for (uint32_t i = first; i < im->n && rc == 0; i++)
			rc = module_bind(im, &im->module[im->order[i]], late, err);
	guards_end(im);
	return rc;
}

const struct module *image_module(const struct image *im, uint32_t slot, const void *address)
{
	for (uint32_t i = 0; i < im->n; i++) {
		const struct module *m = &im->module[i];
		const unsigned char *from = slot_address(im, slot, m, m->low), *p = address;

		if (p >= from && p < from + m->span)
			return m;
	}
	return NULL;
}

const struct module *image_module_any(const struct image *im, const void *address, uint32_t *slot)
{
	uintptr_t at = (uintptr_t)address - (uintptr_t)im->slots;

	*slot = at < im->n_slots * im->pitch ? (uint32_t)(at / im->pitch) : 0;
	return image_module(im, *slot, address);
}

/* The place of a module in the order in which names are looked up. */
static uint32_t turn(const struct image *im, const struct module *m)
{
	uint32_t i = (uint32_t)(m - im->module);

	return i == 0 ? 0 : i == im->preload ? 1 : i + 1;
}

void *image_find(const struct image *im, uint32_t slot, const char *name,
                 const struct module *behind)
{
	const struct module *best = NULL;
	struct found f, found = {0};

	if (in_own(im, name, &f))
		return (void *)f.address;
	for (uint32_t i = 0; i < im->n; i++) {
		const struct module *m = &im->module[i];

		if (m->part && (!slot_has(im, slot, m->part) || !im->part[m->part].is_global))
			continue;
		if ((behind && turn(im, m) <= turn(im, behind)) || !in_module(m, name, 1, &f) ||
		    (best && turn(im, best) < turn(im, m)))
			continue;
		best = m;
		found = f;
	}
	if (best)
		return slot_address(im, slot, best, found.sym->st_value);
	return in_first(im, name, &f) || in_common(im, name, NULL, &f) ? (void *)f.address : NULL;
}

void *image_find_behind(const struct image *im, uint32_t slot, const char *name)
{
	struct found f;

	for (uint32_t i = 0; i < im->n; i++)
		if ((im->module[i].part == 0 || slot_has(im, slot, im->module[i].part)) &&
		    in_module(&im->module[i], name, 1, &f))
			return slot_address(im, slot, f.m, f.sym->st_value);
	return in_common(im, name, NULL, &f) ? (void *)f.address : NULL;
}

void *image_find_in(const struct image *im, uint32_t slot, const char *name, const struct module *m)
{
	uint32_t queue[IMAGE_MODULES], n = 0, done = 0;
	uint8_t seen[IMAGE_MODULES] = {0};
	struct found f;

	if (in_own(im, name, &f))
		return (void *)f.address;
	queue[n++] = (uint32_t)(m - im->module);
	seen[queue[0]] = 1;
	while (done < n) { /* whom it needs, level by level */
		m = &im->module[queue[done++]];
		if (in_module(m, name, 1, &f))
			return slot_address(im, slot, m, f.sym->st_value);
		for (uint32_t i = 0; i < m->n_needed; i++)
			if (!seen[m->needed[i]]++)
				queue[n++] = m->needed[i];
	}
	return in_common(im, name, NULL, &f) ? (void *)f.address : NULL;
}

void *image_symbol(const struct image *im, uint32_t slot, const char *name)
{
	struct found f;

	for (uint32_t i = 0; i < im->n_first_modules; i++)
		if (in_module(&im->module[i], name, 1, &f))
			return slot_address(im, slot, f.m, f.sym->st_value);
	return NULL;
}
