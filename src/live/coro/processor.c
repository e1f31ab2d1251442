/* processor.c: see processor.h. */
#include "processor.h"

#include <sys/auxv.h>

#if defined __aarch64__
#define NUMBER(x86, aarch64) aarch64
#else
#define NUMBER(x86, aarch64) x86
#endif

enum relocation relocation_of(uint32_t type)
{
	switch (type) {
	case NUMBER(R_X86_64_NONE, R_AARCH64_NONE):
		return RELOCATION_NONE;
	case NUMBER(R_X86_64_RELATIVE, R_AARCH64_RELATIVE):
		return RELOCATION_BASE;
	case NUMBER(R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE):
		return RELOCATION_RESOLVE;
	case NUMBER(R_X86_64_64, R_AARCH64_ABS64):
	case NUMBER(R_X86_64_GLOB_DAT, R_AARCH64_GLOB_DAT):
		return RELOCATION_ADDRESS;
	case NUMBER(R_X86_64_JUMP_SLOT, R_AARCH64_JUMP_SLOT):
		return RELOCATION_CALL;
	case NUMBER(R_X86_64_COPY, R_AARCH64_COPY):
		return RELOCATION_COPY;
	case NUMBER(R_X86_64_DTPMOD64, R_AARCH64_TLS_DTPMOD):
		return RELOCATION_TLS_MODULE;
	case NUMBER(R_X86_64_DTPOFF64, R_AARCH64_TLS_DTPREL):
		return RELOCATION_TLS_OFFSET;
	case NUMBER(R_X86_64_TPOFF64, R_AARCH64_TLS_TPREL):
		return RELOCATION_TLS_PLACE;
	case NUMBER(R_X86_64_TLSDESC, R_AARCH64_TLSDESC):
		return RELOCATION_TLS_DESCRIPTOR;
	default:
		return RELOCATION_UNKNOWN;
	}
}

#if defined __x86_64__ || defined __aarch64__
__asm__(".text\n"
        ".globl coro_tls_descriptor\n"
        ".hidden coro_tls_descriptor\n"
        ".type coro_tls_descriptor, " NUMBER(
            "@", "%") "function\n"
                      "coro_tls_descriptor:\n"
                      "	" NUMBER(
                          "mov 8(%rax), %rax",
                          "ldr x0, [x0, #8]") "\n"
                                              "	ret\n"
                                              ".size coro_tls_descriptor, .-coro_tls_descriptor\n");
#else
void coro_tls_descriptor(void)
{
}
#endif

/* On AArch64 it is told what the processor can: bit 62 says that the second argument is there. */
uintptr_t processor_resolve(uintptr_t function)
{
#if defined __aarch64__
	struct {
		unsigned long size, first, second;
	} can = {sizeof can, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
	union {
		uintptr_t address;
		uintptr_t (*function)(uint64_t first, const void *more);
	} f = {.address = function};

	return f.function(can.first | (uint64_t)1 << 62, &can);
#else
	union {
		uintptr_t address;
		uintptr_t (*function)(void);
	} f = {.address = function};

	return f.function();
#endif
}
