/* rows.c: what was measured goes to one file, with what it was measured on and who else used the
 * processors meanwhile. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* --- what the figures were measured on --- */

enum { FIELD = 200 };

/* The value of the first line "field<blanks>: value" of a file, or its first line; "": none. */
static char *value_of(const char *path, const char *field, char *out)
{
	char line[512];
	size_t n = strlen(field);
	FILE *in = fopen(path, "r");

	*out = '\0';
	while (in && !*out && fgets(line, sizeof line, in)) {
		const char *value = line;

		if (n > 0) {
			value = line + n + strspn(line + n, " \t");
			if (strncmp(line, field, n) != 0 || *value != ':')
				continue;
			value += 1 + strspn(value + 1, " \t");
		}
		snprintf(out, FIELD, "%.*s", (int)strcspn(value, "\n"), value);
	}
	if (in)
		fclose(in);
	return out;
}

static void head_file(FILE *f, const char *key, const char *path, const char *field)
{
	char value[FIELD];

	if (*value_of(path, field, value))
		fprintf(f, "# %s: %s\n", key, value);
}

/* Its model, and on x86 what CPUID says of it, which tells more where a virtual machine hides the
 * model: "AMD EPYC (AuthenticAMD 25/1/1)". */
static void head_processor(FILE *f)
{
	static const char path[] = "/proc/cpuinfo";
	char model[FIELD], vendor[FIELD], family[FIELD], number[FIELD], stepping[FIELD];

	if (!*value_of(path, "model name", model))
		return;
	fprintf(f, "# processor: %.100s", model);
	if (*value_of(path, "vendor_id", vendor) && *value_of(path, "cpu family", family) &&
	    *value_of(path, "model", number) && *value_of(path, "stepping", stepping))
		fprintf(f, " (%.40s %.8s/%.8s/%.8s)", vendor, family, number, stepping);
	fputc('\n', f);
}

enum { BOOT = 40 };

/* Namespaces, containers: hosts of different names that one kernel runs. boots: what each rank's
 * kernel calls its start. */
static int one_computer(const struct job *j, const char *names, const char *boots)
{
	int other_host = 0;

	for (int r = 1; r < j->size; r++) {
		if (boots[0] == '\0' || strncmp(boots, boots + (size_t)r * BOOT, BOOT) != 0)
			return 0;
		other_host |= strcmp(names, names + (size_t)r * MPI_MAX_PROCESSOR_NAME) != 0;
	}
	return other_host;
}

static void boot_read(char boot[BOOT])
{
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "r");

	memset(boot, 0, BOOT);
	if (!in)
		return;
	if (!fgets(boot, BOOT, in))
		boot[0] = '\0';
	fclose(in);
}

/* --- who else used the processors --- */

struct usage usage_now(void)
{
	double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
	struct usage u = {-1, 0, MPI_Wtime()};
	struct timespec own;
	FILE *in = fopen("/proc/stat", "r");

	if (in && fscanf(in, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle,
	                 &wait, &irq, &soft, &steal) == 8)
		u.anybody = (user + nice + system + irq + soft + steal) /
		            (double)sysconf(_SC_CLK_TCK);
	if (in)
		fclose(in);
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0)
		u.own = (double)own.tv_sec + 1e-9 * (double)own.tv_nsec;
	return u;
}

static struct usage usage_since(const struct usage *before)
{
	struct usage u = usage_now();

	u.anybody = u.anybody < 0 || before->anybody < 0 ? -1 : u.anybody - before->anybody;
	u.own -= before->own;
	u.wall -= before->wall;
	return u;
}

/* The busiest kernel's processors in use by others than its ranks, as a part of all of them. */
static double others_share(const struct job *j, const struct usage *use, const char *boots,
                           const long *processors)
{
	double most = -1;

	for (int r = 0; r < j->size; r++) {
		double own = 0, share;

		for (int k = 0; k < j->size; k++)
			if (strncmp(boots + (size_t)r * BOOT, boots + (size_t)k * BOOT, BOOT) == 0)
				own += use[k].own;
		if (boots[(size_t)r * BOOT] == '\0' || use[r].anybody < 0 || use[r].wall <= 0)
			continue;
		share = (use[r].anybody - own) / (use[r].wall * (double)processors[r]);
		most = share > most ? share : most;
	}
	return most < -0.5 ? -1 : most < 0 ? 0 : most;
}

