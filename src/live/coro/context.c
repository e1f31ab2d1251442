/* context.c: see context.h. What is saved lies on the stack that is left:
 *   sp -> control words (mxcsr, x87) | r15 r14 r13 r12 rbx rbp | address to return to */
#include "context.h"

#include <string.h>

#if CORO_CONTEXTS
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
#endif
