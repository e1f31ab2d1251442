/* binary.h: what a program's or library's file says without being run: what it needs, what it names
 * and has, how it is loaded. 64-bit ELF of this computer's byte order. Source: elf(5). */
#ifndef ORRERY_LAUNCH_BINARY_H
#define ORRERY_LAUNCH_BINARY_H

#include "base/base.h"

struct binary {
	void *map; /* the file; all names below point into it */
	size_t size;
	const char **needed; /* libraries (DT_NEEDED) */
	const char **wanted; /* functions and data that others are to have */
	const char **owned;  /* that it has for others */
	uint32_t n_needed, n_wanted, n_owned;
	const char *rpath, *runpath; /* NULL: none */
	int is_program;              /* has an interpreter (the dynamic linker) */
	int is_static;               /* a program without one */
	int is_relocatable;          /* may be loaded anywhere: PIE, or a shared object */
};

/* 0; 1: not an ELF file of this computer (a script, say); -1 with *err. */
int binary_open(const char *path, struct binary *out, struct err *err);
/* Whether it has a function of this name, static ones too if it has its table of symbols, or calls
 * one of another file. */
int binary_names(const struct binary *b, const char *function);
void binary_release(struct binary *b);
/* The processor that an ELF file of any kind is for ("AArch64"), if that is another one than this
 * program's; NULL: it is the same, or no ELF file, or cannot be looked at. */
const char *binary_other_processor(const char *path);
/* What the kernel starts for a file that is no program in itself: the interpreter of a script
 * ("#!"), the loader of an ELF file. Into out of n bytes, "" if it names none. */
void binary_interpreter(const char *path, char *out, size_t n);

#endif
