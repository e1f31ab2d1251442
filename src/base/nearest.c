/* nearest.c: the edit distance of Wagner and Fischer (1974) with swaps, three rows at a time. */
#include "nearest.h"
#include "letters.h"

#include <limits.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 63 };

static int letter(char c)
{
	return c == '_' ? '-' : letter_lower(c);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Row i of the table: the distance between the i first letters of a and the j first of b, from the
 * two rows before. */
static void distance_row(const char *a, size_t i, const char *b, size_t n, const unsigned *before2,
                         const unsigned *before, unsigned *row)
{
	size_t j;

	row[0] = (unsigned)i;
	for (j = 1; j <= n; j++) {
		row[j] = least(least(before[j], row[j - 1]) + 1,
		               before[j - 1] + (letter(a[i - 1]) != letter(b[j - 1])));
		if (i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) &&
		    letter(a[i - 2]) == letter(b[j - 1]))
			row[j] = least(row[j], before2[j - 2] + 1);
	}
}

unsigned name_distance(const char *a, const char *b)
{
	unsigned rows[3][NAME_MAX_LENGTH + 1];
	size_t m = strlen(a), n = strlen(b), i;

	if (m > NAME_MAX_LENGTH || n > NAME_MAX_LENGTH)
		return UINT_MAX;
	for (i = 0; i <= n; i++)
		rows[0][i] = (unsigned)i;
	for (i = 1; i <= m; i++)
		distance_row(a, i, b, n, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
	return rows[m % 3][n];
}

void nearest_init(struct nearest *n, const char *wanted)
{
	size_t length = strlen(wanted), far = length < 4 ? 1 : length < 9 ? 2 : length / 3;

	*n = (struct nearest){.wanted = wanted, .distance = (unsigned)far + 1};
}

/* Alike but for '-' and '_' that only one of them has: ompi4, ompi-4. */
static int is_joined(const char *a, const char *b)
{
	do {
		while (letter(*a) == '-')
			a++;
		while (letter(*b) == '-')
			b++;
		if (letter(*a) != letter(*b))
			return 0;
	} while (*a++ && *b++);
	return 1;
}

static int is_beginning(const char *a, const char *b)
{
	size_t i;

	for (i = 0; a[i] && letter(a[i]) == letter(b[i]); i++)
		;
	return i > 1 && !a[i];
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	unsigned d = is_joined(n->wanted, candidate)      ? 0
	             : is_beginning(n->wanted, candidate) ? 1
	                                                  : name_distance(n->wanted, candidate);

	if (d < n->distance) {
		n->distance = d;
		n->best = candidate;
	}
}
