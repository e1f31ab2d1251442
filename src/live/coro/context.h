/* context.h: one thread of control becomes another: callee-saved registers, the stack, and the
 * control words of floating point, as a program may change how it rounds and the simulator must
 * not. */
#ifndef ORRERY_LIVE_CORO_CONTEXT_H
#define ORRERY_LIVE_CORO_CONTEXT_H

#include <stdint.h>

/* Whether contexts can be made for this processor. */
#if defined __x86_64__ || defined __aarch64__
#define CORO_CONTEXTS 1
#else
#define CORO_CONTEXTS 0
#endif

/* Goes on where `to` was saved, and saves in *from where it was called. */
void coro_switch(void **from, void *to);
/* A context whose stack ends at `top`, and which calls function(argument): it must not return. */
void *coro_context(void *top, void (*function)(void *argument), void *argument);
/* Calls `entry` as the kernel calls a program: the stack is what is at `arguments`. */
_Noreturn void coro_enter_program(uintptr_t entry, void *arguments);

#endif
