/* jump.h: how code of a processor jumps to any address: written where functions begin otherwise
 * (coro/image_patch.c, libmpi/guest/patch.c) or calls lead elsewhere (coro/image_guard.c). Only
 * registers that a call may change are used. */
#ifndef ORRERY_LIVE_JUMP_H
#define ORRERY_LIVE_JUMP_H

#include <stdint.h>
#include <string.h>

#if defined __aarch64__
enum { JUMP_BYTES = 16 };
/* ldr x16, address | br x16 | address */
static inline unsigned char *jump_write(unsigned char *p, const void *to)
{
	const uint32_t code[2] = {0x58000050, 0xd61f0200};

	memcpy(p, code, sizeof code);
	memcpy(p + sizeof code, &to, sizeof to);
	return p + JUMP_BYTES;
}
#else
enum { JUMP_BYTES = 14 };
/* jmp *0(%rip) | address */
static inline unsigned char *jump_write(unsigned char *p, const void *to)
{
	static const unsigned char code[6] = {0xff, 0x25};

	memcpy(p, code, sizeof code);
	memcpy(p + sizeof code, &to, sizeof to);
	return p + JUMP_BYTES;
}
#endif

/* Code was written there: processors that do not see it by themselves are told. */
static inline void code_written(unsigned char *from, unsigned char *to)
{
	__builtin___clear_cache((char *)from, (char *)to);
}

#endif
