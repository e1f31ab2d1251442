/* prop_rma_files.c: random windows and files of MPI: made on communicators that may be freed before
 * them, used in all epochs and by all kinds of access, some calls refused, datatypes of all
 * constructors. The trace has the number of the window or file (the least that none has), targets
 * as world ranks, and sizes that are worked out here by the rules of MPI 4.0, 5.1, for each
 * constructor. */
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

enum { OBJECTS = 5, TYPES = 24, STEPS = 120 };

/* A datatype and the bytes of one element. */
struct type {
	MPI_Datatype type;
	int number; /* SimGrid's, or -1 */
	int64_t bytes;
};

struct object {
	int live, number, n, world[FAKE_RANKS];
	MPI_Win win;
	MPI_File file;
	int split; /* request of a split collective under way, or -1 */
	int holes; /* bytes in one piece of its view; -1: all */
};

struct program {
	struct traced t;
	struct rng rng;
	struct type type[TYPES];
	int n_types;
	struct object win[OBJECTS], file[OBJECTS];
	MPI_Comm comm; /* MPI_COMM_NULL: gone */
	char comm_name[32];
	int n, world[FAKE_RANKS];
};

static int draw(struct program *p, int lo, int hi)
{
	return (int)prop_from(&p->rng, (uint32_t)lo, (uint32_t)hi);
}

/* --- datatypes: the size is the sum of what is in the map --- */

static void type_put(struct program *p, MPI_Datatype type, int64_t bytes)
{
	MPI_Type_commit(&type);
	p->type[p->n_types++] = (struct type){type, -1, bytes};
}

static void type_of_blocks(struct program *p, struct type from, int way)
{
	int lengths[4], at[4], n = draw(p, 1, 4), sum = 0;
	MPI_Aint bytes_at[4];
	MPI_Datatype all[4], made;
	int64_t bytes = 0;

	for (int i = 0; i < n; i++) {
		lengths[i] = draw(p, 0, 3);
		at[i] = 5 * i;
		bytes_at[i] = 5 * i * from.bytes;
		all[i] = i % 2 ? MPI_DOUBLE : from.type;
		sum += lengths[i];
		bytes += lengths[i] * (i % 2 ? 8 : from.bytes);
	}
	if (way == 0)
		MPI_Type_indexed(n, lengths, at, from.type, &made);
	else if (way == 1)
		MPI_Type_create_hindexed(n, lengths, bytes_at, from.type, &made);
	else if (way == 2)
		MPI_Type_create_struct(n, lengths, bytes_at, all, &made);
	else if (way == 3)
		MPI_Type_create_indexed_block(n, lengths[0], at, from.type, &made);
	else
		MPI_Type_create_hindexed_block(n, lengths[0], bytes_at, from.type, &made);
	type_put(p, made,
	         way == 2  ? bytes
	         : way < 3 ? sum * from.bytes
	                   : n * lengths[0] * from.bytes);
}

static void type_make(struct program *p)
{
	struct type from = p->type[draw(p, 0, p->n_types - 1)];
	int a = draw(p, 1, 3), b = draw(p, 1, 3), sizes[2] = {a + 1, b + 2}, parts[2] = {a, b},
	    starts[2] = {1, draw(p, 0, 2)};
	MPI_Datatype made;

	if (from.bytes > 200)
		return;
	switch (draw(p, 0, 10)) {
	case 0:
		MPI_Type_contiguous(a, from.type, &made);
		type_put(p, made, a * from.bytes);
		return;
	case 1:
		MPI_Type_vector(a, b, b + 2, from.type, &made);
		type_put(p, made, a * b * from.bytes);
		return;
	case 2:
		MPI_Type_create_hvector(a, b, 1000, from.type, &made);
		type_put(p, made, a * b * from.bytes);
		return;
	case 3:
		MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, from.type, &made);
		type_put(p, made, a * b * from.bytes);
		return;
	case 4:
		MPI_Type_create_resized(from.type, 0, 4096, &made);
		type_put(p, made, from.bytes);
		return;
	case 5:
		MPI_Type_dup(from.type, &made);
		type_put(p, made, from.bytes);
		return;
	default:
		type_of_blocks(p, from, draw(p, 0, 4));
	}
}

