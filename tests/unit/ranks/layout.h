/* layout.h: ints in memory by three layouts, each with a datatype of the same signature; after
 * ranks.h. A block is an even number of ints. */
#ifndef ORRERY_TESTS_RANKS_LAYOUT_H
#define ORRERY_TESTS_RANKS_LAYOUT_H

/* One after the other; with a gap behind each; in pairs, the second one first. */
enum layout { DENSE, SPREAD, SWAPPED, LAYOUTS };
enum { UNTOUCHED = -7 };

/* Where element i lies, in ints. */
static inline int layout_place(enum layout l, int i)
{
	return l == DENSE ? i : l == SPREAD ? 2 * i : i ^ 1;
}

/* The extent of its datatype, in ints; and how many ints that has. */
static inline int layout_extent(enum layout l)
{
	return l == DENSE ? 1 : 2;
}

static inline int layout_ints(enum layout l)
{
	return l == SWAPPED ? 2 : 1;
}

static inline MPI_Datatype layout_type(enum layout l)
{
	MPI_Datatype t = MPI_INT;
	const MPI_Count one[] = {1, 1}, back[] = {4, 0};

	if (l == SPREAD)
		OK(orr_Type_create_resized(MPI_INT, 0, 8, &t));
	if (l == SWAPPED)
		OK(orr_Type_create_hindexed(2, one, back, MPI_INT, &t));
	if (l != DENSE)
		OK(orr_Type_commit(&t));
	return t;
}

static inline void layout_type_end(MPI_Datatype t)
{
	if (t != MPI_INT)
		OK(orr_Type_free(&t));
}

/* n ints that are UNTOUCHED. */
static inline int *ints_new(int n)
{
	int *b = malloc(((size_t)n + 1) * sizeof *b);

	assert_non_null(b);
	for (int i = 0; i < n; i++)
		b[i] = UNTOUCHED;
	return b;
}

#endif
