/* live_same.c: what a program sees of MPI's local rules and of what is seldom used, in words that
 * must be the same with a real library and in a simulation. Four ranks; rank 0 prints what each has
 * to say, rank by rank. Where the standard leaves it open (numbers of errors, texts) nothing is
 * said. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16, RANKS = 4 };
static char text[TEXT];
static size_t used;
static int rank, size;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, TEXT - used, format, args);
	va_end(args);
	if (used >= TEXT)
		MPI_Abort(MPI_COMM_WORLD, 3);
}

static void say_ints(const char *what, const int *x, int n)
{
	say("%s:", what);
	for (int i = 0; i < n; i++)
		say(" %d", x[i]);
	say("\n");
}

static const char *class_of(int code)
{
	static const struct {
		int class;
		const char *name;
	} all[] = {{MPI_SUCCESS, "none"},
	           {MPI_ERR_RANK, "rank"},
	           {MPI_ERR_TAG, "tag"},
	           {MPI_ERR_COMM, "comm"},
	           {MPI_ERR_COUNT, "count"},
	           {MPI_ERR_TYPE, "type"},
	           {MPI_ERR_ROOT, "root"},
	           {MPI_ERR_GROUP, "group"},
	           {MPI_ERR_OP, "op"},
	           {MPI_ERR_TRUNCATE, "truncate"},
	           {MPI_ERR_KEYVAL, "keyval"},
	           {MPI_ERR_OTHER, "other"},
	           {MPI_ERR_TOPOLOGY, "topology"},
	           {MPI_ERR_DIMS, "dims"},
	           {MPI_ERR_BUFFER, "buffer"},
	           {MPI_ERR_ARG, "arg"},
	           {MPI_ERR_REQUEST, "request"},
	           {MPI_ERR_IN_STATUS, "in status"},
	           {MPI_ERR_INFO_NOKEY, "no key"}};
	int class = -1;

	MPI_Error_class(code, &class);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].class == class)
			return all[i].name;
	return "another";
}

/* --- attributes --- */

static int copies;

static int copied(MPI_Comm c, int keyval, void *extra, void *value, void *out, int *flag)
{
	(void)c, (void)keyval;
	copies++; /* in which order is open */
	*(void **)out = (char *)value + 100;
	*flag = *(const char *)extra != 'n';
	return MPI_SUCCESS;
}

static int deleted(MPI_Comm c, int keyval, void *value, void *extra)
{
	(void)c, (void)keyval;
	say("delete %s %ld\n", (const char *)extra, (long)(MPI_Aint)value);
	return *(const char *)extra == 'k' ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void attributes(void)
{
	static char *names[] = {"first", "second", "not copied", "kept"};
	int key[4], flag, code;
	MPI_Comm a, b;
	void *value;

	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN);
	for (int i = 0; i < 4; i++) {
		MPI_Comm_create_keyval(copied, deleted, &key[i], names[i]);
		MPI_Comm_set_attr(a, key[i], (void *)(MPI_Aint)(i + 1));
	}
	MPI_Comm_set_attr(a, key[0], (void *)(MPI_Aint)7); /* deletes the one before */
	MPI_Comm_dup(a, &b);
	say("%d copied\n", copies);
	for (int i = 0; i < 4; i++) {
		MPI_Comm_get_attr(b, key[i], &value, &flag);
		say("copy has %d: %d %ld\n", i, flag, flag ? (long)(MPI_Aint)value : 0);
	}
	MPI_Comm_delete_attr(b, key[0]);
	code = MPI_Comm_delete_attr(a, key[3]); /* its callback refuses */
	MPI_Comm_get_attr(a, key[3], &value, &flag);
	say("refused %d, still there %d\n", code != MPI_SUCCESS, flag);
	MPI_Comm_free_keyval(&key[0]);
	say("keyval is none: %d\n", key[0] == MPI_KEYVAL_INVALID);
	MPI_Comm_delete_attr(b, key[1]);
}

/* --- errors --- */

static int seen;