static void types_make(struct program *p)
{
	p->type[p->n_types++] = (struct type){MPI_INT, 1, 4};
	p->type[p->n_types++] = (struct type){MPI_DOUBLE, 0, 8};
	p->type[p->n_types++] = (struct type){MPI_BYTE, 6, 1};
	while (p->n_types < TYPES && draw(p, 0, 30))
		type_make(p);
}

static const char *size_key(const struct type *t)
{
	static char text[32];

	snprintf(text, sizeof text, " dtsize=%lld", (long long)t->bytes);
	return t->number < 0 ? text : "";
}

/* --- objects --- */

static int least_free(const struct object *all)
{
	for (int number = 0;; number++) {
		int taken = 0;

		for (int i = 0; i < OBJECTS; i++)
			taken |= all[i].live && all[i].number == number;
		if (!taken)
			return number;
	}
}

static struct object *pick(struct program *p, struct object *all, int live)
{
	struct object *found = NULL;

	for (int i = 0, seen = 0; i < OBJECTS; i++)
		if (all[i].live == live && prop_once_in(&p->rng, (uint64_t)++seen))
			found = &all[i];
	return found;
}

/* Of the world there is none. */
static const char *comm_key(const struct program *p)
{
	static char text[64];

	snprintf(text, sizeof text, " comm=%s", p->comm_name);
	return p->comm == MPI_COMM_WORLD ? "" : text;
}

static struct object *object_new(struct program *p, struct object *all)
{
	struct object *o = pick(p, all, 0);

	if (!o || p->comm == MPI_COMM_NULL)
		return NULL;
	*o = (struct object){.number = least_free(all), .n = p->n, .split = -1, .holes = -1};
	memcpy(o->world, p->world, sizeof o->world);
	o->live = 1;
	return o;
}

/* The least number that no access under way has. */
static int request_free(const struct program *p)
{
	for (int req = 0;; req++) {
		int taken = 0;

		for (int i = 0; i < OBJECTS; i++)
			taken |= p->file[i].live && p->file[i].split == req;
		if (!taken)
			return req;
	}
}

/* --- windows --- */

static void win_make(struct program *p)
{
	struct object *o = object_new(p, p->win);
	int bytes = draw(p, 0, 1 << 20), dynamic;

	if (!o)
		return;
	dynamic = draw(p, 0, 1);
	if (dynamic)
		MPI_Win_create_dynamic(MPI_INFO_NULL, p->comm, &o->win);
	else
		MPI_Win_create(NULL, bytes, 1, MPI_INFO_NULL, p->comm, &o->win);
	traced_want(&p->t, "win_create %d%s win=%d", dynamic ? 0 : bytes, comm_key(p), o->number);
}

static void win_free(struct program *p)
{
	struct object *o = pick(p, p->win, 1);

	if (!o || draw(p, 0, 3))
		return;
	MPI_Win_free(&o->win);
	traced_want(&p->t, "win_free win=%d", o->number);
	o->live = 0;
}

static void epoch_group(struct program *p, struct object *o)
{
	int ranks[FAKE_RANKS], n = draw(p, 0, o->n - 1), starts = draw(p, 0, 1);
	MPI_Group world, group;
	struct str members;

	str_init(&members);
	for (int i = 0; i < n; i++) {
		ranks[i] = o->world[i];
		str_printf(&members, "%s%d", i ? "," : "", o->world[i]);
	}
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, n, ranks, &group);
	(starts ? MPI_Win_start : MPI_Win_post)(group, 0, o->win);
	traced_want(&p->t, "win_%s win=%d group=%s", starts ? "start" : "post", o->number,
	            members.s ? members.s : "");
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	str_release(&members);
}

