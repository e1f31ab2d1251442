/* own_print.c: what a program adds to printf (register_printf_specifier; libquadmath, with which
 * every program in Fortran is linked, adds %Qe and the like as it is loaded). The C library has one
 * table for the process, that of the simulator, too: it gets functions from here, which ask the
 * rank whose turn it is, and once no rank is there are as if nothing was added.
 *
 * A modifier (register_printf_modifier) is one of 16 bits: ranks that add the same have the same.
 */
#include "coro_int.h"

#include <errno.h>
#include <limits.h>
#include <printf.h>
#include <stdlib.h>
#include <wchar.h>

enum { LETTERS = UCHAR_MAX + 1, MODIFIERS = 16, MODIFIER_LENGTH = 16 };

/* Of the C library: the letter is its own after all. */
enum { NOT_MINE = -2, NO_ARGUMENTS = -1 };

struct own_print {
	printf_function *convert[LETTERS];
	printf_arginfo_size_function *arguments[LETTERS];
	printf_arginfo_function *old[LETTERS]; /* of register_printf_function */
};

static struct {
	wchar_t name[MODIFIERS][MODIFIER_LENGTH];
	int bit[MODIFIERS];
	int n;
} modifiers;

static const struct own_print *print_now(void)
{
	const struct own *o;

	if (!coros_now || !coros_now->coro || coro_rank() >= coros_now->o.ranks)
		return NULL;
	o = coro_now()->own;
	return o ? o->print : NULL;
}

static int convert(FILE *f, const struct printf_info *info, const void *const *values)
{
	const struct own_print *p = print_now();
	printf_function *function = p ? p->convert[info->spec & UCHAR_MAX] : NULL;

	return function ? function(f, info, values) : NOT_MINE;
}

static int arguments(const struct printf_info *info, size_t n, int *types, int *sizes)
{
	const struct own_print *p = print_now();
	size_t letter = (size_t)info->spec & UCHAR_MAX;

	if (p && p->arguments[letter])
		return p->arguments[letter](info, n, types, sizes);
	return p && p->old[letter] ? p->old[letter](info, n, types) : NO_ARGUMENTS;
}

static struct own_print *print_of(int letter)
{
	struct own *o;

	if (letter < 0 || letter > UCHAR_MAX) {
		errno = EINVAL;
		return NULL;
	}
	o = own_now();
	if (!o->print)
		o->print = calloc(1, sizeof *o->print);
	return o->print;
}

static int letter_take(struct own_print *p, int letter, printf_function *function,
                       printf_arginfo_size_function *sized, printf_arginfo_function *old)
{
	if (!p || register_printf_specifier(letter, convert, arguments) != 0)
		return -1;
	p->convert[letter] = function;
	p->arguments[letter] = sized;
	p->old[letter] = old;
	return 0;
}

int own_register_printf_specifier(int letter, printf_function *function,
                                  printf_arginfo_size_function *sized)
{
	return letter_take(print_of(letter), letter, function, sized, NULL);
}

int own_register_printf_function(int letter, printf_function *function,
                                 printf_arginfo_function *old)
{
	return letter_take(print_of(letter), letter, function, NULL, old);
}

int own_register_printf_modifier(const wchar_t *name)
{
	int bit;

	for (int i = 0; i < modifiers.n; i++)
		if (wcscmp(modifiers.name[i], name) == 0)
			return modifiers.bit[i];
	bit = register_printf_modifier(name);
	if (bit >= 0 && modifiers.n < MODIFIERS && wcslen(name) < MODIFIER_LENGTH) {
		wcscpy(modifiers.name[modifiers.n], name);
		modifiers.bit[modifiers.n++] = bit;
	}
	return bit;
}