static void on_error(MPI_Comm *c, int *code, ...)
{
	(void)c;
	seen++;
	say("handler: %s\n", class_of(*code));
}

static void errors(void)
{
	MPI_Errhandler h;
	MPI_Comm c, d;
	MPI_Datatype t;
	MPI_Status s;
	int x[4] = {0}, class, code, y = rank;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_create_errhandler(on_error, &h);
	MPI_Comm_set_errhandler(c, h);
	MPI_Errhandler_free(&h);
	MPI_Comm_dup(c, &d); /* inherits it */
	say("%s\n", class_of(MPI_Send(x, 1, MPI_INT, size, 0, d)));
	say("%s\n", class_of(MPI_Send(x, -1, MPI_INT, 0, 0, d)));
	say("%s\n", class_of(MPI_Send(x, 1, MPI_INT, 0, -5, d)));
	say("%s\n", class_of(MPI_Bcast(x, 1, MPI_INT, size + 1, d)));
	MPI_Type_contiguous(2, MPI_INT, &t); /* not committed */
	say("%s\n", class_of(MPI_Send(x, 1, t, 0, 0, d)));
	MPI_Type_free(&t);
	MPI_Sendrecv(&y, 1, MPI_INT, rank, 3, x, 1, MPI_INT, rank, 3, d, &s);
	MPI_Comm_set_errhandler(d, MPI_ERRORS_RETURN);
#ifndef OPEN_MPI /* which says nothing of it, to oneself */
	code = MPI_Sendrecv(x, 4, MPI_INT, rank, 3, &y, 1, MPI_INT, rank, 3, d, MPI_STATUS_IGNORE);
	say("too long: %s\n", class_of(code));
#endif
	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	MPI_Comm_set_errhandler(d, MPI_ERRORS_RETURN);
	say("own: %s, called %d\n", MPI_Comm_call_errhandler(d, code) ? "told" : "done", seen);
	MPI_Comm_call_errhandler(c, MPI_ERR_ARG);
	say("called %d\n", seen);
	MPI_Comm_free(&c);
	MPI_Comm_free(&d);
}

/* --- datatypes --- */

static void describe(const char *what, MPI_Datatype t)
{
	MPI_Aint lb, extent, true_lb, true_extent;
	int bytes, ni, na, nd, combiner;

	MPI_Type_size(t, &bytes);
	MPI_Type_get_extent(t, &lb, &extent);
	MPI_Type_get_true_extent(t, &true_lb, &true_extent);
	MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
	say("%s: size %d lb %ld extent %ld true %ld %ld envelope %d %d %d\n", what, bytes, (long)lb,
	    (long)extent, (long)true_lb, (long)true_extent, ni, na, nd);
}

/* Packs it from numbers, and says which were taken, in which order. */
static void taken(const char *what, MPI_Datatype t)
{
	enum { N = 400 };
	int from[N], to[N], at = 0, back = 0, bytes;

	MPI_Type_commit(&t);
	describe(what, t);
	for (int i = 0; i < N; i++) {
		from[i] = i;
		to[i] = -1;
	}
	MPI_Type_size(t, &bytes);
	MPI_Pack(from, 1, t, to, sizeof to, &at, MPI_COMM_WORLD);
	say_ints("takes", to, at / (int)sizeof(int));
	memset(from, -1, sizeof from);
	MPI_Unpack(to, at, &back, from, 1, t, MPI_COMM_WORLD);
	for (int i = 0; i < N; i++)
		if (from[i] != -1 && from[i] != i)
			say("%d came to %d\n", from[i], i);
	say("packed %d of %d, %d\n", at, bytes, back);
	MPI_Type_free(&t);
}