static void epoch_plain(struct program *p, const struct object *o)
{
	static const struct {
		int (*call)(MPI_Win);
		const char *name;
	} calls[] = {{MPI_Win_complete, "win_complete"},
	             {MPI_Win_wait, "win_wait"},
	             {MPI_Win_unlock_all, "win_unlock_all"},
	             {MPI_Win_flush_all, "win_flush_all"}};
	int k = draw(p, 0, 5), flag = 0;

	if (k < 4) {
		calls[k].call(o->win);
		traced_want(&p->t, "%s win=%d", calls[k].name, o->number);
	} else if (k == 4) {
		MPI_Win_fence(0, o->win);
		traced_want(&p->t, "win_fence win=%d", o->number);
	} else { /* what found nothing is no event */
		while (!flag)
			MPI_Win_test(o->win, &flag);
		traced_want(&p->t, "win_wait win=%d", o->number);
	}
}

static void epoch_locks(struct program *p, const struct object *o)
{
	int exclusive = draw(p, 0, 1), unchecked = !draw(p, 0, 2), target = draw(p, 0, o->n - 1);

	switch (draw(p, 0, 3)) {
	case 0:
		MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target,
		             unchecked ? MPI_MODE_NOCHECK : 0, o->win);
		traced_want(&p->t, "win_lock %d win=%d%s", o->world[target], o->number,
		            unchecked   ? " lock=unchecked"
		            : exclusive ? " lock=exclusive"
		                        : "");
		return;
	case 1:
		MPI_Win_unlock(target, o->win);
		traced_want(&p->t, "win_unlock %d win=%d", o->world[target], o->number);
		return;
	case 2:
		MPI_Win_flush(target, o->win);
		traced_want(&p->t, "win_flush %d win=%d", o->world[target], o->number);
		return;
	default:
		MPI_Win_lock_all(unchecked ? MPI_MODE_NOCHECK : 0, o->win);
		traced_want(&p->t, "win_lock_all win=%d%s", o->number,
		            unchecked ? " lock=unchecked" : "");
	}
}

static void access_window(struct program *p, const struct object *o)
{
	static const char *const names[] = {"put",          "get", "accumulate", "get_accumulate",
	                                    "fetch_and_op", "put", "get"};
	struct type t = p->type[draw(p, 0, p->n_types - 1)];
	int what = draw(p, 0, 6), n = draw(p, 0, 500), target = draw(p, 0, o->n - 1),
	    req = request_free(p);
	MPI_Request r;

	if (what == 0)
		MPI_Put(NULL, n, t.type, target, 0, n, t.type, o->win);
	else if (what == 1)
		MPI_Get(NULL, n, t.type, target, 0, n, t.type, o->win);
	else if (what == 2)
		MPI_Accumulate(NULL, n, t.type, target, 0, n, t.type, MPI_SUM, o->win);
	else if (what == 3) /* what comes back; the origin gives nothing */
		MPI_Get_accumulate(NULL, 0, MPI_BYTE, NULL, n, t.type, target, 0, n, t.type,
		                   MPI_NO_OP, o->win);
	else if (what == 4)
		MPI_Fetch_and_op(NULL, NULL, t.type, target, 0, MPI_SUM, o->win);
	else if (what == 5)
		MPI_Rput(NULL, n, t.type, target, 0, n, t.type, o->win, &r);
	else
		MPI_Rget(NULL, n, t.type, target, 0, n, t.type, o->win, &r);
	if (what == 4)
		traced_want(&p->t, "fetch_and_op %d %d win=%d%s", o->world[target], t.number,
		            o->number, size_key(&t));
	else if (what < 4)
		traced_want(&p->t, "%s %d %d %d win=%d%s", names[what], o->world[target], n,
		            t.number, o->number, size_key(&t));
	else
		traced_want(&p->t, "%s %d %d %d win=%d req=%d%s", names[what], o->world[target], n,
		            t.number, o->number, req, size_key(&t));
	if (what > 4) {
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		traced_want(&p->t, "wait req=%d", req);
	}
}

static void win_use(struct program *p)
{
	struct object *o = pick(p, p->win, 1);

	if (!o)
		return;
	switch (draw(p, 0, 4)) {
	case 0:
		epoch_group(p, o);
		return;
	case 1:
		epoch_plain(p, o);
		return;
	case 2:
		epoch_locks(p, o);
		return;
	default:
		access_window(p, o);
	}
}

