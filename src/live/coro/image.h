/* image.h: a program and those of its libraries that each rank has for itself, read and bound once,
 * and laid into memory as often as wanted: each copy (a slot) at addresses of its own, its text the
 * same pages of the same file.
 *
 *   image_read (files, symbols, thread-local storage) -> image_slots (address space)
 *   -> slot_lay(i): mapped and relocated -> ranks start in it
 *
 * Invariants
 *  1. Slots are alike: what is at an offset of one is at the same offset of all.
 *  2. Between [data_from, data_to) of each module lies all that a rank may change; what is
 * read-only after relocation is the same for all ranks of a slot.
 *  3. Thread-local storage of modules lies beside the thread's pointer (processor.h), at one place
 *     for all slots, as the code of a program has its distance in it: it is copied at a switch.
 */
#ifndef ORRERY_LIVE_CORO_IMAGE_H
#define ORRERY_LIVE_CORO_IMAGE_H

#include "base/base.h"
#include "live/jump.h"

#include <elf.h>

enum { IMAGE_MODULES = 1024, IMAGE_SHARED = 64, IMAGE_NEEDED = 128, IMAGE_PARTS = 192 };

struct module { /* one file; addresses are as in the file */
	char *path;
	unsigned char *file; /* mapped */
	size_t size;
	const Elf64_Phdr *ph;
	uint32_t n_ph;
	uint64_t low, span; /* of all segments, by pages */
	uint64_t at;        /* low's place in a slot */
	uint64_t entry;
	int is_fixed; /* must lie where the file says */
	int is_program;
	int runs_stack; /* its stack is to be executable */
	uint32_t part;  /* 0: it is there from the beginning; else which of im->part it is of */
	const Elf64_Sym *sym;
	uint32_t n_sym;
	const char *str;
	uint64_t str_size;
	const uint16_t *version;   /* of symbols; NULL: none */
	const char **version_name; /* by number; NULL: none */
	uint32_t n_version;
	struct hash_str symbols; /* that are defined: their numbers */
	const Elf64_Rela *rela[2];
	uint64_t n_rela[2];
	const uint64_t *relr;
	uint64_t n_relr;
	uint64_t init, fini, init_array, fini_array;
	uint64_t n_init, n_fini;
	uint64_t data_from, data_to; /* what a rank may change */
	uint64_t tls_from, tls_file, tls_size, tls_align;
	uint64_t tls_at;                         /* from the thread's pointer, modulo 2^64 */
	uint64_t frames;                         /* .eh_frame_hdr; 0: none */
	uint32_t needed[IMAGE_NEEDED], n_needed; /* modules */
	char *runpath, *rpath;
	int patched; /* + 1: a file like it, in which functions begin otherwise; 0: none */
};

enum fix_kind { FIX_VALUE, FIX_PLACE, FIX_CALL, FIX_COPY_PLACE, FIX_COPY_VALUE };
struct fix {                   /* what is done at a place of each slot */
	uint64_t where, value; /* value: an address; of PLACE and CALL: offset in the slot */
	uint32_t size;         /* of a copy */
	uint64_t source;       /* of COPY_VALUE: whose copy it is */
	uint8_t kind;
};

struct image_own { /* functions that stand in for the C library's */
	const char *name;
	void *function;
};

/* What a dlopen has read: modules that follow each other, laid into a slot when its rank asks for
 * them. Names are looked up in what was there from the beginning, in the part itself, and in those
 * that it needs or that were open to all when it was read. */
struct part {
	uint32_t first, n;
	uint32_t fix_from, fix_to;
	int is_global;
	uint8_t needs[IMAGE_PARTS];
};

struct image {
	struct module module[IMAGE_MODULES];
	uint32_t n;
	uint32_t n_first_modules, n_first_fix; /* from the beginning */
	struct part part[IMAGE_PARTS];         /* from 1 */
	uint32_t n_parts;
	uint8_t *open;    /* by slot, by part; NULL: none is */
	uint32_t preload; /* a module that goes before the program's libraries; 0: none */
	uint32_t order[IMAGE_MODULES]; /* of initialisation: who is needed goes first */
	void *shared[IMAGE_SHARED];    /* of dlopen: what all ranks use */
	uint32_t n_shared, n_first;    /* the first ones go before the program's own libraries */
	void *mpi;                     /* among them, our library; NULL: none is needed */
	char mpi_path[4096];
	const struct image_own *own;
	/* Names of the first libraries that they have not for this program; NULL: they have all. */
	int (*hides)(const char *name);
	/* Where a call of a function in common leads on a thread that a rank made; NULL: to itself.
	 */
	void *(*guard)(const char *name, const void *address);
	unsigned char *guards; /* their code; NULL: the program names no threads */
	uint32_t n_guards;
	struct fix *fix;
	uint32_t n_fix, cap_fix;
	uint64_t size;  /* of the modules in a slot */
	uint64_t stack; /* before them, with its guard before it */
	uint64_t room;  /* after them: for modules that are opened later */
	uint64_t pitch; /* from slot to slot */
	int runs_stack;
	uint64_t tls;  /* bytes of thread-local storage, all modules */
	uint64_t swap; /* bytes that a rank may change, all modules */
	/* Of the compiler's library: where exceptions find their way; NULL: nobody throws any, or
	 * it asks us (image_frames.c). bases[2]: where the function begins. */
	void (*frames_add)(const void *frames);
	void (*frames_drop)(const void *frames);
	const void *(*frames_find)(void *address, void *bases[3]);
	int asked; /* whether it asks us is known */
	unsigned char *slots;
	uint32_t n_slots;
	uint8_t *laid; /* by slot */
	int has_patches;
	uint8_t *is_patched; /* by slot, if it has any: which text is there */
};