static void types(void)
{
	const int sizes[3] = {5, 6, 4}, sub[3] = {2, 3, 2}, start[3] = {1, 2, 1};
	const int grid[2] = {2, 2}, global[2] = {7, 5};
	const int blocks[3] = {2, 0, 3}, lengths[3] = {1, 2, 1}, places[3] = {4, 9, 0};
	const MPI_Aint at[3] = {8, 100, 40};
	const MPI_Datatype kinds[3] = {MPI_INT, MPI_DOUBLE, MPI_INT};
	static const int how[4][2] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
	                              {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
	                              {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC},
	                              {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}};
	MPI_Datatype t, u, v;

	MPI_Type_create_subarray(3, sizes, sub, start, MPI_ORDER_C, MPI_INT, &t);
	taken("subarray C", t);
	MPI_Type_create_subarray(3, sizes, sub, start, MPI_ORDER_FORTRAN, MPI_INT, &t);
	taken("subarray Fortran", t);
	for (int i = 0; i < 4; i++) {
		const int args[2] = {
		    how[i][0] == MPI_DISTRIBUTE_CYCLIC && i == 2 ? 2 : MPI_DISTRIBUTE_DFLT_DARG,
		    MPI_DISTRIBUTE_DFLT_DARG};

		MPI_Type_create_darray(RANKS, rank, 2, global, how[i], args, grid,
		                       i % 2 ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &t);
		taken("darray", t);
	}
	MPI_Type_create_struct(3, blocks, at, kinds, &t);
	taken("struct with a hole", t);
	MPI_Type_indexed(3, lengths, places, MPI_INT, &t);
	MPI_Type_create_resized(t, -8, 80, &u);
	MPI_Type_contiguous(3, u, &v);
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	taken("three resized", v);
	MPI_Type_create_hvector(3, 2, 44, MPI_INT, &t);
	MPI_Type_vector(2, 1, 3, t, &u);
	MPI_Type_free(&t);
	taken("vector of hvector", u);
	MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &t);
	MPI_Type_dup(t, &u);
	MPI_Type_free(&t);
	taken("copy of indexed block", u);
	MPI_Type_vector(0, 1, 3, MPI_INT, &t);
	taken("nothing", t);
	MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t);
	describe("real of 8", t);
}

static void external(void)
{
	const int ints[2] = {1, -2};
	const double doubles[2] = {1.5, -0.1};
	const long longs[1] = {-3};
	const char chars[3] = {'a', 'b', 'c'};
	unsigned char out[64];
	MPI_Aint at = 0, n;
	long back = 0;

	MPI_Pack_external("external32", ints, 2, MPI_INT, out, sizeof out, &at);
	MPI_Pack_external("external32", chars, 3, MPI_CHAR, out, sizeof out, &at);
	MPI_Pack_external("external32", doubles, 2, MPI_DOUBLE, out, sizeof out, &at);
	say("external32 %ld:", (long)at);
	for (int i = 0; i < at; i++)
		say(" %02x", out[i]);
	say("\n");
	MPI_Pack_external_size("external32", 3, MPI_SHORT, &n);
	say("three shorts %ld\n", (long)n);
	at = 0;
	MPI_Pack_external("external32", longs, 1, MPI_LONG, out, sizeof out, &at);
	n = at;
	at = 0;
	MPI_Unpack_external("external32", out, n, &at, &back, 1, MPI_LONG);
	say("long comes back %ld\n", back);
}

static void counts(void)
{
	MPI_Datatype pair, t;
	MPI_Status s;
	int n, e, x[8] = {0}, y[8];

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_contiguous(2, pair, &t);
	MPI_Type_commit(&pair);
	MPI_Type_commit(&t);
	MPI_Sendrecv(x, 6, MPI_INT, 0, 0, y, 2, t, 0, 0, MPI_COMM_SELF, &s);
	MPI_Get_count(&s, t, &n);
	MPI_Get_elements(&s, t, &e);
	say("count undefined %d, elements %d\n", n == MPI_UNDEFINED, e);
	MPI_Get_count(&s, pair, &n);
	say("pairs %d\n", n);
	MPI_Type_free(&pair);
	MPI_Type_free(&t);
}

/* --- groups and communicators --- */