/* Refused: nothing was done. */
static void win_refused(struct program *p)
{
	struct object *o = pick(p, p->win, 1);
	int flag = 1;

	if (!o)
		return;
	fake.fail = MPI_ERR_RANK;
	switch (draw(p, 0, 3)) {
	case 0:
		assert_int_equal(MPI_Put(NULL, 1, MPI_INT, 99, 0, 1, MPI_INT, o->win),
		                 MPI_ERR_RANK);
		return;
	case 1:
		assert_int_equal(MPI_Win_lock(MPI_LOCK_SHARED, 99, 0, o->win), MPI_ERR_RANK);
		return;
	case 2:
		assert_int_equal(MPI_Win_test(o->win, &flag), MPI_ERR_RANK);
		return;
	default:
		assert_int_equal(MPI_Win_free(&o->win), MPI_ERR_RANK);
	}
}

/* --- files --- */

static void file_make(struct program *p)
{
	struct object *o = object_new(p, p->file);

	if (!o)
		return;
	MPI_File_open(p->comm, draw(p, 0, 1) ? "ufs:/data/out put" : "/data/out put", MPI_MODE_RDWR,
	              MPI_INFO_NULL, &o->file);
	traced_want(&p->t, "file_open /data/out%%20put file=%d%s", o->number, comm_key(p));
}

static void file_close(struct program *p)
{
	struct object *o = pick(p, p->file, 1);

	if (!o || o->split >= 0 || draw(p, 0, 3))
		return;
	MPI_File_close(&o->file);
	traced_want(&p->t, "file_close file=%d", o->number);
	o->live = 0;
}

/* A view of blocks of `a` bytes, every `b`: in one piece if there is nothing between them. */
static void file_view(struct program *p, struct object *o)
{
	int a = draw(p, 1, 64), b = a + draw(p, 0, 1) * draw(p, 1, 64);
	MPI_Datatype block, view;

	MPI_Type_contiguous(a, MPI_BYTE, &block);
	MPI_Type_create_resized(block, 0, b, &view);
	MPI_File_set_view(o->file, 0, MPI_BYTE, view, "native", MPI_INFO_NULL);
	traced_want(&p->t, "file_set file=%d", o->number);
	o->holes = a == b ? -1 : a;
	MPI_Type_free(&block);
	MPI_Type_free(&view);
}

static void file_access(struct program *p, const struct object *o)
{
	static const struct {
		const char *name;
		int (*read)(MPI_File, void *, int, MPI_Datatype, MPI_Status *);
		int (*write)(MPI_File, const void *, int, MPI_Datatype, MPI_Status *);
	} calls[] = {{"file_read", MPI_File_read, NULL},
	             {"file_read_all", MPI_File_read_all, NULL},
	             {"file_read_shared", MPI_File_read_shared, NULL},
	             {"file_read_ordered", MPI_File_read_ordered, NULL},
	             {"file_write", NULL, MPI_File_write},
	             {"file_write_all", NULL, MPI_File_write_all},
	             {"file_write_shared", NULL, MPI_File_write_shared},
	             {"file_write_ordered", NULL, MPI_File_write_ordered}};
	struct type t = p->type[draw(p, 0, p->n_types - 1)];
	int k = draw(p, 0, 7), n = draw(p, 0, 20);
	int holes = (k == 1 || k == 5) && o->holes >= 0 && n * t.bytes > o->holes;

	if (calls[k].read)
		calls[k].read(o->file, NULL, n, t.type, MPI_STATUS_IGNORE);
	else
		calls[k].write(o->file, NULL, n, t.type, MPI_STATUS_IGNORE);
	traced_want(&p->t, "%s %d %d file=%d%s%s", calls[k].name, n, t.number, o->number,
	            holes ? " holes=1" : "", size_key(&t));
}

static void file_split(struct program *p, struct object *o)
{
	struct type t = p->type[draw(p, 0, p->n_types - 1)];
	int n = draw(p, 0, 20), holes = o->holes >= 0 && n * t.bytes > o->holes;

	if (o->split >= 0) {
		MPI_File_write_all_end(o->file, NULL, MPI_STATUS_IGNORE);
		traced_want(&p->t, "wait req=%d", o->split);
		o->split = -1;
		return;
	}
	o->split = request_free(p);
	MPI_File_write_all_begin(o->file, NULL, n, t.type);
	traced_want(&p->t, "file_write_all %d %d file=%d req=%d%s%s", n, t.number, o->number,
	            o->split, holes ? " holes=1" : "", size_key(&t));
}