static void head(FILE *f, const struct job *j, const char *names, const char *boots, double others)
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING], date[64];
	int n;
	struct utsname u;
	time_t now = time(NULL);
	double t0 = MPI_Wtime();

	for (int i = 0; i < 1000; i++)
		(void)MPI_Wtime();
	t0 = (MPI_Wtime() - t0) / 1000;
	MPI_Get_library_version(library, &n);
	for (char *p = library; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	uname(&u);
	strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %z", localtime(&now));
	fprintf(f,
	        "# orrery measure: 1\n# date: %s\n# mpi: %.200s\n# kernel: %s %s %s\n# ranks: %d\n"
	        "# processors of a host: %ld\n# clock cost: %g\n",
	        date, library, u.sysname, u.release, u.machine, j->size,
	        sysconf(_SC_NPROCESSORS_ONLN), t0);
	if (one_computer(j, names, boots))
		fprintf(f, "# hosts are virtual, processors of their computer: %ld\n",
		        sysconf(_SC_NPROCESSORS_ONLN));
	if (others >= 0)
		fprintf(f, "# processors in use by others: %.4f of all, for %.3f s\n", others,
		        MPI_Wtime() - j->zero);
	head_processor(f);
	head_file(f, "frequency MHz", "/proc/cpuinfo", "cpu MHz");
	head_file(f, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
	head_file(f, "load", "/proc/loadavg", "");
	fprintf(f, "# hosts: ");
	for (int r = 0; r < j->size; r++)
		fprintf(f, "%s%s", r ? "," : "", names + (size_t)r * MPI_MAX_PROCESSOR_NAME);
	fprintf(f, "\nop,src,dst,pairs,size,start,duration\n");
}

static void rows_put(FILE *f, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s,%d,%d,%d,%ld,%.9f,%.9g\n", op_names[rows[i].op], rows[i].src,
		        rows[i].dst, rows[i].pairs, rows[i].size, rows[i].start, rows[i].duration);
}

/* Those of rank 0, and of the others as they come. */
static void rows_gather(FILE *f, const struct job *j)
{
	rows_put(f, j->rows, (size_t)j->n_rows);
	for (int r = 1; r < j->size; r++) {
		struct row *rows;
		int bytes;

		MPI_Recv(&bytes, 1, MPI_INT, r, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		rows = malloc((size_t)bytes + 1);
		if (!rows)
			measure_fail("out of memory");
		MPI_Recv(rows, bytes, MPI_BYTE, r, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		rows_put(f, rows, (size_t)bytes / sizeof *rows);
		free(rows);
	}
}

static void file_write(const struct job *j, const char *path, const char *names, const char *boots,
                       double others)
{
	FILE *f = fopen(path, "w");

	if (!f)
		measure_fail("the output file cannot be written");
	head(f, j, names, boots, others);
	rows_gather(f, j);
	if (fclose(f) != 0)
		measure_fail("the output file cannot be written");
}

void rows_write(const struct job *j, const char *path, const struct usage *start)
{
	struct usage use = usage_since(start), *uses = calloc((size_t)j->size, sizeof *uses);
	long processors = sysconf(_SC_NPROCESSORS_ONLN),
	     *all_processors = calloc((size_t)j->size, sizeof *all_processors);
	char *names = calloc((size_t)j->size, MPI_MAX_PROCESSOR_NAME),
	     name[MPI_MAX_PROCESSOR_NAME] = "";
	char *boots = calloc((size_t)j->size, BOOT), boot[BOOT];
	int n, bytes = (int)(j->n_rows * (long)sizeof *j->rows);

	if (!uses || !all_processors || !names || !boots)
		measure_fail("out of memory");
	boot_read(boot);
	MPI_Get_processor_name(name, &n);
	MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Gather(boot, BOOT, MPI_CHAR, boots, BOOT, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Gather(&use, 3, MPI_DOUBLE, uses, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Gather(&processors, 1, MPI_LONG, all_processors, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	if (j->rank != 0) {
		MPI_Send(&bytes, 1, MPI_INT, 0, TAG_CONTROL, MPI_COMM_WORLD);
		MPI_Send(j->rows, bytes, MPI_BYTE, 0, TAG_CONTROL, MPI_COMM_WORLD);
	} else {
		file_write(j, path, names, boots, others_share(j, uses, boots, all_processors));
	}
	free(boots);
	free(names);
	free(uses);
	free(all_processors);
}
