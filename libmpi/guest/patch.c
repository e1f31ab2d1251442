/* patch.c: any function of the program or its libraries that is not run but takes what a model says
 * (`orrery run --kernel 'HPL_dlaswp00N(1,2)=model.json'`), while the rank is in MPI: its first
 * instructions become a jump. kernels.c has the functions whose arguments are known.
 *
 * name(m,n,k)=MODEL; … (given.h)  m, n and k are places of integer arguments, from 1 on; with a
 * star of their address, as in Fortran. What the function would have returned is 0. Functions that
 * were inlined are not found at all, and are left alone. */
#include "base/num.h"
#include "function.h"
#include "given.h"
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

enum { SIZES = 3, PATCHES = 64, STUB = 32 };

struct patch {
	char name[128];
	int place[SIZES]; /* 0: none; below 0: of an address */
	int index;        /* of those given */
	unsigned char *at, kept[JUMP_BYTES];
};
static struct patch patches[PATCHES];
static int n_patches;

SHOWN void orrery_guest_running(int on);

#if defined __x86_64__ || defined __aarch64__

#ifdef __aarch64__
enum { REGISTERS = 8 };
#else
enum { REGISTERS = 6 };
#endif

void orrery_kernel_common(void);
void orrery_kernel_called(struct patch *p, const int64_t *registers, const int64_t *stack);

static double size_of(int place, const int64_t *registers, const int64_t *stack)
{
	int i = abs(place) - 1;
	int64_t v;

	if (place == 0)
		return 1;
	v = i < REGISTERS ? registers[i] : stack[i - REGISTERS];
	return place > 0 ? (double)(int32_t)v : (double)*(const int32_t *)(intptr_t)v;
}

__attribute__((used)) void orrery_kernel_called(struct patch *p, const int64_t *registers,
                                                const int64_t *stack)
{
	double m = size_of(p->place[0], registers, stack),
	       n = size_of(p->place[1], registers, stack),
	       k = size_of(p->place[2], registers, stack);

	given_takes(p->index, m, n, k);
}

#ifdef __aarch64__

/* Of every such function: which one it was is in x17. */
__asm__(".text\n"
        ".type orrery_kernel_common, %function\n"
        "orrery_kernel_common:\n"
        "	stp x29, x30, [sp, #-80]!\n"
        "	mov x29, sp\n"
        "	stp x0, x1, [sp, #16]\n"
        "	stp x2, x3, [sp, #32]\n"
        "	stp x4, x5, [sp, #48]\n"
        "	stp x6, x7, [sp, #64]\n"
        "	mov x0, x17\n"
        "	add x1, sp, #16\n"
        "	add x2, sp, #80\n"
        "	bl orrery_kernel_called\n"
        "	ldp x29, x30, [sp], #80\n"
        "	mov x0, xzr\n"
        "	fmov d0, xzr\n"
        "	ret\n"
        ".size orrery_kernel_common, .-orrery_kernel_common\n");

/* ldr x17, patch | jump | patch. */
static unsigned char *stub_write(unsigned char *p, const struct patch *which)
{
	const uint32_t load = 0x58000011 | (sizeof load + JUMP_BYTES) / 4 << 5;

	memcpy(p, &load, sizeof load);
	jump_write(p + sizeof load, (const void *)(uintptr_t)orrery_kernel_common);
	memcpy(p + sizeof load + JUMP_BYTES, &which, sizeof which);
	return p;
}

#else

/* Of every such function: which one it was is in r11. */
__asm__(".text\n"
        ".type orrery_kernel_common, @function\n"
        "orrery_kernel_common:\n"
        "	sub $56, %rsp\n"
        "	mov %rdi, 0(%rsp)\n"
        "	mov %rsi, 8(%rsp)\n"
        "	mov %rdx, 16(%rsp)\n"
        "	mov %rcx, 24(%rsp)\n"
        "	mov %r8, 32(%rsp)\n"
        "	mov %r9, 40(%rsp)\n"
        "	mov %r11, %rdi\n"
        "	mov %rsp, %rsi\n"
        "	lea 64(%rsp), %rdx\n"
        "	call orrery_kernel_called@PLT\n"
        "	add $56, %rsp\n"
        "	xor %eax, %eax\n"
        "	pxor %xmm0, %xmm0\n"
        "	ret\n"
        ".size orrery_kernel_common, .-orrery_kernel_common\n");