static void say_members(const char *what, MPI_Comm c)
{
	int n, all[RANKS], own[RANKS] = {0, 1, 2, 3};
	MPI_Group world, g;

	if (c == MPI_COMM_NULL) {
		say("%s: none\n", what);
		return;
	}
	MPI_Comm_group(c, &g);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_size(g, &n);
	MPI_Group_translate_ranks(g, n, own, world, all);
	say_ints(what, all, n);
	MPI_Group_free(&g);
	MPI_Group_free(&world);
}

static void comms(void)
{
	int ranges[2][3] = {{3, 1, -2}, {0, 2, 2}}, pick[2] = {2, 0}, other = -1, result;
	MPI_Group world, g, h, u;
	MPI_Comm c, d, inter, merged;
	MPI_Request q;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_range_incl(world, 2, ranges, &g); /* 3 1 0 2 */
	MPI_Comm_create(MPI_COMM_WORLD, g, &c);
	say_members("ranges", c);
	MPI_Comm_compare(MPI_COMM_WORLD, c, &result);
	say("similar %d\n", result == MPI_SIMILAR);
	MPI_Comm_free(&c);
	MPI_Group_incl(world, 2, pick, &h);
	MPI_Group_difference(g, h, &u);
	if (rank % 2 == 0)
		MPI_Comm_create_group(MPI_COMM_WORLD, h, 5, &c);
	else
		MPI_Comm_create_group(MPI_COMM_WORLD, u, 6, &c);
	say_members("group of some", c);
	MPI_Comm_idup(c, &d, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Comm_compare(c, d, &result);
	say("congruent %d\n", result == MPI_CONGRUENT);
	MPI_Comm_free(&d);
	MPI_Intercomm_create(c, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 3 : 2, 9, &inter);
	MPI_Comm_remote_size(inter, &other);
	MPI_Comm_test_inter(inter, &result);
	say("inter %d, remote %d\n", result, other);
	MPI_Intercomm_merge(inter, rank % 2 == 0, &merged);
	say_members("merged, odd first", merged);
	other = 10 * (rank + 1);
	MPI_Allreduce(&other, &result, 1, MPI_INT, MPI_SUM, inter);
	say("sum of the others %d\n", result);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&c);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 7, -rank, &c);
	say_members("split backwards", c);
	if (c != MPI_COMM_NULL)
		MPI_Comm_free(&c);
	MPI_Comm_split_type(MPI_COMM_WORLD, rank ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, -rank,
	                    MPI_INFO_NULL, &c);
	say_members("shared", c);
	if (c != MPI_COMM_NULL)
		MPI_Comm_free(&c);
	MPI_Group_free(&u);
	MPI_Group_free(&h);
	MPI_Group_free(&g);
	MPI_Group_free(&world);
}

static void info_lengths(MPI_Info info)
{
	static char text[MPI_MAX_INFO_VAL + 2];
	int refused;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int n = MPI_MAX_INFO_KEY - 1; n <= MPI_MAX_INFO_KEY + 1; n++) {
		memset(text, 'k', n);
		text[n] = '\0';
		refused = MPI_Info_set(info, text, "1") != MPI_SUCCESS;
		say("a key of %d letters: %d\n", n, refused);
	}
	for (int n = MPI_MAX_INFO_VAL - 1; n <= MPI_MAX_INFO_VAL + 1; n += 2) {
		memset(text, 'v', n);
		text[n] = '\0';
		say("a value of %d: %d\n", n, MPI_Info_set(info, "v", text) != MPI_SUCCESS);
	}
}

static void infos(void)
{
	char key[MPI_MAX_INFO_KEY + 1], value[64];
	int n, flag, length;
	MPI_Info a, b;

	MPI_Info_create(&a);
	MPI_Info_set(a, "one", "1");
	MPI_Info_set(a, "two", "22");
	MPI_Info_set(a, "one", "eins");
	MPI_Info_dup(a, &b);
	MPI_Info_delete(a, "one");
	MPI_Info_get_nkeys(a, &n);
	MPI_Info_get_nthkey(a, 0, key);
	say("%d key, %s\n", n, key);
	MPI_Info_get_valuelen(b, "one", &length, &flag);
	MPI_Info_get(b, "one", 63, value, &flag);
	say("%d %d %s\n", flag, length, value);
	MPI_Info_get(b, "three", 63, value, &flag);
	say("three %d\n", flag);
	info_lengths(a);
	MPI_Info_free(&a);
	MPI_Info_free(&b);
}

