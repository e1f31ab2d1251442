/* test_options.c: what is typed is never passed over, verb by verb: numbers that are none, too
 * large or too small, options that say nothing without another one or beside it, words too many,
 * outputs that cannot be written. Each is refused as main.c would, with its name, and nothing is
 * printed or left behind. */
#include "cli/outputs.h"
#include "verb.h"

#include <dirent.h>
#include <sys/stat.h>

/* As main.c has it: words, rules, outputs, then the verb. */
static void said(struct ran *r, const char *const *words)
{
	const struct verb *v = verb_find(*words);
	struct led out, told;
	char *argv[32];
	int argc = 0;
	struct args a = {0};

	assert_non_null(v);
	for (words++; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	memset(r, 0, sizeof *r);
	fflush(NULL);
	led_away(&out, STDOUT_FILENO);
	led_away(&told, STDERR_FILENO);
	r->code = args_parse(v, argc, argv, &a, &r->err);
	if (r->code == 0 && (args_check(v, &a, &r->err) < 0 || outputs_check(v, &a, &r->err) < 0))
		r->code = -1;
	if (r->code == 0)
		r->code = v->run(&a, &r->err);
	args_release(&a);
	fflush(NULL);
	led_back(&told, r->told, sizeof r->told);
	led_back(&out, r->out, sizeof r->out);
}

static void refused(const char *part, enum err_kind kind, const char *const *words)
{
	struct ran r;

	said(&r, words);
	if (r.code != -1 || r.err.kind != kind || !strstr(r.err.text, part))
		fail_msg("%s %s … : %d, \"%s\" is not in: %s", words[0], words[1], r.code, part,
		         r.err.text);
	assert_string_equal(r.out, "");
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO(part, ...) refused(part, ERR_INPUT, WORDS(__VA_ARGS__))

/* --- numbers --- */

/* What is before the option, so that it is looked at. */
static const struct {
	const char *option, *before[9]; /* the last is NULL */
	const char *fine;               /* what of `wrong` below is a number of it */
} numbers[] = {
    {"--np", {"replay", "T", "-p", "M"}, ""},
    {"--ppn", {"replay", "T", "-p", "M"}, ""},
    {"--runs", {"replay", "T", "-p", "M"}, ""},
    {"--seed", {"replay", "T", "-p", "M", "--runs", "3"}, ""},
    {"--np", {"info", "T"}, ""},
    {"--np", {"convert", "T", "-o", "OUT"}, ""},
    {"--precision", {"convert", "T", "-o", "OUT", "-f", "compressed"}, "0"},
    {"--limit", {"export", "T", "-f", "html", "-o", "OUT"}, ""},
    {"--threads", {"coll", "bcast", "-p", "M", "-n", "2", "--bytes", "8"}, ""},
    {"--threads", {"tune", "-p", "M", "-n", "2", "--bytes", "8"}, ""},
    {"--fanout", {"gather", "D", "-o", "OUT"}, ""},
    {"--cores", {"platform", "generate", "flat", "4"}, ""},
    {"--model", {"calibrate", "kernel", "--from", "T"}, "0"},
    {"--noise", {"calibrate", "kernel", "--from", "T"}, "0"},
    {"--samples", {"calibrate", "network", "--", "none"}, ""},
    {"--cores", {"calibrate", "network", "--from", "T"}, ""},
    {"--seed", {"calibrate", "network", "--", "none"}, "0"},
    {"--time", {"calibrate", "network", "--", "none"}, ""},
    {"--time", {"calibrate", "noise"}, "1.5"},
    {"--time", {"calibrate", "memory"}, "1.5"},
    {"--time", {"calibrate", "processor"}, "1.5"},
    {"--np", {"run", "-p", "M", "--", "./none"}, ""},
    {"--jobs", {"run", "-p", "M", "--", "./none"}, ""},
    {"--tree", {"trace", "-o", "OUT", "--", "./none"}, ""},
    {"--buffer", {"trace", "-o", "OUT", "--", "./none"}, ""},
    {"--sites", {"trace", "-o", "OUT", "--", "./none"}, "0"},
};

static const char *file_of(const struct files *f, const char *word, const char *out)
{
	return !strcmp(word, "T")     ? f->trace
	       : !strcmp(word, "M")   ? f->machine
	       : !strcmp(word, "OUT") ? out
	       : !strcmp(word, "D")   ? f->tmp.dir
	                              : word;
}

static void numbers_that_are_none(void **state)
{
	static const char *const wrong[] = {
	    "x", "1.5", "-1", "99999999999999999999", "1e400", "0x1", " 1", "1 ", "1k", "0"};
	struct files f;
	char out[300];

	(void)state;
	files_init(&f);
	snprintf(out, sizeof out, "%s/out", f.tmp.dir);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
			const char *words[16] = {0};
			int n = 0;

			if (!strcmp(wrong[w], numbers[i].fine))
				continue;
			for (int k = 0; numbers[i].before[k]; k++) {
				if (!strcmp(numbers[i].before[k], "--")) {
					words[n++] = numbers[i].option;
					words[n++] = wrong[w];
				}
				words[n++] = file_of(&f, numbers[i].before[k], out);
			}
			if (strcmp(words[n - 1], "./none") != 0 &&
			    strcmp(words[n - 1], "none") != 0) {
				words[n++] = numbers[i].option;
				words[n++] = wrong[w];
			}
			refused(numbers[i].option, ERR_INPUT, words);
		}
	assert_int_not_equal(access(out, F_OK), 0);
	tmp_release(&f.tmp);
}

/* --- values of other kinds --- */

static void values_that_are_none(void **state)
{
	struct files f;

	(void)state;
	files_init(&f);
	NO("--map-by is slot", "replay", f.trace, "-p", f.machine, "--map-by", "rank");
	NO("--computation is auto", "replay", f.trace, "-p", f.machine, "--computation", "fast");
	NO("network/model", "replay", f.trace, "-p", f.machine, "-m", "newton");
	NO("smpi/coll-selector", "replay", f.trace, "-p", f.machine, "--selector", "best");
	NO("cpu-ratio", "replay", f.trace, "-p", f.machine, "--cpu-ratio", "-2");
	NO("--rate is a number above 0", "replay", f.trace, "--on", "mpirun", "--rate", "0");
	NO("--on-computation is spin", "replay", f.trace, "--on", "mpirun", "--on-computation",
	   "x");
	NO("--form is text (or folder), merged", "convert", f.trace, "-o", "x", "-f", "paper");
	NO("there is no format 'paper'", "export", f.trace, "-f", "paper");
	NO("--dates wants FROM-TO", "export", f.trace, "--dates", "2-1");
	NO("--dates wants FROM-TO", "export", f.trace, "--dates", "nan-1");
	NO("--dates wants FROM-TO", "export", f.trace, "--dates", "1e-3");
	NO("--dates wants FROM-TO", "export", f.trace, "--dates", "3e-3-2e-3");
	NO("is not a recording", "export", f.trace, "--dates", "1e-3-2e-3");
	NO("is not a recording", "export", f.trace, "--dates", "0-2e-3");
	NO("there is no format \"paper\"", "tune", "-p", f.machine, "-f", "paper");
	NO("no choice for \"fly\"", "tune", "-p", f.machine, "--operations", "bcast,fly");
	NO("no choice for \"\"", "tune", "-p", f.machine, "--operations", "bcast,");
	NO("there is no operation", "coll", "fly", "-p", f.machine);
	NO("--np", "coll", "bcast", "-p", f.machine, "-n", "8..4");
	NO("--np", "coll", "bcast", "-p", f.machine, "-n", "0");
	NO("--bytes", "coll", "bcast", "-p", f.machine, "--bytes", "1e30");
	NO("a barrier has no bytes", "coll", "barrier", "-p", f.machine, "--bytes", "8");
	NO("of which unit", "platform", "generate", "flat", "4", "--latency", "5");
	NO("--route wants two hosts", "platform", "show", f.machine, "--route", "a");
	NO("has no host 'c' (its first host is 'a'; --hosts shows all)", "platform", "show",
	   f.machine, "--route", "a,c");
	NO("--quantum is a time", "calibrate", "noise", "--quantum", "1us");
	NO("fewer than 1500 quanta", "calibrate", "noise", "--time", "1", "--quantum", "1ms");
	NO("0.5 s hold fewer than 1500 quanta", "calibrate", "noise", "--time", "0.5");
	NO("list of processors", "calibrate", "noise", "--cpus", "3-1");
	NO("--largest", "calibrate", "memory", "--largest", "8");
	NO("--name takes a word", "calibrate", "network", "--from", f.trace, "--name", "a<b");
	NO("--speed takes a speed", "calibrate", "network", "--from", f.trace, "--speed", "fast");
	NO("--form is compressed or text", "trace", "-o", "x", "--form", "paper", "--", "y");
	NO("--rate wants a positive", "trace", "-o", "x", "--rate", "inf ", "--", "y");
	NO("--mpi is openmpi or mpich", "run", "-p", f.machine, "--mpi", "lam", "--", "./none");
	tmp_release(&f.tmp);
}

/* --- options without effect --- */

static void options_without_effect(void **state)
{
	struct files f;

	(void)state;
	files_init(&f);
	/* Two traces are compared by their structure, in words. */
	NO("are for a recording beside a real run", "diff", f.trace, f.trace, "--json");
	NO("are for a recording beside a real run", "diff", f.trace, f.trace, "--outlier", "1");
	NO("one of them", "platform", "show", f.machine, "--route", "a,b", "--hosts");
	NO("one of them", "gather", f.tmp.dir, "--pack", "-o", "x");
	NO("one of them", "gather", f.tmp.dir, "--pack", "--force");
	NO("--route has no meaning", "platform", "list", "--route", "a,b");
	NO("--cores has no meaning", "platform", "check", f.machine, "--cores", "2");
	NO("--json has no meaning", "platform", "generate", "flat", "4", "--json");
	NO("without --profile or --json", "replay", f.trace, "-p", f.machine, "--per-rank");
	NO("--seed goes with --runs", "replay", f.trace, "-p", f.machine, "--seed", "2");
	NO("--seed goes with --runs", "replay", f.trace, "-p", f.machine, "-p", "dahu", "--seed",
	   "2");
	NO("are those of one run", "replay", f.trace, "-p", f.machine, "--runs", "2", "--profile");
	NO("compared by their times only", "replay", f.trace, "-p", f.machine, "-p", f.machine,
	   "--runs", "2");
	NO("--precision needs --form", "convert", f.trace, "-o", "x", "--precision", "5");
	NO("is for html, not for csv", "export", f.trace, "-f", "csv", "--limit", "5");
	NO("takes no --json", "calibrate", "kernel", "--from", f.trace, "--json");
	NO("takes no --by", "calibrate", "cpu", f.trace, "--by", "node");
	NO("of measuring", "calibrate", "network", "--from", f.trace, "--samples", "100");
	NO("of measuring", "calibrate", "noise", "--from", f.trace, "--cpus", "0");
	NO("starts no command", "calibrate", "cpu", f.trace, "--", "mpirun");
	NO("either '-- mpirun", "calibrate", "network", "--from", f.trace, "--", "mpirun");
	NO("without --trace", "run", "-p", f.machine, "--force", "--", "./none");
	NO("a hostfile says where ranks run", "replay", f.trace, "-p", f.machine, "--hostfile",
	   f.trace, "--ppn", "1");
	tmp_release(&f.tmp);
}

static void words_too_many_or_few(void **state)
{
	struct files f;

	(void)state;
	files_init(&f);
	NO("one trace is wanted, 0 given", "replay", "-p", f.machine);
	NO("one trace is wanted, 2 given", "replay", f.trace, f.trace, "-p", f.machine);
	NO("on which machine?", "replay", f.trace);
	NO("one trace is wanted, 0", "info", "--json");
	NO("give one trace and -o", "convert", f.trace);
	NO("give one trace and -o", "convert", "-o", "x");
	NO("one recording is wanted", "export", "-f", "csv");
	NO("the format goes behind -f: -f html", "export", "html", f.trace);
	NO("1 given", "diff", f.trace);
	NO("3 given", "diff", f.trace, f.trace, f.trace);
	NO("list, show, check or generate?", "platform", "--json");
	NO("did you mean show", "platform", "shwo", f.machine);
	NO("one machine is wanted", "platform", "show", f.machine, f.machine);
	NO("'--hold'; it is an option of: run. See", "replay", f.trace, "--hold", "coroutines");
	NO("'--jobs=2'; it is an option of: run.", "replay", f.trace, "--jobs=2");
	NO("'--sites'; it is an option of: trace, run.", "export", f.trace, "--sites", "1");
	NO("'-p'; it is an option of: run, replay, coll, tune. See", "info", f.trace, "-p", "x");
	NO("2 given; the machine goes behind -p", "replay", f.trace, f.machine);
	NO("2 given. See", "replay", f.trace, f.trace, "-p", f.machine);
	NO("allreduce; the machine goes behind -p", "coll", "bcast", f.machine);
	NO("; the machine goes behind -p", "tune", f.machine);
	NO("stands before '--'", "run", f.machine, "--", "./none");
	NO("did you mean '--platform'", "replay", f.trace, "--machine", f.machine);
	NO("'-np'; the command and its options go", "trace", "mpirun", "-np", "2", "./none");
	NO("an empty word is no name", "info", "");
	NO("an empty word is no name", "diff", f.trace, "");
	NO("an empty word is no name", "export", "", "-o", "x");
	NO("'-v'. See", "info", f.trace, "-v");
	NO("one word too many", "platform", "list", f.machine);
	NO("is a file, where a folder is", "convert", f.trace, "-o", f.machine);
	NO("is a file, where a folder is", "convert", f.trace, "-o", f.machine, "--force");
	NO("a kind and its shape", "platform", "generate", "flat");
	NO("one operation is wanted", "coll", "-p", f.machine);
	NO("on which machine?", "coll", "bcast");
	NO("unexpected word", "tune", "bcast", "-p", f.machine);
	NO("or folders, are wanted", "gather", "-o", "x");
	NO("-o FOLDER is wanted", "gather", f.tmp.dir);
	NO("'everything' is none of network, cpu", "calibrate", "everything");
	NO("did you mean network? See", "calibrate", "netwrk");
	NO("'netwrk' is none of network", "calibrate", "netwrk", "now");
	NO("one word too many", "calibrate", "memory", "now");
	NO("'--' is missing", "trace", "-o", "x", "./none");
	NO("give -o DIR", "trace", "--", "./none");
	NO("which program?", "can-run", "-q");
	tmp_release(&f.tmp);
}

/* --- outputs --- */

static int entries_of(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* In a folder that is not there; where a folder is; on a disk that is full. */
static void outputs_that_cannot_be_written(void **state)
{
	struct files f;
	char gone[300], folder[300];
	int before;

	(void)state;
	files_init(&f);
	snprintf(gone, sizeof gone, "%s/none/out", f.tmp.dir);
	snprintf(folder, sizeof folder, "%s/folder", f.tmp.dir);
	assert_int_equal(mkdir(folder, 0755), 0);
	before = entries_of(f.tmp.dir);
	for (int i = 0; i < 2; i++) {
		const char *path = i ? folder : gone;

		NO(path, "replay", f.trace, "-p", f.machine, "--csv", path);
		NO(path, "replay", f.trace, "-p", f.machine, "-o", path);
		NO(path, "coll", "bcast", "-p", f.machine, "-n", "2", "--bytes", "8", "--csv",
		   path);
		NO(path, "coll", "bcast", "-p", f.machine, "-n", "2", "--bytes", "8", "--svg",
		   path);
		NO(path, "tune", "-p", f.machine, "-n", "2", "--bytes", "8", "--operations",
		   "bcast", "-o", path);
		NO(path, "platform", "generate", "flat", "4", "-o", path);
		NO(path, "platform", "show", f.machine, "--svg", path);
		NO(path, "convert", f.trace, "-f", "merged", "-o", path);
		NO(path, "calibrate", "memory", "-o", path);
	}
	assert_int_equal(entries_of(f.tmp.dir), before);
	assert_int_equal(entries_of(folder), 2);
	refused("/dev/full", ERR_LIMIT,
	        WORDS("platform", "generate", "flat", "4", "-o", "/dev/full"));
	refused("/dev/full", ERR_LIMIT, WORDS("platform", "show", f.machine, "--svg", "/dev/full"));
	tmp_release(&f.tmp);
}

/* What is read is not written over, whatever it is called. */
static void inputs_are_not_outputs(void **state)
{
	struct files f;
	char other[300], text[256], after[256];
	struct ran r;

	(void)state;
	files_init(&f);
	snprintf(other, sizeof other, "%s/./t.tit", f.tmp.dir);
	file_text(f.trace, text, sizeof text);
	NO("choose another name", "replay", f.trace, "-p", f.machine, "-o", other);
	NO("choose another name", "replay", f.trace, "-p", f.machine, "--csv", f.machine);
	NO("choose another name", "convert", f.trace, "-o", other, "--force", "-f", "merged");
	NO("choose another name", "calibrate", "kernel", "--from", f.trace, "-o", other);
	NO("two outputs", "coll", "bcast", "-p", f.machine, "--csv", "t.tit", "--svg", "./t.tit");
	assert_string_equal(file_text(f.trace, after, sizeof after), text);
	said(&r, WORDS("convert", f.trace, "-o", f.trace, "-f", "merged"));
	assert_int_equal(r.code, -1);
	assert_string_equal(file_text(f.trace, after, sizeof after), text);
	tmp_release(&f.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_that_are_none),
	    cmocka_unit_test(values_that_are_none),
	    cmocka_unit_test(options_without_effect),
	    cmocka_unit_test(words_too_many_or_few),
	    cmocka_unit_test(outputs_that_cannot_be_written),
	    cmocka_unit_test(inputs_are_not_outputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
