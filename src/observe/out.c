/* out.c: the file that an exporter writes. One write per 256 KiB; the first error sticks, and then
 * what was there before stays: a half export that looks whole is worse than none. */
#include "export_int.h"

enum { OUT_FULL = 256 * 1024 };

int out_open(struct out *o, const char *path, struct err *err)
{
	*o = (struct out){0};
	str_init(&o->s);
	if (output_open(&o->file, path, err) == 0)
		return 0;
	output_release(&o->file);
	return -1;
}

static int out_write(struct out *o)
{
	int r = output_write(&o->file, o->s.s, o->s.n, &o->err);

	str_clear(&o->s);
	return r;
}

int out_tick(struct out *o)
{
	if (o->failed)
		return -1;
	if (o->s.failed)
		o->failed = err_nomem(&o->err, o->file.path, o->s.cap);
	else if (o->s.n >= OUT_FULL)
		o->failed = out_write(o);
	return o->failed;
}

int out_close(struct out *o, int ok, struct err *err)
{
	if (ok && !o->failed && o->s.failed)
		o->failed = err_nomem(&o->err, o->file.path, o->s.cap);
	if (ok && !o->failed)
		o->failed = out_write(o);
	if (ok && !o->failed)
		o->failed = output_commit(&o->file, &o->err);
	str_release(&o->s);
	output_release(&o->file);
	if (ok && o->failed)
		err_set(err, o->err.kind, "%s", o->err.text);
	return ok && !o->failed ? 0 : -1;
}
