/* image_guard.c: calls of functions in common that hold for the rank whose turn it is, out of
 * programs that have threads: a few instructions look whose thread it is, and lead a rank's own
 * elsewhere. Programs that name no threads call straight.
 *
 *   x86-64:  cmpq $0, %fs:place of the thread's rank | jne +14 | jmp *address | jmp *other
 *   AArch64: mrs x16, tpidr_el0 | ldr x17, place | ldr x16, [x16, x17] | cbnz x16, +20 |
 *            jump to the address | jump to the other | place */
#include "coro_int.h"
#include "image_int.h"
#include "processor.h"

#include <string.h>
#include <sys/mman.h>

enum { GUARD = 64, GUARDS = 2048 };

static int names_threads(const struct module *m)
{
	for (uint32_t i = 1; i < m->n_sym; i++) {
		const char *name = module_text(m, m->sym[i].st_name);

		if (m->sym[i].st_shndx == SHN_UNDEF &&
		    (strcmp(name, "pthread_create") == 0 || strcmp(name, "thrd_create") == 0))
			return 1;
	}
	return 0;
}

static int begins_with(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

int coro_makes_thread(const char *name)
{
	return strcmp(name, "pthread_create") == 0 || strcmp(name, "thrd_create") == 0 ||
	       begins_with(name, "_ZNSt6thread15_M_start_thread") ||
	       begins_with(name, "GOMP_parallel");
}

static int is_of_mpi(const char *name)
{
	return begins_with(name, "MPI_") || begins_with(name, "PMPI_") || begins_with(name, "mpi_");
}

int image_has_threads(const struct image *im)
{
	for (uint32_t i = 0; i < im->n; i++) {
		const struct module *m = &im->module[i];
		int mpi = i == 0, threads = 0;

		for (uint32_t k = 1; k < m->n_sym; k++) {
			const char *name = module_text(m, m->sym[k].st_name);

			if (m->sym[k].st_shndx != SHN_UNDEF)
				continue;
			mpi |= is_of_mpi(name);
			threads |= coro_makes_thread(name);
		}
		if (mpi && threads)
			return 1;
	}
	return 0;
}

void guards_begin(struct image *im, uint32_t first)
{
	int named = 0;

	im->guards = NULL;
	im->n_guards = 0;
	for (uint32_t i = first; im->guard && i < im->n && !named; i++)
		named = names_threads(&im->module[i]);
	if (!named)
		return;
	im->guards = mmap(NULL, GUARDS * GUARD, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (im->guards == MAP_FAILED)
		im->guards = NULL;
}

/* They stay for as long as the process: threads may be in them. */
void guards_end(struct image *im)
{
	if (im->guards)
		code_written(im->guards, im->guards + (size_t)im->n_guards * GUARD);
	if (im->guards)
		mprotect(im->guards, GUARDS * GUARD, PROT_READ | PROT_EXEC);
	im->guards = NULL;
}

#if defined __aarch64__
static void guard_write(unsigned char *p, int64_t place, const void *address, const void *other)
{
	enum { PLACE = 4 * 4 + 2 * JUMP_BYTES };
	const uint32_t code[4] = {0xd53bd050, 0x58000011 | (PLACE - 4) / 4 << 5, 0xf8716a10,
	                          0xb5000010 | (4 + JUMP_BYTES) / 4 << 5};

	memcpy(p, code, sizeof code);
	jump_write(jump_write(p + sizeof code, address), other);
	memcpy(p + PLACE, &place, sizeof place);
}
#else
static void guard_write(unsigned char *p, int64_t place, const void *address, const void *other)
{
	static const unsigned char compare[] = {0x64, 0x48, 0x83, 0x3c, 0x25},
	                           leap[] = {0x00, 0x75, JUMP_BYTES};
	int32_t near = (int32_t)place;

	memcpy(p, compare, sizeof compare);
	p += sizeof compare;
	memcpy(p, &near, sizeof near);
	p += sizeof near;
	memcpy(p, leap, sizeof leap);
	jump_write(jump_write(p + sizeof leap, address), other);
}
#endif

uintptr_t guard_call(struct image *im, const char *name, uintptr_t address)
{
	const void *other = im->guards && im->n_guards < GUARDS
	                        ? im->guard(name, (const void *)address)
	                        : NULL;
	unsigned char *start;

	if (!other)
		return address;
	start = im->guards + (size_t)im->n_guards++ * GUARD;
	guard_write(start, (unsigned char *)coro_tls_thread() - thread_pointer(),
	            (const void *)address, other);
	return (uintptr_t)start;
}
