/* spawn.c: processes that start others (MPI 4.0, 11.8). The root of a call speaks with the
 * simulator, and tells the others of its communicator in a meeting; the two groups then make an
 * intercommunicator under a name that the simulator's number of this meeting gives (outcome.h). */
#include "spawn.h"
#include "outcome.h"

#include "base/num.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meet.h"
#include "objects/core.h"
#include "orr_mpi.h"

_Static_assert((int)WIRE_ERR_SPAWN == MPI_ERR_SPAWN, "as in mpi_abi.h");

struct spawning {
	const struct wire_world *world; /* NULL: not spawned */
	int appnum;
	MPI_Comm parent;
	uint32_t made[SPAWN_COUNTS];
};

static struct spawning *spawning(void)
{
	struct link *l = link_state();

	if (!l->spawning)
		l->spawning = calloc(1, sizeof *l->spawning);
	if (!l->spawning)
		link_abort("no memory for dynamic processes", 1);
	return l->spawning;
}

uint32_t spawn_count(enum spawn_counted what)
{
	return ++spawning()->made[what];
}

/* --- in the spawned process --- */

static const int32_t *members(const struct wire_world *w)
{
	return (const int32_t *)(w + 1);
}

/* What the simulator has put into its environment: 0, or -1: nothing. */
static int world_told(int64_t *place, int64_t *appnum)
{
	const char *text = getenv(WIRE_ENV_WORLD);
	size_t digits = text ? num_take_digits(text, place) : 0;

	return digits > 0 && text[digits] == ':' && num_take_digits(text + digits + 1, appnum) ? 0
	                                                                                       : -1;
}

int spawn_world(void)
{
	struct link *l = link_state();
	int64_t place = 0, appnum = 0;

	if (l->hold) {
		uint32_t number;

		place = (int64_t)l->hold->world(&number);
		appnum = number;
	} else if (world_told(&place, &appnum) < 0) {
		return 0;
	}
	if (place == 0 || (uint64_t)place < l->head->heap || (uint64_t)place >= l->head->heap_end)
		return 0;
	spawning()->world = link_at((uint64_t)place);
	spawning()->appnum = (int)appnum;
	spawning()->parent = MPI_COMM_NULL;
	l->ranks = spawning()->world->n;
	l->first_rank = *members(spawning()->world);
	l->spawner = (int32_t)spawning()->world->root;
	return 1;
}

struct orr_group *spawn_members(void)
{
	const struct wire_world *w = spawning()->world;

	return orr_group_new((int32_t)w->n, members(w));
}

const int *orr_core_appnum(void)
{
	static const int first = 0;
	const struct spawning *s = link_state()->spawning;

	return s && s->world ? &s->appnum : &first;
}

const int *orr_core_universe(void)
{
	const struct wire_head *head = link_state()->head;

	return head && head->universe ? &head->universe : NULL;
}

int spawn_begin(void)
{
	struct spawning *s = link_state()->spawning;
	struct orr_comm *world = orr_comm_of(MPI_COMM_WORLD), *parent;
	struct wire_world *w;
	struct orr_group *parents;
	int code;

	if (!s || !s->world)
		return MPI_SUCCESS;
	w = (struct wire_world *)(uintptr_t)s->world;
	parents = orr_group_new((int32_t)w->n_parents, members(w) + w->n);
	if (!parents)
		return MPI_ERR_NO_MEM;
	comm_join_world(name_mix(NAME_WORLD, w->number), world);
	code = groups_meet(name_mix(NAME_PARENT, w->number), world->local, parents, &parent);
	orr_group_drop(parents);
	if (code == MPI_SUCCESS) {
		s->parent = orr_handle(parent);
		code = orr_name_set(&parent->o, "MPI_COMM_PARENT"); /* MPI 4.0, 7.8 */
	}
	if (atomic_fetch_sub(&w->left, 1) == 1)
		link_block_free(wire_place(link_state()->head, w));
	return code;
}

void spawn_forget(MPI_Comm comm)
{
	struct spawning *s = link_state()->spawning;

	if (s && s->parent == comm)
		s->parent = MPI_COMM_NULL;
}