/* --- topologies --- */

static void topologies(void)
{
	int dims[3] = {0, 2, 0}, periods[2] = {1, 0}, coords[2], from, to, keep[2] = {0, 1}, n;
	int indegree, outdegree, weighted, sources[RANKS], targets[RANKS], in[RANKS], out[RANKS];
	int index[RANKS] = {1, 3, 4, 6}, edges[6] = {1, 0, 2, 3, 0, 2}, data[8], got[8];
	MPI_Comm cart, row, graph;

	MPI_Dims_create(24, 3, dims);
	say_ints("dims", dims, 3);
	dims[0] = dims[1] = 2;
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	MPI_Cart_coords(cart, rank, 2, coords);
	say_ints("at", coords, 2);
	for (int d = 0; d < 2; d++)
		for (int by = -2; by <= 1; by++) {
			MPI_Cart_shift(cart, d, by, &from, &to);
			say("shift %d %d: %d %d\n", d, by, from == MPI_PROC_NULL ? -1 : from,
			    to == MPI_PROC_NULL ? -1 : to);
		}
	coords[0] = -1;
	coords[1] = 1;
	MPI_Cart_rank(cart, coords, &n);
	say("around: %d\n", n);
	MPI_Cart_sub(cart, keep, &row);
	say_members("row", row);
	for (int i = 0; i < 8; i++) {
		data[i] = 100 * rank + i;
		got[i] = -1;
	}
	MPI_Neighbor_alltoall(data, 1, MPI_INT, got, 1, MPI_INT, cart);
	say_ints("from neighbours", got, 4);
	MPI_Comm_free(&row);
	MPI_Comm_free(&cart);
	MPI_Graph_create(MPI_COMM_WORLD, RANKS, index, edges, 0, &graph);
	MPI_Graph_neighbors_count(graph, rank, &n);
	MPI_Graph_neighbors(graph, rank, n, targets);
	say_ints("graph", targets, n);
	MPI_Comm_free(&graph);
	/* rank r tells of the edges r + 1 -> r, thrice the weight, and r -> r + 2 */
	sources[0] = (rank + 1) % RANKS;
	sources[1] = rank;
	in[0] = in[1] = 1;
	targets[0] = rank;
	targets[1] = (rank + 2) % RANKS;
	out[0] = 3 * rank;
	out[1] = 7;
	MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, in, targets, out, MPI_INFO_NULL, 0,
	                      &graph);
	MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted);
	say("dist graph %d %d %d\n", indegree, outdegree, weighted);
	MPI_Dist_graph_neighbors(graph, indegree, sources, in, outdegree, targets, out);
	for (int r = 0; r < RANKS; r++) { /* in which order is open */
		int sum[2] = {0, 0};

		for (int k = 0; k < indegree; k++)
			sum[0] += sources[k] == r ? 100 + in[k] : 0;
		for (int k = 0; k < outdegree; k++)
			sum[1] += targets[k] == r ? 100 + out[k] : 0;
		say_ints("in and out", sum, 2);
	}
	MPI_Comm_free(&graph);
	sources[0] = (rank + 3) % RANKS;
	targets[0] = (rank + 1) % RANKS;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 1, targets,
	                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted);
	say("adjacent %d %d %d\n", indegree, outdegree, weighted);
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
	say("neighbour %d\n", got[0]);
	MPI_Comm_free(&graph);
}

/* --- messages --- */

