/* embed.c: Orrery inside a program: a ring of ranks, written down here, on a machine of the user's;
 * how long it takes with the machine's own network model and with one of ours, and who waits.
 *
 *   cc embed.c $(pkg-config --cflags --libs orrery) && ./a.out MACHINE [RANKS]
 *
 * It shows each part of orrery/orrery.h: a trace reader (the ring needs no file), an observer, a
 * communication model (orrery/model.h), times of the run and of ranks. */
#include <orrery/model.h>
#include <orrery/orrery.h>
#include <stdio.h>
#include <stdlib.h>

/* --- a program: each rank computes, sends 1 MiB to the next one, receives from the one before ---
 */

enum { STEPS = 4, ACTIONS = 5, RANKS_MOST = 1000000 };

struct ring {
	uint32_t ranks;
	uint32_t *done; /* lines given, of each rank */
	char line[128];
};

static int ring_begin(void *self)
{
	struct ring *r = self;

	for (uint32_t i = 0; i < r->ranks; i++)
		r->done[i] = 0;
	return 0;
}

static int ring_next(void *self, uint32_t rank, const char **line, size_t *n)
{
	struct ring *r = self;
	uint32_t at = r->done[rank]++, step = at / ACTIONS;
	uint32_t next = (rank + 1) % r->ranks, before = (rank + r->ranks - 1) % r->ranks;
	int length = 0;

	if (step == STEPS)
		return 0;
	switch (at % ACTIONS) {
	case 0:
		length = snprintf(r->line, sizeof r->line, "compute 1e6");
		break;
	case 1:
		length = snprintf(r->line, sizeof r->line, "irecv %u %u 1048576 6", before, step);
		break;
	case 2:
		length = snprintf(r->line, sizeof r->line, "send %u %u 1048576 6", next, step);
		break;
	case 3:
		length = snprintf(r->line, sizeof r->line, "waitall");
		break;
	default:
		length = snprintf(r->line, sizeof r->line, "barrier");
	}
	*line = r->line;
	*n = (size_t)length;
	return 1;
}

/* --- an observer: the bytes of messages, those of collectives apart --- */

struct bytes {
	double own, collective;
};

static void bytes_add(void *self, const struct orrery_message *m)
{
	struct bytes *b = self;

	*(m->collective ? &b->collective : &b->own) += m->bytes;
}

/* --- a communication model: a millisecond, whatever is sent --- */

static int millisecond(struct orrery_net *net, void *state, uint32_t from, uint32_t to,
                       double bytes, uint64_t ticket)
{
	(void)state, (void)from, (void)to, (void)bytes;
	return orrery_start_timer(net, 1e-3, ticket);
}

static const struct orrery_model slow_model = {.abi = ORRERY_MODEL_ABI,
                                               .size = sizeof(struct orrery_model),
                                               .name = "millisecond",
                                               .help = "each message takes a millisecond",
                                               .message = millisecond};

/* --- one run --- */

static int predict(const char *machine, const struct orrery_reader *program,
                   const struct orrery_model *model)
{
	struct orrery_sim *s = orrery_sim_new(ORRERY_API);
	struct bytes bytes = {0, 0};
	struct orrery_observer observer = {
	    .size = sizeof observer, .self = &bytes, .message = bytes_add};
	struct orrery_totals totals = {.size = sizeof totals};
	double *classes = NULL;
	char host[256];
	int failed;

	orrery_sim_machine(s, machine);
	orrery_sim_reader(s, program);
	orrery_sim_computation(s, "volume");
	orrery_sim_observer(s, &observer);
	if (model)
		orrery_sim_model(s, model);
	failed = orrery_sim_run(s);
	if (!failed)
		classes = malloc(sizeof *classes * ORRERY_CLASSES * orrery_sim_ranks(s));
	if (classes && orrery_sim_totals(s, &totals) == 0 && orrery_sim_classes(s, classes) == 0) {
		printf("%s: %.9f s, %.0f bytes in messages, %.0f in barriers\n",
		       model ? model->name : "the machine's own", totals.time, bytes.own,
		       bytes.collective);
		printf("rank 0 on %s computes %.9f s and waits %.9f s\n",
		       orrery_sim_host(s, 0, host, sizeof host), classes[ORRERY_COMPUTE],
		       classes[ORRERY_WAIT]);
		fputs(orrery_sim_notices(s), stderr);
	} else {
		fprintf(stderr, "%s\n", orrery_sim_error(s));
	}
	free(classes);
	orrery_sim_free(s);
	return failed;
}

/* 0: no number of ranks for a ring. */
static uint32_t ranks_read(const char *word)
{
	char *end;
	long n = strtol(word, &end, 10);

	return *end || n < 2 || n > RANKS_MOST ? 0 : (uint32_t)n;
}

int main(int argc, char **argv)
{
	struct ring ring = {.ranks = argc > 2 ? ranks_read(argv[2]) : 4};
	struct orrery_reader program = {.size = sizeof program,
	                                .ranks = ring.ranks,
	                                .self = &ring,
	                                .name = "the ring",
	                                .begin = ring_begin,
	                                .next = ring_next};
	int failed;

	if (argc < 2 || !ring.ranks) {
		fprintf(stderr, "usage: embed MACHINE [RANKS, 2 to %d]\n", RANKS_MOST);
		return 2;
	}
	ring.done = calloc(ring.ranks, sizeof *ring.done);
	if (!ring.done) {
		perror("embed");
		return 3;
	}
	failed = predict(argv[1], &program, NULL);
	if (!failed)
		failed = predict(argv[1], &program, &slow_model);
	free(ring.done);
	return failed;
}
