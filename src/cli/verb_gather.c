/* verb_gather.c: `orrery gather`: the files that processes of a run left on their hosts become one
 * trace. */
#include "launch/gather.h"
#include "verbs.h"

#include <stdlib.h>
#include <unistd.h>

enum { OPT_OUTPUT = 1, OPT_FORCE, OPT_SHELL, OPT_ORRERY, OPT_FANOUT, OPT_PACK };

static const struct option_row gather_options[] = {
    {OPT_OUTPUT, 'o', "output", "FOLDER", "the trace to write"},
    {OPT_FORCE, 0, "force", NULL, "overwrites what is at FOLDER, if it is a trace"},
    {OPT_SHELL, 0, "shell", "WORDS",
     "the remote shell, which gets a host and a command; default: ORRERY_RSH, else 'ssh -o "
     "BatchMode=yes'"},
    {OPT_ORRERY, 0, "orrery", "PATH",
     "what this program is called on the hosts; default: orrery, and here the file that runs"},
    {OPT_FANOUT, 0, "fanout", "K", "each host gathers from at most K others; default: 4"},
    {OPT_PACK, 0, "pack", NULL,
     "writes the packed files to the standard output; the first folder is one here: what is run on "
     "the hosts"},
    {0, 0, NULL, NULL, NULL},
};

static int packed(const struct gather *g, struct err *err)
{
	if (isatty(STDOUT_FILENO))
		return err_set(err, ERR_INPUT,
		               "gather: --pack writes packed files, which a terminal cannot show");
	return gather_pack(g, STDOUT_FILENO, err);
}

static int gathered(const struct args *a, const struct gather *g, struct err *err)
{
	const char *to = args_get(a, OPT_OUTPUT);
	struct str notices;
	int r;

	if (!to)
		return err_set(err, ERR_INPUT, "gather: -o FOLDER is wanted");
	str_init(&notices);
	r = gather_run(g, to, args_has(a, OPT_FORCE), &notices, err);
	print_notices(a, &notices);
	str_release(&notices);
	return r;
}

static int gather_verb(const struct args *a, struct err *err)
{
	const char *shell = args_get(a, OPT_SHELL), *orrery = args_get(a, OPT_ORRERY);
	struct gather g = {.sources = a->positional, .n = a->n_positional};
	int64_t fanout = GATHER_FANOUT;

	if (g.n == 0)
		return err_set(
		    err, ERR_INPUT,
		    "gather: host:folder, or folders, are wanted. See 'orrery help gather'.");
	if (args_int(a, &verb_gather, OPT_FANOUT, 1, 1024, &fanout, err) < 0)
		return -1;
	if (!shell)
		shell = getenv("ORRERY_RSH");
	g.shell = shell && *shell ? shell : "ssh -o BatchMode=yes";
	g.orrery = orrery;
	g.fanout = (int)fanout;
	return args_has(a, OPT_PACK) ? packed(&g, err) : gathered(a, &g, err);
}

static const int outputs[] = {OPT_OUTPUT, 0};

static const struct option_rule rules[] = {{OPT_PACK, {0}, {OPT_OUTPUT, OPT_FORCE}}, {0, {0}, {0}}};

const struct verb verb_gather = {
    .name = "gather",
    .synopsis = "[HOST:]FOLDER... -o FOLDER [options]",
    .summary = "brings together what the processes of a run left on their hosts",
    .text = "For runs that were killed, or whose hosts share no folder: each HOST:FOLDER has "
            "files of some ranks ('rank-3.tit'). Hosts form a tree: each packs its own files, "
            "and passes on those of the hosts that it gathers from. What is missing is "
            "reported; where a rank has no file at all the exit code is 2, and the trace of "
            "the others is written all the same (not with --force over another). Files that "
            "several folders have, as hosts that share one do, are taken once.",
    .options = gather_options,
    .outputs = outputs,
    .rules = rules,
    .run = gather_verb,
};