static void messages(void)
{
	int x[4] = {rank, 1, 2, 3}, y[4] = {-1, -1, -1, -1}, flag, n, right = (rank + 1) % size;
	int left = (rank + size - 1) % size;
	MPI_Request q, r;
	MPI_Message m;
	MPI_Status s;

	MPI_Irecv(y, 4, MPI_INT, left, 1, MPI_COMM_WORLD, &r);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Rsend(x, 2, MPI_INT, right, 1, MPI_COMM_WORLD);
	MPI_Wait(&r, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	say("ready: %d of %d, tag %d\n", n, s.MPI_SOURCE, s.MPI_TAG);
	MPI_Irecv(y, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &r);
	MPI_Cancel(&r);
	MPI_Wait(&r, &s);
	MPI_Test_cancelled(&s, &flag);
	say("cancelled %d\n", flag);
	MPI_Isend(x, 3, MPI_INT, right, 4, MPI_COMM_WORLD, &q);
	MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	MPI_Iprobe(left, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	say("matched %d, tag %d; another %d\n", n, s.MPI_TAG, flag);
	MPI_Mrecv(y, 4, MPI_INT, &m, &s);
	say("message is null %d, got %d\n", m == MPI_MESSAGE_NULL, y[0]);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &m, &s);
	say("nobody's message %d, source %d\n", m == MPI_MESSAGE_NO_PROC,
	    s.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Mrecv(y, 4, MPI_INT, &m, &s);
	MPI_Recv(y, 4, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	say("from nobody: %d %d %d\n", s.MPI_SOURCE == MPI_PROC_NULL, s.MPI_TAG == MPI_ANY_TAG, n);
	q = MPI_REQUEST_NULL;
	MPI_Test(&q, &flag, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	say("empty status: %d %d %d %d\n", flag, s.MPI_SOURCE == MPI_ANY_SOURCE,
	    s.MPI_TAG == MPI_ANY_TAG, n);
	MPI_Testany(1, &q, &n, &flag, &s);
	say("none of them: %d %d\n", flag, n == MPI_UNDEFINED);
	for (int i = 0; i < 4; i++)
		x[i] = rank * 4 + i;
	MPI_Sendrecv_replace(x, 4, MPI_INT, right, 0, left, 0, MPI_COMM_WORLD, &s);
	say_ints("replaced", x, 4);
}

/* --- windows --- */

static void windows(void)
{
	int size_of, disp, *base, *peer, right = (rank + 1) % size, left = (rank + size - 1) % size;
	int one = 1, old = -1, compare = 0, x[4], result[4], flag;
	MPI_Group world, to, from;
	MPI_Aint bytes;
	MPI_Win w;

	MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	for (int i = 0; i < 8; i++)
		base[i] = 10 * rank + i;
	MPI_Win_get_attr(w, MPI_WIN_DISP_UNIT, &peer, &flag);
	say("unit %d\n", *peer);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &right, &to);
	MPI_Group_incl(world, 1, &left, &from);
	MPI_Win_post(from, 0, w);
	MPI_Win_start(to, 0, w);
	for (int i = 0; i < 4; i++)
		x[i] = 1000 * rank + i;
	MPI_Put(x, 2, MPI_INT, right, 0, 2, MPI_INT, w);
	MPI_Accumulate(x, 2, MPI_INT, right, 2, 2, MPI_INT, MPI_SUM, w);
	MPI_Win_complete(w);
	MPI_Win_wait(w);
	say_ints("put", base, 4);
	MPI_Win_lock_all(0, w);
	MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 7, MPI_SUM, w);
	MPI_Win_flush(0, w);
	say("fetched one of the first four %d\n", old >= 7 && old < 7 + RANKS);
	compare = 10 * right + 6;
	MPI_Compare_and_swap(&rank, &compare, &old, MPI_INT, right, 6, w);
	MPI_Win_flush_local(right, w);
	MPI_Win_flush_all(w);
	say("swapped %d\n", old);
	MPI_Get_accumulate(x, 2, MPI_INT, result, 2, MPI_INT, right, 4, 2, MPI_INT, MPI_NO_OP, w);
	MPI_Win_flush_local_all(w);
	say_ints("only read", result, 2);
	MPI_Win_unlock_all(w);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, w);
	MPI_Get(result, 4, MPI_INT, left, 4, 4, MPI_INT, w);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w);
	say_ints("got", result, 4);
	MPI_Win_free(&w);
	MPI_Win_allocate_shared(rank ? 4 * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL,
	                        MPI_COMM_WORLD, &base, &w);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, w);
	if (rank)
		base[0] = 5 * rank;
	MPI_Win_sync(w);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(w);
	MPI_Win_shared_query(w, MPI_PROC_NULL, &bytes, &disp, &peer);
	size_of = (int)bytes;
	say("shared: the first that is not empty: %d bytes, unit %d, %d\n", size_of, disp, peer[0]);
	MPI_Win_shared_query(w, size - 1, &bytes, &disp, &peer);
	say("the last: %d\n", peer[0]);
	MPI_Win_unlock_all(w);
	MPI_Win_free(&w);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Group_free(&world);
}

