/* processor.h: what the loader has to know of a processor: x86-64 (System V ABI, AMD64 supplement)
 * and AArch64 (ELF for the Arm 64-bit architecture). For others ranks are processes. */
#ifndef ORRERY_LIVE_CORO_PROCESSOR_H
#define ORRERY_LIVE_CORO_PROCESSOR_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#if defined __x86_64__
enum { PROCESSOR_ELF = EM_X86_64 };
#elif defined __aarch64__
enum { PROCESSOR_ELF = EM_AARCH64 };
#else
enum { PROCESSOR_ELF = EM_NONE };
#endif

/* Thread-local storage of a program lies below the thread's pointer and ends there (variant II of
 * the ABI), or above it, behind two words that are the C library's (variant I). */
#if defined __aarch64__
enum { TLS_ABOVE = 1, TLS_HEAD = 16 };
#else
enum { TLS_ABOVE = 0, TLS_HEAD = 0 };
#endif

static inline unsigned char *thread_pointer(void)
{
#if defined __x86_64__ || defined __aarch64__
	return __builtin_thread_pointer();
#else
	return NULL;
#endif
}

/* What a relocation writes; S: the symbol's address, A: the addend, B: where the module lies. */
enum relocation {
	RELOCATION_UNKNOWN,
	RELOCATION_NONE,
	RELOCATION_BASE,    /* B + A */
	RELOCATION_RESOLVE, /* what the function at B + A returns */
	RELOCATION_ADDRESS, /* S + A */
	RELOCATION_CALL,    /* S, of a function */
	RELOCATION_COPY,    /* bytes of a variable */
	RELOCATION_TLS_MODULE,
	RELOCATION_TLS_OFFSET,    /* in its module's block */
	RELOCATION_TLS_PLACE,     /* from the thread's pointer */
	RELOCATION_TLS_DESCRIPTOR /* two words: a function that returns that, and its argument */
};
enum relocation relocation_of(uint32_t type);
/* The function of such a descriptor whose argument is the place itself: it has a calling convention
 * of its own. */
void coro_tls_descriptor(void);
/* Calls a function that chooses another one by what the processor can (STT_GNU_IFUNC). */
uintptr_t processor_resolve(uintptr_t function);

#endif
