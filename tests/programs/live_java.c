/* live_java.c: what a Java program has Open MPI's library for Java (libmpi_java.so.40) do, beside a
 * Java machine that is a table of a few functions, by their places in it (JNI 6): an array is the
 * address of its first element, as is a buffer. Reductions by MPI_SUM and by an operator in Java, a
 * vector out of an array, and an error that is thrown. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INT = 5 }; /* mpi.Type */
enum {
	THROW = 13,
	NEW_OBJECT = 28,
	CALL_VOID_METHOD = 61,
	NEW_STRING = 167,
	GET_INTS = 203,
	SET_INTS = 211,
	GET_CRITICAL = 222,
	RELEASE_CRITICAL = 223,
	EXCEPTION_CHECK = 228,
	NEW_DIRECT = 229,
	FUNCTIONS = 234
};

typedef void function(void);
static function *table[FUNCTIONS];
static function **environment = table;
static int thrown, class_thrown, strange, operator;
static char text_thrown[512];

static void *some(void)
{
	return &thrown;
}

static int none(void)
{
	return 0;
}

static int throws(void)
{
	thrown++;
	return 0;
}

static const void *same(void *env, const void *argument)
{
	(void)env;
	return argument;
}

static void *exception_new(void *env, void *class, void *init, ...)
{
	va_list args;

	(void)env;
	(void)class;
	va_start(args, init);
	(void)va_arg(args, int);
	class_thrown = va_arg(args, int);
	snprintf(text_thrown, sizeof text_thrown, "%s", va_arg(args, const char *));
	va_end(args);
	return &thrown;
}

static void ints_get(void *env, const int *array, int from, int n, int *to)
{
	(void)env;
	memcpy(to, array + from, sizeof *to * (size_t)n);
}

static void ints_set(void *env, int *array, int at, int n, const int *from)
{
	(void)env;
	memcpy(array + at, from, sizeof *from * (size_t)n);
}

/* The operator: products. */
static void multiply(void *env, void *object, void *method, ...)
{
	va_list args;
	const int *in;
	int *inout, n;

	(void)method;
	va_start(args, method);
	in = va_arg(args, const int *);
	inout = va_arg(args, int *);
	n = va_arg(args, int);
	va_end(args);
	strange += env != (void *)&environment || object != (void *)&operator;
	for (int i = 0; i < n; i++)
		inout[i] *= in[i];
}

static function *found(const char *name)
{
	static void *java;
	union {
		void *object;
		function *function;
	} f;

	if (!java)
		java = dlopen("libmpi_java.so.40", RTLD_NOW | RTLD_GLOBAL);
	if (!java) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	f.object = dlsym(java, name);
	if (!f.object) {
		fprintf(stderr, "no %s\n", name);
		exit(3);
	}
	return f.function;
}

static void machine_make(void)
{
	for (int i = 0; i < FUNCTIONS; i++)
		table[i] = (function *)some;
	table[THROW] = (function *)throws;
	table[NEW_OBJECT] = (function *)exception_new;
	table[CALL_VOID_METHOD] = (function *)multiply;
	table[NEW_STRING] = table[GET_CRITICAL] = table[NEW_DIRECT] = (function *)same;
	table[GET_INTS] = (function *)ints_get;
	table[SET_INTS] = (function *)ints_set;
	table[RELEASE_CRITICAL] = table[EXCEPTION_CHECK] = (function *)none;
	table[171] = (function *)none; /* an array's length: no arguments */
}

typedef void reduce(void *env, void *comm_object, long comm, const int *from, int direct, int at,
                    int *to, int to_direct, int to_at, int n, long type, int base, void *op_object,
                    long op);
typedef void send(void *env, void *comm_object, long comm, const int *from, int direct, int at,
                  int n, long type, int base, int to, int tag);

int main(void)
{
	void *env = &environment;
	int rank, ranks, value[6], sum[2] = {0}, product = 0, got[3] = {0};
	reduce *all;
	send *sent;
	MPI_Datatype vector;

	machine_make();
	((int (*)(void *, void *))found("JNI_OnLoad"))(NULL, NULL);
	((void (*)(void *, void *))found("Java_mpi_Op_init"))(env, NULL);
	((void *(*)(void *, void *, void *))found("Java_mpi_MPI_Init_1jni"))(env, NULL, NULL);
	all = (reduce *)found("Java_mpi_Comm_allReduce");
	sent = (send *)found("Java_mpi_Comm_send");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < 6; i++)
		value[i] = 10 * rank + i + 1;

	all(env, NULL, (long)MPI_COMM_WORLD, value, 0, 0, sum, 0, 0, 2, (long)MPI_INT, INT, NULL,
	    (long)MPI_SUM);
	all(env, NULL, (long)MPI_COMM_WORLD, value, 0, 0, &product, 0, 0, 1, (long)MPI_INT, INT,
	    &operator, 0);
	MPI_Type_vector(3, 1, 2, MPI_INT, &vector);
	MPI_Type_commit(&vector);
	if (rank == 0)
		sent(env, NULL, (long)MPI_COMM_WORLD, value, 0, 0, 1, (long)vector, INT, 1, 7);
	else if (rank == 1)
		MPI_Recv(got, 3, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&vector);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	sent(env, NULL, (long)MPI_COMM_WORLD, value, 0, 0, 1, (long)MPI_INT, INT, ranks, 7);
	printf("%d: sums %d %d, product %d%s, got %d %d %d, thrown %d: %s, %s\n", rank, sum[0],
	       sum[1], product, strange ? " of another object" : "", got[0], got[1], got[2], thrown,
	       class_thrown == MPI_ERR_RANK ? "a rank" : "another error",
	       strstr(text_thrown, "invalid rank") ? "said so" : text_thrown);
	((void (*)(void *, void *))found("Java_mpi_MPI_Finalize_1jni"))(env, NULL);
	return 0;
}