int orr_Comm_get_parent(MPI_Comm *parent)
{
	const struct spawning *s = link_state()->spawning;

	*parent = s && s->world ? s->parent : MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/* --- spawning --- */

struct command {
	const char *name;
	char **arguments; /* NULL: none */
	int count;
	MPI_Info info;
	int made; /* fewer than count, if soft allows that */
};

static void info_text(MPI_Info info, const char *key, char *out, int n)
{
	int found = 0;

	*out = '\0';
	if (info != MPI_INFO_NULL)
		orr_Info_get_string(info, key, &n, out, &found);
	if (!found)
		*out = '\0';
}

/* The program as it is to be started, or not: it is not there. */
static int program_find(const char *name, const char *path, const char *folder, char *out, size_t n)
{
	const char *lists[] = {path, folder, getenv("PATH")};

	if (strchr(name, '/')) {
		snprintf(out, n, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/",
		         name);
		return access(out, X_OK) == 0;
	}
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		for (const char *p = lists[i]; p && *p; p += strcspn(p, ":"), p += *p == ':') {
			int length = (int)strcspn(p, ":"), absolute = *p == '/';

			snprintf(out, n, "%s%s%.*s/%s", absolute ? "" : folder, absolute ? "" : "/",
			         length, p, name);
			if (access(out, X_OK) == 0)
				return 1;
		}
	return 0;
}

static void put(char **at, const char *text)
{
	size_t n = strlen(text) + 1;

	memcpy(*at, text, n);
	*at += n;
}

/* If not, that is said: the class of the error does not tell why. */
static int can_spawn(const char *program, const char *folder)
{
	const struct link *l = link_state();

	if (!l->hold || l->hold->can_spawn(program, folder))
		return 1;
	fprintf(stderr,
	        "orrery: rank %u cannot spawn %s in %s: ranks that are coroutines are of one "
	        "program, %s (--hold processes can)\n",
	        l->rank, program, folder, *l->hold->words());
	return 0;
}

/* Writes the item to `to`, or nothing if that is NULL; its size, 0: there is no such program. */
static size_t item_write(const struct command *c, char *to)
{
	char path[4096], folder[4096], soft[4096], program[2 * 4096];
	struct wire_item *item = (void *)to;
	size_t size = sizeof *item;
	uint32_t words = 1;

	info_text(c->info, "path", path, sizeof path);
	info_text(c->info, "wdir", folder, sizeof folder);
	info_text(c->info, "soft", soft, sizeof soft);
	if (!*folder && !getcwd(folder, sizeof folder))
		return 0;
	if (!program_find(c->name, path, folder, program, sizeof program) ||
	    !can_spawn(program, folder))
		return 0;
	size += strlen(folder) + 1 + strlen(soft) + 1 + strlen(program) + 1;
	for (char **a = c->arguments; a && *a; a++, words++)
		size += strlen(*a) + 1;
	size = (size + 7) / 8 * 8;
	if (!to)
		return size;
	*item = (struct wire_item){
	    .size = (uint32_t)size, .count = (uint32_t)c->count, .words = words};
	to = (char *)(item + 1);
	put(&to, folder);
	put(&to, soft);
	put(&to, program);
	for (char **a = c->arguments; a && *a; a++)
		put(&to, *a);
	return size;
}

static int commands_check(const struct command *c, int n)
{
	for (int i = 0; i < n; i++) {
		if (!c[i].name || !*c[i].name)
			return MPI_ERR_ARG;
		if (c[i].count < 0)
			return MPI_ERR_SPAWN;
	}
	return MPI_SUCCESS;
}

/* A block with all items; 0: a program is not there. */
static uint64_t items_make(const struct command *c, int n, uint32_t *bytes)
{
	size_t size = 0, one;
	uint64_t block;
	char *to;

	for (int i = 0; i < n; i++) {
		one = item_write(&c[i], NULL);
		if (one == 0)
			return 0;
		size += one;
	}
	block = link_block(size);
	to = link_at(block);
	for (int i = 0; i < n; i++)
		to += item_write(&c[i], to);
	*bytes = (uint32_t)size;
	return block;
}

/* The commands' counts become those of the processes that there are. */
static struct outcome *spawn_ask(const struct orr_comm *c, struct command *commands, int n)
{
	struct wire_spawn w = {
	    .n_items = (uint32_t)n, .n_parents = (uint32_t)c->size, .root = (uint32_t)c->rank};
	int code = commands_check(commands, n);
	struct wire_answer *a;
	struct outcome *o;
	struct wire_op *op;

	if (code == MPI_SUCCESS) {
		w.items = items_make(commands, n, &w.bytes);
		code = w.items ? MPI_SUCCESS : MPI_ERR_SPAWN;
	}
	if (code != MPI_SUCCESS)
		return outcome_new(code, 0, NULL, 0);
	w.parents = link_block((uint64_t)c->size * sizeof(int32_t) + 1);
	memcpy(link_at(w.parents), c->local->member, (size_t)c->size * sizeof(int32_t));
	op = link_room(WIRE_SPAWN, sizeof w);
	memcpy(op + 1, &w, sizeof w);
	a = link_ask(op);
	o = outcome_new(a->error, a->value, link_at(a->list), a->n);
	for (int i = 0; i < n && !a->error; i++)
		commands[i].made = ((const int32_t *)link_at(a->list))[a->n + (uint32_t)i];
	link_block_free(a->list);
	return o;
}

static int spawn(struct command *commands, int n, int root, struct orr_comm *c, MPI_Comm *out,
                 int *codes)
{
	int code = outcome_check(c, root), leads;
	struct outcome *o = NULL;

	*out = MPI_COMM_NULL;
	if (code != MPI_SUCCESS)
		return code;
	leads = c->rank == root;
	link_enter();
	if (leads)
		o = spawn_ask(c, commands, n);
	o = outcome_tell(c, root, o);
	code = outcome_join(c, NAME_PARENT, o, out);
	link_leave();
	for (int i = 0, all = 0; leads && codes && i < n; i++)
		for (int k = 0; k < commands[i].count; k++)
			codes[all++] = code || k < commands[i].made ? code : MPI_ERR_SPAWN;
	for (uint32_t i = 0; !leads && codes && o && i < o->n; i++)
		codes[i] = code;
	free(o);
	return code;
}

int orr_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                   MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
	struct command one = {command, argv, maxprocs, info, 0};

	return spawn(&one, 1, root, orr_comm_of(comm), intercomm, array_of_errcodes);
}

int orr_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                            const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                            MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
	struct orr_comm *c = orr_comm_of(comm);
	int n = c && c->rank == root ? count : 0, code;
	struct command *commands;

	*intercomm = MPI_COMM_NULL;
	if (n < 0)
		return MPI_ERR_COUNT;
	commands = calloc((size_t)n + 1, sizeof *commands);
	if (!commands)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < n; i++)
		commands[i] = (struct command){array_of_commands[i],
		                               array_of_argv ? array_of_argv[i] : NULL,
		                               array_of_maxprocs[i], array_of_info[i], 0};
	code = spawn(commands, n, root, c, intercomm, array_of_errcodes);
	free(commands);
	return code;
}
