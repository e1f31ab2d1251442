/* usage: play FIRST COUNT STEPS FOLDER [PARTS [times]]: random programs of MPI. Each rank says of
 * each step what it received (a checksum), and with `times` when. PARTS: letters of those that may
 * be. */
#include "play.h"

static const struct part {
	char letter;
	const char *name;
	void (*play)(struct play *);
} parts[] = {
    {'p', "pairs", part_pairs},
    {'f', "flood", part_flood},
    {'a', "any", part_any},
    {'s', "several", part_several},
    {'0', "null", part_null},
    {'P', "persistent", part_persistent},
    {'Q', "partitioned", part_partitioned},
    {'c', "collective", part_collective},
    {'v', "vector", part_vector},
    {'r', "reduce", part_reduce},
    {'m', "many_colls", part_many_colls},
    {'n', "neighbour", part_neighbour},
    {'i', "inter", part_inter},
    {'g', "groups", part_groups},
    {'t', "types", part_types},
    {'e', "errors", part_errors},
    {'F', "fence", part_fence},
    {'W', "pscw", part_pscw},
    {'L', "lock", part_lock},
    {'S', "shared", part_shared},
    {'D', "dynamic", part_dynamic},
    {'I', "file", part_file},
    {'O', "file_shared", part_file_shared},
};

static const struct part *part_any_of(struct rng *r, const char *letters)
{
	char letter = letters[rng_upto(r, (int)strlen(letters))];
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].letter == letter)
			return &parts[i];
	fprintf(stderr, "play: no part '%c'\n", letter);
	exit(2);
}

/* A communicator for one step; NULL: the rank has no part in it. */
static MPI_Comm comm_make(struct rng *r, int rank, int n)
{
	MPI_Comm c = MPI_COMM_NULL;
	int how = on_smpi ? 7 : rng_upto(r, 8), order = rng_coin(r), k = 1 + rng_upto(r, 2);
	switch (how) {
	case 0:
		MPI_Comm_split(MPI_COMM_WORLD, rank % (k + 1), order ? rank : -rank, &c);
		break;
	case 1:
		MPI_Comm_split(MPI_COMM_WORLD, rank < n / 2 ? MPI_UNDEFINED : 0, order ? 0 : -rank,
		               &c);
		break;
	case 2: {
		MPI_Group all, some;
		int *ranks = malloc(sizeof(int) * n), m = n / 2 + 1;
		ranks_shuffled(r, ranks, n);
		MPI_Comm_group(MPI_COMM_WORLD, &all);
		MPI_Group_incl(all, m, ranks, &some);
		MPI_Comm_create(MPI_COMM_WORLD, some, &c);
		MPI_Group_free(&some);
		MPI_Group_free(&all);
		free(ranks);
		break;
	}
	case 3:
		MPI_Comm_dup(MPI_COMM_WORLD, &c);
		break;
	default:
		c = MPI_COMM_WORLD;
	}
	return c;
}

static FILE *said;
int on_smpi, no_peeks;
static void step(uint64_t seed, int k, const char *letters, const char *folder, bool times)
{
	int me, n;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	struct rng r = rng_of(seed, k, 0, 0);
	const struct part *part = part_any_of(&r, letters);
	MPI_Comm c = comm_make(&r, me, n);
	struct play p = {c, 0,    0, me,    rng_of(seed, k, 1, 0), rng_of(seed, k, 2, me),
	                 0, seed, k, folder};
	if (c != MPI_COMM_NULL) {
		MPI_Comm_rank(c, &p.rank);
		MPI_Comm_size(c, &p.n);
		int first = me; /* groups of a split differ in what they draw */
		MPI_Bcast(&first, 1, MPI_INT, 0, c);
		p.shared = rng_of(seed, k, 3, first);
		p.step = k * 64 + first;
		char own[400];
		snprintf(own, sizeof own, "%s/%d", folder, first);
		p.folder = own;
		part->play(&p);
		if (c != MPI_COMM_WORLD)
			MPI_Comm_free(&c);
	}
	fprintf(said, "%llu %d %d %s %016llx", (unsigned long long)seed, k, me, part->name,
	        (unsigned long long)p.sum);
	if (times)
		fprintf(said, " %.12f", MPI_Wtime());
	fprintf(said, "\n");
	fflush(said);
}

static long number(const char *text)
{
	return strtol(text, NULL, 10);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	on_smpi = getenv("PLAY_SMPI") != NULL;
	no_peeks = getenv("PLAY_NO_PEEKS") != NULL;
	if (argc < 5) {
		fprintf(stderr, "usage: play FIRST COUNT STEPS FOLDER [PARTS [times]]\n");
		return 2;
	}
	long first = number(argv[1]), count = number(argv[2]), steps = number(argv[3]);
	const char *letters = argc > 5 ? argv[5] : "pfas0PQcvrmnigteFWLSDIO";
	char name[400];
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "%s/said.%d", argv[4], rank);
	said = fopen(name, "w");
	int only = getenv("PLAY_ONLY") ? (int)number(getenv("PLAY_ONLY")) : -1;
	for (long seed = first; seed < first + count; seed++)
		for (long k = 0; k < steps; k++)
			if (only < 0 || k == only)
				step(seed, k, letters, argv[4], argc > 6);
	MPI_Finalize();
	return 0;
}