/* --- what is new in MPI 4 --- */

static void recent(void)
{
#if MPI_VERSION >= 4
	int x[6], y[6] = {0}, flag, n, right = (rank + 1) % size, left = (rank + size - 1) % size;
	char name[MPI_MAX_PSET_NAME_LEN];
	MPI_Request q[2], r;
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;

	MPI_Allreduce_init(x, y, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	for (int i = 0; i < 3; i++) { /* takes what is there when it is started */
		x[0] = rank + i;
		x[1] = i;
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		say_ints("persistent", y, 2);
	}
	say("still there %d\n", r != MPI_REQUEST_NULL);
	MPI_Request_free(&r);
	MPI_Psend_init(x, 3, 2, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
	MPI_Precv_init(y, 2, 3, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]);
	for (int round = 0; round < 2; round++) {
		const int last[2] = {0, 1};

		for (int i = 0; i < 6; i++)
			x[i] = 100 * round + 10 * rank + i;
		MPI_Startall(2, q);
		MPI_Pready(2, q[0]);
		MPI_Pready_list(2, last, q[0]);
		do
			MPI_Parrived(q[1], 1, &flag);
		while (!flag);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		say_ints("partitions", y, 6);
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n);
	say("sets %d\n", n >= 2);
	n = sizeof name;
	MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 0, &n, name);
	say("the first: %s\n", strcmp(name, "mpi://WORLD") == 0 || strcmp(name, "mpi://SELF") == 0
	                           ? "one of the two"
	                           : name);
	MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
	MPI_Comm_create_from_group(g, "org.orrery.same", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
	say_members("of a session", c);
	MPI_Allreduce(&rank, &n, 1, MPI_INT, MPI_SUM, c);
	say("sum %d\n", n);
	MPI_Comm_free(&c);
	MPI_Group_free(&g);
	MPI_Session_finalize(&s);
#endif
}

/* --- operators --- */

static void apart(void *in, void *inout, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++) /* associative, not commutative: keeps the order of ranks */
		((int *)inout)[i] = ((int *)in)[i] * 10 + ((int *)inout)[i] % 10 +
		                    (((int *)inout)[i] / 10) * 100;
}

