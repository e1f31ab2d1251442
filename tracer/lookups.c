/* lookups.c: dlsym. A program that loads its MPI library and looks its functions up there (Julia's
 * MPI.jl, Python's ctypes) finds ours in their place; whatever else is looked up is found as ever.
 *
 * What dlsym finds may depend on who calls it (RTLD_NEXT), which the C library sees from where it
 * returns to: so ours asks what it has, and jumps there with the caller's arguments. On other
 * architectures than those below it is not there, and such programs go past the tracer. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__)

typedef void *lookup_fn(void *handle, const char *name);

/* Seen from the instructions below. */
__attribute__((used, visibility("hidden"))) lookup_fn *lookup_behind;
__attribute__((used, visibility("hidden"))) void *lookup_ours(void *handle, const char *name);

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "	endbr64\n"
        "	push %rdi\n"
        "	push %rsi\n"
        "	sub $8, %rsp\n"
        "	call lookup_ours\n"
        "	add $8, %rsp\n"
        "	pop %rsi\n"
        "	pop %rdi\n"
        "	test %rax, %rax\n"
        "	je 1f\n"
        "	ret\n"
        "1:	jmp *lookup_behind(%rip)\n"
        ".size dlsym, .-dlsym\n");
#else
#define FIRST_VERSION "GLIBC_2.17"
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "	hint #34\n" /* bti c */
        "	stp x29, x30, [sp, #-32]!\n"
        "	mov x29, sp\n"
        "	stp x0, x1, [sp, #16]\n"
        "	bl lookup_ours\n"
        "	mov x9, x0\n"
        "	ldp x0, x1, [sp, #16]\n"
        "	ldp x29, x30, [sp], #32\n"
        "	cbz x9, 1f\n"
        "	mov x0, x9\n"
        "	ret\n"
        "1:	adrp x16, lookup_behind\n"
        "	ldr x16, [x16, #:lo12:lookup_behind]\n"
        "	br x16\n"
        ".size dlsym, .-dlsym\n");
#endif

/* The tracer's own handle. */
static void *self(void)
{
	static void *found;
	Dl_info info;

	if (!found && dladdr((void *)lookup_ours, &info))
		found = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	return found;
}

/* What stands at that place is a function of the library that has its profiling name as well: of
 * MPI's own, not of a tool's before it. */
static int is_of_mpi(void *handle, const char *name, void *at)
{
	char profiling[128];
	Dl_info here, there;
	void *other;

	if (snprintf(profiling, sizeof profiling, "%c%s", name[0] == 'M' ? 'P' : 'p', name) >=
	    (int)sizeof profiling)
		return 0;
	other = lookup_behind(handle, profiling);
	if (!other)
		dlerror(); /* nobody is to be told of it */
	return other && dladdr(at, &here) && dladdr(other, &there) &&
	       here.dli_fbase == there.dli_fbase;
}

/* NULL: what is there is to be found. */
void *lookup_ours(void *handle, const char *name)
{
	void *at, *ours;

	if (!lookup_behind) /* the first version is there on any system */
		*(void **)&lookup_behind = dlvsym(RTLD_NEXT, "dlsym", FIRST_VERSION);
	if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || !name ||
	    (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "mpi_", 4) != 0))
		return NULL;
	at = lookup_behind(handle, name);
	ours = at && self() ? lookup_behind(self(), name) : NULL;
	if (!at || !ours || at == ours || !is_of_mpi(handle, name, at)) {
		if (at)
			dlerror();
		return NULL;
	}
	return ours;
}

#endif