static void file_later(struct program *p, const struct object *o)
{
	struct type t = p->type[draw(p, 0, p->n_types - 1)];
	int n = draw(p, 0, 20), req = request_free(p), writes = draw(p, 0, 1);
	MPI_Request r;

	if (writes)
		MPI_File_iwrite(o->file, NULL, n, t.type, &r);
	else
		MPI_File_iread(o->file, NULL, n, t.type, &r);
	traced_want(&p->t, "file_%s %d %d file=%d req=%d%s", writes ? "write" : "read", n, t.number,
	            o->number, req, size_key(&t));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	traced_want(&p->t, "wait req=%d", req);
}

static void file_use(struct program *p)
{
	struct object *o = pick(p, p->file, 1);

	if (!o)
		return;
	switch (draw(p, 0, 5)) {
	case 0:
		file_view(p, o);
		return;
	case 1:
		MPI_File_sync(o->file);
		traced_want(&p->t, "file_sync file=%d", o->number);
		return;
	case 2:
		file_split(p, o);
		return;
	case 3:
		file_later(p, o);
		return;
	default:
		file_access(p, o);
	}
}

/* The communicator of odd ranks, or the world, is made anew when it is gone. */
static void comm_turn(struct program *p)
{
	if (draw(p, 0, 4))
		return;
	if (p->comm != MPI_COMM_WORLD && p->comm != MPI_COMM_NULL) {
		MPI_Comm_free(&p->comm);
		traced_want(&p->t, "comm_free comm=%s", p->comm_name);
		return;
	}
	for (int i = 0; i < fake.ranks; i++)
		fake.color[i] = i % 2;
	MPI_Comm_split(MPI_COMM_WORLD, 1, 0, &p->comm);
	p->n = 0;
	for (int i = 1; i < fake.ranks; i += 2)
		p->world[p->n++] = i;
	if (fake.rank == 1)
		snprintf(p->comm_name, sizeof p->comm_name, "1.%u", tracer.comms.made - 1);
	else
		snprintf(p->comm_name, sizeof p->comm_name, "1.%u", (uint32_t)fake.told - 2);
	traced_want(&p->t, "comm_split comm=%s members=1-%d:2", p->comm_name, p->world[p->n - 1]);
}

static void run(uint64_t seed)
{
	static void (*const steps[])(struct program *) = {
	    win_make,  win_free,   win_use,  win_use,  win_use,  win_refused,
	    file_make, file_close, file_use, file_use, file_use, comm_turn};
	struct program p = {.comm = MPI_COMM_WORLD, .comm_name = "world"};

	rng_init(&p.rng, seed, "windows", 0);
	traced_begin(&p.t, seed % 2 ? 1 : 3, 4 + (int)(seed % 4), seed);
	types_make(&p);
	p.n = fake.ranks;
	for (int i = 0; i < p.n; i++)
		p.world[i] = i;
	for (int i = 0; i < STEPS; i++)
		steps[draw(&p, 0, 11)](&p);
	for (int i = 0; i < OBJECTS; i++) /* begun, and ended as MPI demands */
		if (p.file[i].live && p.file[i].split >= 0)
			file_split(&p, &p.file[i]);
	traced_end(&p.t);
	for (int i = 3; i < p.n_types; i++)
		MPI_Type_free(&p.type[i].type);
	for (int i = 0; i < OBJECTS; i++) {
		if (p.win[i].live)
			MPI_Win_free(&p.win[i].win);
		if (p.file[i].live)
			MPI_File_close(&p.file[i].file);
	}
	traced_release(&p.t);
}

static void test_random_windows_and_files(void **state)
{
	struct prop_run r = prop_begin(80);

	(void)state;
	for (uint64_t i = 0; i < r.cases; i++)
		run(r.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_windows_and_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
