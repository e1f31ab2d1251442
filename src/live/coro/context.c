/* context.c: see context.h. What is saved lies on the stack that is left:
 *   x86-64:  sp -> control words (mxcsr, x87) | r15 r14 r13 r12 rbx rbp | address to return to
 *   AArch64: sp -> x29, address to return to | x19 to x28 | d8 to d15 | fpcr | nothing */
#include "context.h"

#include <string.h>

#if defined __x86_64__
__asm__(".text\n"
        ".globl coro_switch\n"
        ".hidden coro_switch\n"
        ".type coro_switch, @function\n"
        "coro_switch:\n"
        "	push %rbp\n"
        "	push %rbx\n"
        "	push %r12\n"
        "	push %r13\n"
        "	push %r14\n"
        "	push %r15\n"
        "	sub $8, %rsp\n"
        "	stmxcsr (%rsp)\n"
        "	fnstcw 4(%rsp)\n"
        "	movw $0, 6(%rsp)\n"
        "	mov (%rsp), %rax\n"
        "	mov %rsp, (%rdi)\n"
        "	mov %rsi, %rsp\n"
        "	cmp %rax, (%rsp)\n"
        "	je 1f\n"
        "	ldmxcsr (%rsp)\n"
        "	fldcw 4(%rsp)\n"
        "1:	add $8, %rsp\n"
        "	pop %r15\n"
        "	pop %r14\n"
        "	pop %r13\n"
        "	pop %r12\n"
        "	pop %rbx\n"
        "	pop %rbp\n"
        "	ret\n"
        ".size coro_switch, .-coro_switch\n"
        /* the first switch: r12(r13) */
        ".globl coro_begin\n"
        ".hidden coro_begin\n"
        ".type coro_begin, @function\n"
        "coro_begin:\n"
        "	mov %r13, %rdi\n"
        "	xor %ebp, %ebp\n"
        "	call *%r12\n"
        "	ud2\n"
        ".size coro_begin, .-coro_begin\n");
void coro_begin(void);

struct saved {
	uint32_t mxcsr;
	uint16_t x87, zero;
	uint64_t r15, r14, r13, r12, rbx, rbp;
	void (*back)(void);
	uint64_t none[2]; /* a call from here finds the stack aligned */
};

void *coro_context(void *top, void (*function)(void *argument), void *argument)
{
	uintptr_t end = (uintptr_t)top & ~(uintptr_t)15;
	struct saved *s = (struct saved *)(end - sizeof *s);

	memset(s, 0, sizeof *s);
	s->mxcsr = 0x1f80; /* all exceptions masked, to nearest */
	s->x87 = 0x37f;
	s->r12 = (uintptr_t)function;
	s->r13 = (uintptr_t)argument;
	s->back = coro_begin;
	return s;
}

_Noreturn void coro_enter_program(uintptr_t entry, void *arguments)
{
	__asm__ volatile("mov %1, %%rsp\n"
	                 "	xor %%edx, %%edx\n" /* no function of a loader's to call at exit */
	                 "	xor %%ebp, %%ebp\n"
	                 "	jmp *%0\n"
	                 :
	                 : "r"(entry), "r"(arguments)
	                 : "rdx", "memory");
	__builtin_unreachable();
}

#elif defined __aarch64__
__asm__(".text\n"
        ".globl coro_switch\n"
        ".hidden coro_switch\n"
        ".type coro_switch, %function\n"
        "coro_switch:\n"
        "	stp x29, x30, [sp, #-176]!\n"
        "	stp x19, x20, [sp, #16]\n"
        "	stp x21, x22, [sp, #32]\n"
        "	stp x23, x24, [sp, #48]\n"
        "	stp x25, x26, [sp, #64]\n"
        "	stp x27, x28, [sp, #80]\n"
        "	stp d8, d9, [sp, #96]\n"
        "	stp d10, d11, [sp, #112]\n"
        "	stp d12, d13, [sp, #128]\n"
        "	stp d14, d15, [sp, #144]\n"
        "	mrs x9, fpcr\n"
        "	str x9, [sp, #160]\n"
        "	mov x10, sp\n"
        "	str x10, [x0]\n"
        "	mov sp, x1\n"
        "	ldr x10, [sp, #160]\n"
        "	cmp x10, x9\n"
        "	b.eq 1f\n"
        "	msr fpcr, x10\n"
        "1:	ldp x19, x20, [sp, #16]\n"
        "	ldp x21, x22, [sp, #32]\n"
        "	ldp x23, x24, [sp, #48]\n"
        "	ldp x25, x26, [sp, #64]\n"
        "	ldp x27, x28, [sp, #80]\n"
        "	ldp d8, d9, [sp, #96]\n"
        "	ldp d10, d11, [sp, #112]\n"
        "	ldp d12, d13, [sp, #128]\n"
        "	ldp d14, d15, [sp, #144]\n"
        "	ldp x29, x30, [sp], #176\n"
        "	ret\n"
        ".size coro_switch, .-coro_switch\n"
        /* the first switch: x19(x20) */
        ".globl coro_begin\n"
        ".hidden coro_begin\n"
        ".type coro_begin, %function\n"
        "coro_begin:\n"
        "	mov x0, x20\n"
        "	mov x29, xzr\n"
        "	mov x30, xzr\n"
        "	blr x19\n"
        "	brk #1\n"
        ".size coro_begin, .-coro_begin\n");
void coro_begin(void);

struct saved {
	uint64_t x29;
	void (*back)(void);
	uint64_t x19, x20, more[8], d[8], fpcr, none;
};
_Static_assert(sizeof(struct saved) == 176, "as coro_switch has it");

void *coro_context(void *top, void (*function)(void *argument), void *argument)
{
	uintptr_t end = (uintptr_t)top & ~(uintptr_t)15;
	struct saved *s = (struct saved *)(end - sizeof *s);

	memset(s, 0, sizeof *s); /* fpcr: no exception is trapped, to nearest */
	s->x19 = (uintptr_t)function;
	s->x20 = (uintptr_t)argument;
	s->back = coro_begin;
	return s;
}

_Noreturn void coro_enter_program(uintptr_t entry, void *arguments)
{
	__asm__ volatile("mov sp, %1\n"
	                 "	mov x0, xzr\n" /* no function of a loader's to call at exit */
	                 "	mov x29, xzr\n"
	                 "	mov x30, xzr\n"
	                 "	br %0\n"
	                 :
	                 : "r"(entry), "r"(arguments)
	                 : "x0", "memory");
	__builtin_unreachable();
}

#else /* nobody gets here: no program is read (image_read.c) */
void coro_switch(void **from, void *to)
{
	(void)from;
	(void)to;
	__builtin_unreachable();
}

void *coro_context(void *top, void (*function)(void *argument), void *argument)
{
	(void)top;
	(void)function;
	(void)argument;
	__builtin_unreachable();
}

_Noreturn void coro_enter_program(uintptr_t entry, void *arguments)
{
	(void)entry;
	(void)arguments;
	__builtin_unreachable();
}
#endif