/* library: folder of our MPI libraries. first: libraries looked at before all others, to share
 * (NULL-terminated). preload: one that goes before the program's libraries, and is private; NULL:
 * none. hides, guard: as above. */
struct image_words {
	const char *program, *library;
	const char *const *first;
	const char *preload;
	const struct image_own *own;
	int (*hides)(const char *name);
	void *(*guard)(const char *name, const void *address);
};
int image_read(struct image *im, const struct image_words *w, struct err *err);
void image_release(struct image *im);
/* Our library in the place of MPI's: 1, 0 if it is no library of MPI. */
int image_mpi(struct image *im, const char *name, const char *library, struct err *err);
/* Whether the program, or a library that names functions of MPI, names some that make threads:
 * image_guard.c. */
int image_has_threads(const struct image *im);
/* Bytes of the kernel's pages: of AArch64's some have 4, 16 or 64 KiB. */
uint64_t image_page(void);
/* Address space for n slots with such stacks. */
int image_slots(struct image *im, uint32_t n, uint64_t stack, struct err *err);
/* How many slots the kernel's limit of mappings has room for. */
uint32_t image_slots_max(const struct image *im);
int slot_lay(struct image *im, uint32_t slot, struct err *err);
/* It is laid anew before somebody is in it again. */
void slot_clear(struct image *im, uint32_t slot);

/* --- functions that begin otherwise, in some of the slots (image_patch.c) --- */

/* Of the program, or else of one of its libraries: its module; NULL: none has it. */
const struct module *image_function(const struct image *im, const char *name, uint64_t *address,
                                    uint64_t *size);
/* 1; 0: none has it, or it is too short. */
int image_patch(struct image *im, const char *name, const unsigned char jump[JUMP_BYTES],
                struct err *err);
/* Lays the text with such functions, or without, into a slot. */
int slot_patch(struct image *im, uint32_t slot, int on, struct err *err);

/* --- modules that are opened by a rank while it runs (image_open.c) --- */

struct image_name {
	const char *name;
	const char *library;       /* folder of our MPI libraries */
	const struct module *from; /* who asks */
	uint32_t slot;
	int is_global, only_if_there;
};
/* What it names: a module, or what all share (*shared). NULL: it is not there, or cannot be had. */
const struct module *image_open(struct image *im, const struct image_name *what, void **shared,
                                struct err *err);
/* Lays a part into a slot: 1; 0: it was there already. */
int slot_open(struct image *im, uint32_t slot, uint32_t part, struct err *err);
static inline int slot_has(const struct image *im, uint32_t slot, uint32_t part)
{
	return part == 0 || (im->open && im->open[(size_t)slot * IMAGE_PARTS + part]);
}
/* As dlsym finds a name in a module and those that it needs: or NULL. */
void *image_find_in(const struct image *im, uint32_t slot, const char *name,
                    const struct module *m);

static inline unsigned char *slot_at(const struct image *im, uint32_t slot)
{
	return im->slots + slot * im->pitch;
}
/* Where an address of a module's file is in a slot. */
static inline void *slot_address(const struct image *im, uint32_t slot, const struct module *m,
                                 uint64_t address)
{
	return (void *)((uintptr_t)slot_at(im, slot) + m->at + (address - m->low));
}
static inline unsigned char *slot_stack_top(const struct image *im, uint32_t slot)
{
	return slot_at(im, slot) + im->stack;
}
/* Bytes that a rank may change, to and from one piece of memory of im->swap bytes. */
void slot_save(const struct image *im, uint32_t slot, unsigned char *to);
void slot_restore(const struct image *im, uint32_t slot, const unsigned char *from);
/* The symbol's address in a slot, or NULL. */
void *image_symbol(const struct image *im, uint32_t slot, const char *name);
/* The module that an address of a slot lies in, or NULL. */
const struct module *image_module(const struct image *im, uint32_t slot, const void *address);
/* The same of whichever slot it is: *slot. */
const struct module *image_module_any(const struct image *im, const void *address, uint32_t *slot);
/* As dlsym finds a name for all, or (NULL: no such module) behind a module: or NULL. */
void *image_find(const struct image *im, uint32_t slot, const char *name,
                 const struct module *behind);
/* Without the libraries that are looked at before all others: or NULL. */
void *image_find_behind(const struct image *im, uint32_t slot, const char *name);

#endif