static void operators(void)
{
	struct {
		double value;
		int at;
	} pair = {rank % 2 ? 1.0 : 2.0, rank}, best;
	int x = rank + 1, y[4] = {-1, -1, -1, -1}, flag;
	MPI_Op op;

	MPI_Allreduce(&pair, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	say("best %.1f at %d\n", best.value, best.at);
	MPI_Op_create(apart, 0, &op);
	MPI_Op_commutative(op, &flag);
	say("commutes %d\n", flag);
	MPI_Op_free(&op);
	MPI_Scan(&x, y, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
	MPI_Exscan(&x, y + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	say("scan %d %d\n", y[0], rank ? y[1] : 0);
	MPI_Reduce_local(&x, y, 1, MPI_INT, MPI_BXOR);
	say("local %d\n", y[0]);
	x = rank == 2 ? 0 : 3;
	MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	say("all of them %d\n", x);
}

/* --- files --- */

static void file_of(const char *path)
{
	int x[6], n, bytes, flag;
	MPI_Datatype every, t;
	MPI_Offset at, total;
	MPI_Status s;
	MPI_File f;

	say("open %s\n",
	    class_of(MPI_File_open(MPI_COMM_WORLD, path,
	                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
	                           MPI_INFO_NULL, &f)));
	for (int i = 0; i < 6; i++)
		x[i] = 10 * rank + i;
	MPI_Type_vector(3, 1, RANKS, MPI_INT, &every);
	MPI_Type_create_resized(every, 0, 3 * RANKS * (MPI_Aint)sizeof(int), &t);
	MPI_Type_commit(&t);
	MPI_File_set_view(f, (MPI_Offset)(rank * (int)sizeof(int)), MPI_INT, t, "native",
	                  MPI_INFO_NULL);
	MPI_File_write_all(f, x, 6, MPI_INT, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	MPI_File_get_position(f, &at);
	MPI_File_get_byte_offset(f, 4, &total);
	say("wrote %d, at %ld, the fifth is byte %ld\n", n, (long)at, (long)total);
	MPI_File_seek(f, 4, MPI_SEEK_SET);
	MPI_File_read(f, x, 5, MPI_INT, &s);
	MPI_File_get_position(f, &at);
	say("behind the end: at %ld\n", (long)at);
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_get_size(f, &total);
	MPI_File_read_at_all(f, 5 * rank, x, 6, MPI_INT, &s);
	say("of %ld", (long)total);
	say_ints(" read", x, 6);
	MPI_File_seek(f, -2, MPI_SEEK_END);
	MPI_File_read(f, x, 4, MPI_INT, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	say("at the end %d: %d %d\n", n, x[0], x[1]);
	MPI_File_read_at_all_begin(f, 2 * rank, x, 2, MPI_INT);
	MPI_File_read_at_all_end(f, x, &s);
	say_ints("split", x, 2);
	MPI_File_set_atomicity(f, 1);
	MPI_File_get_atomicity(f, &flag);
	MPI_File_seek_shared(f, 3, MPI_SEEK_SET);
	MPI_File_read_ordered(f, x, 2, MPI_INT, &s);
	MPI_File_get_position_shared(f, &at);
	say("atomic %d, shared at %ld", flag, (long)at);
	say_ints(" read", x, 2);
	MPI_File_preallocate(f, 400);
	MPI_File_get_size(f, &total);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_set_size(f, 40);
	MPI_File_get_size(f, &at);
	MPI_Type_size(t, &bytes);
	say("sizes %ld %ld, type %d\n", (long)total, (long)at, bytes);
	MPI_File_close(&f);
	MPI_Type_free(&every);
	MPI_Type_free(&t);
	say("open what is not there: %d\n",
	    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &f) != MPI_SUCCESS);
}

static void print_all(void)
{
	static char others[TEXT];

	if (rank) {
		MPI_Send(text, (int)used, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		return;
	}
	fwrite(text, 1, used, stdout);
	for (int r = 1; r < size; r++) {
		MPI_Status s;
		int n;

		MPI_Recv(others, TEXT, MPI_CHAR, r, 0, MPI_COMM_WORLD, &s);
		MPI_Get_count(&s, MPI_CHAR, &n);
		printf("--- rank %d\n", r);
		fwrite(others, 1, (size_t)n, stdout);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {{"attributes", attributes}, {"errors", errors},         {"types", types},
	             {"external", external},     {"counts", counts},         {"comms", comms},
	             {"infos", infos},           {"topologies", topologies}, {"messages", messages},
	             {"windows", windows},       {"operators", operators},   {"recent", recent}};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != RANKS)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (argc > 2 && strcmp(argv[2], parts[i].name) != 0)
			continue;
		say("== %s\n", parts[i].name);
		parts[i].run();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (argc > 1 && *argv[1])
		file_of(argv[1]);
	print_all();
	MPI_Finalize();
	return 0;
}
