/* write_simgrid.c: the plain form for SimGrid's replayer: a list of files, and beside it a folder
 * "<list>_files" with one file per rank. The list gets its name last, and is opened first: where it
 * cannot be written, no folder is left. */
#include "simgrid_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const loss_texts[LOSSES] = {
    [LOSS_MODE] = "synchronous, buffered or ready sends were written as standard sends",
    [LOSS_SENDRECV] = "sendrecv with tags were written as isend, irecv and waits",
    [LOSS_SIZE] = "receives of any size were written to probe for it first",
    [LOSS_NULL] = "messages with MPI_PROC_NULL were left out",
    [LOSS_PROBE] = "probes were left out",
    [LOSS_COMPLETION] =
        "waitany, waitsome and successful tests were written as waits for what they completed",
    [LOSS_TEST] = "tests that completed nothing were left out",
    [LOSS_OPERATOR] = "reductions lost that their operator may not commute",
    [LOSS_TAG] = "messages on sub-communicators got tags of their own on the world",
    [LOSS_ANY_TAG] =
        "receives of any tag on sub-communicators may take messages of other communicators",
    [LOSS_RESOLVE] = "records of wildcard receives were left out: the folder was not completed",
    [LOSS_SITE] = "events lost their measured duration or call site",
};

/* Whatever the name stands for, a folder can be beside it only if it is a file's. */
static int list_open(struct simgrid *sg, const char *path, struct err *err)
{
	if (output_open(&sg->list, path, err) < 0)
		return -1;
	if (sg->list.direct)
		return err_set(err, ERR_INPUT,
		               "the form simgrid is a list of files and a folder beside it: %s is "
		               "no name of a file; give one",
		               path);
	return 0;
}

static int simgrid_open(struct trace_writer *w, struct err *err)
{
	struct simgrid *sg = calloc(1, sizeof *sg);
	char *dir;
	int result;

	if (!sg)
		return err_nomem(err, "a trace writer", sizeof *sg);
	w->impl = sg;
	if (strpbrk(w->path, "\r\n"))
		return err_set(
		    err, ERR_INPUT,
		    "the list of a trace holds a file name a line: %s has an end of line "
		    "in it; give another name",
		    w->path);
	sg->ranks = w->ranks;
	sg->pending = calloc(w->ranks, sizeof *sg->pending);
	if (!sg->pending)
		return err_nomem(err, "the requests of a trace", w->ranks * sizeof *sg->pending);
	for (uint32_t i = 0; i < w->ranks; i++)
		pending_init(&sg->pending[i]);
	if (list_open(sg, w->path, err) < 0)
		return -1;
	if (asprintf(&dir, "%s_files", w->path) < 0)
		return err_nomem(err, "a file name", strlen(w->path));
	result = outs_open(&sg->outs, dir, ".txt", w->ranks, err);
	free(dir);
	return result;
}

static int simgrid_put_form(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                            struct err *err)
{
	struct simgrid *sg = w->impl;

	return simgrid_put(sg, rank, ev, err) < 0 ? -1 : outs_written(&sg->outs, rank, err);
}

static void losses_tell(const struct simgrid *sg, struct str *notices)
{
	for (int i = 0; notices && i < LOSSES; i++)
		if (sg->losses[i] > 0)
			str_printf(notices, "%llu %s\n", (unsigned long long)sg->losses[i],
			           loss_texts[i]);
}

/* SimGrid takes volumes for flop, whatever they count. */
static void volumes_tell(const struct trace_manifest *m, struct str *notices)
{
	if (notices && writer_is_time(m))
		str_printf(notices,
		           "volumes are times: a computation lasts as long as it was measured on "
		           "hosts of speed %gf\n",
		           m->nominal_rate > 0 ? m->nominal_rate : 1e9);
}

static int list_write(struct trace_writer *w, struct simgrid *sg, struct err *err)
{
	struct str list;
	int r;

	str_init(&list);
	for (uint32_t i = 0; i < w->ranks; i++)
		str_printf(&list, "%s_files/rank-%u.txt\n", w->path, i);
	r = list.failed ? err_nomem(err, "the list of a trace", list.n)
	                : output_write(&sg->list, list.s, list.n, err);
	str_release(&list);
	return r;
}

static int simgrid_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct simgrid *sg = w->impl;
	int result = list_write(w, sg, err) < 0 || outs_commit(&sg->outs, err) < 0
	                 ? -1
	                 : output_commit(&sg->list, err);

	if (result == 0) {
		losses_tell(sg, notices);
		volumes_tell(w->manifest, notices);
	}
	return result;
}

static void simgrid_release(struct trace_writer *w)
{
	struct simgrid *sg = w->impl;

	for (uint32_t i = 0; sg->pending && i < sg->ranks; i++)
		pending_release(&sg->pending[i]);
	free(sg->pending);
	simgrid_comms_release(&sg->comms);
	outs_release(&sg->outs);
	output_release(&sg->list);
	free(sg);
}

const struct writer_form writer_simgrid = {.open = simgrid_open,
                                           .put = simgrid_put_form,
                                           .commit = simgrid_commit,
                                           .release = simgrid_release};