/* movabs $patch, %r11; jump. */
static unsigned char *stub_write(unsigned char *p, const struct patch *which)
{
	p[0] = 0x49;
	p[1] = 0xbb;
	memcpy(p + 2, &which, sizeof which);
	jump_write(p + 10, (const void *)(uintptr_t)orrery_kernel_common);
	return p;
}

#endif

static int writable(unsigned char *p, int flags)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p / page * page;

	return mprotect((void *)from, (uintptr_t)p + JUMP_BYTES - from,
	                PROT_READ | PROT_EXEC | flags);
}

static void patch_set(struct patch *p, unsigned char *stub)
{
	size_t size;

	p->at = function_find(p->name, JUMP_BYTES, &size);
	if (!p->at || writable(p->at, PROT_WRITE) < 0) {
		p->at = NULL;
		return;
	}
	memcpy(p->kept, p->at, JUMP_BYTES);
	jump_write(p->at, stub_write(stub, p));
	code_written(p->at, p->at + JUMP_BYTES);
	writable(p->at, 0);
}

static void patch_clear(struct patch *p)
{
	if (!p->at || writable(p->at, PROT_WRITE) < 0)
		return;
	memcpy(p->at, p->kept, JUMP_BYTES);
	code_written(p->at, p->at + JUMP_BYTES);
	writable(p->at, 0);
	p->at = NULL;
}

static unsigned char *stubs_new(void)
{
	unsigned char *stubs = mmap(NULL, PATCHES * STUB, PROT_READ | PROT_WRITE,
	                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return stubs == MAP_FAILED ? NULL : stubs;
}

static void stubs_ready(unsigned char *stubs)
{
	code_written(stubs, stubs + PATCHES * STUB);
	mprotect(stubs, PATCHES * STUB, PROT_READ | PROT_EXEC);
}

static void patches_set(void)
{
	unsigned char *stubs = stubs_new();

	for (int i = 0; stubs && i < n_patches; i++)
		patch_set(&patches[i], stubs + (size_t)i * STUB);
	if (stubs)
		stubs_ready(stubs);
}

/* Who holds the ranks writes the jumps: into the text that ranks in MPI have. */
static int patches_tell(struct guest_patch *out, int most)
{
	unsigned char *stubs = stubs_new();
	int n = n_patches < most ? n_patches : most;

	for (int i = 0; stubs && i < n; i++) {
		out[i].name = patches[i].name;
		jump_write(out[i].jump, stub_write(stubs + (size_t)i * STUB, &patches[i]));
	}
	if (stubs)
		stubs_ready(stubs);
	return stubs ? n : 0;
}

#else

static void patches_set(void)
{
}

static void patch_clear(struct patch *p)
{
	(void)p;
}

static int patches_tell(struct guest_patch *out, int most)
{
	(void)out;
	(void)most;
	return 0;
}

#endif

/* --- what is wanted --- */

/* "(1,*2)=…": *text is behind the bracket that opens. */
static void places_read(struct patch *p, const char *c, const char *eq)
{
	for (int i = 0; c < eq && *c != ')' && i < SIZES; i++) {
		int star = *c == '*';
		int64_t place = 0;

		num_take_digits(c + star, &place);
		p->place[i] = (star ? -1 : 1) * (int)place;
		c += strcspn(c, ",)=");
		c += *c == ',';
	}
}

/* "name(1,2)=…": those with brackets. */
static void patches_read(void)
{
	const char *text = given_text();

	for (int i = 0; text && *text;
	     i++, text = strchr(text, ';') ? strchr(text, ';') + 1 : NULL) {
		struct patch *p = &patches[n_patches];
		const char *open = strchr(text, '('), *eq = strchr(text, '=');

		if (!open || !eq || open > eq || n_patches == PATCHES ||
		    (size_t)(open - text) >= sizeof p->name)
			continue;
		memcpy(p->name, text, (size_t)(open - text));
		p->index = i;
		places_read(p, open + 1, eq);
		n_patches++;
	}
}

void orrery_guest_running(int on)
{
	if (on && n_patches == 0)
		patches_read();
	if (on)
		patches_set();
	for (int i = 0; !on && i < n_patches; i++)
		patch_clear(&patches[i]);
}

SHOWN orrery_guest_hold_fn orrery_guest_hold;
int orrery_guest_hold(const struct guest_hold *h, struct guest_patch *out, int most)
{
	given_hold = h;
	memory_held();
	patches_read();
	return patches_tell(out, most);
}
