/* calibrate_processor.c: `orrery calibrate processor`: rates of this computer's cores, as lines of
 * a machine's header. And --once, for all that is measured on one host of a launcher's many. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int calibrate_once(const struct args *a, int *is_first, struct err *err)
{
	const char *path = args_get(a, OPT_ONCE);
	struct stat st;
	int fd;

	*is_first = 1;
	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	*is_first = 0;
	if (errno != EEXIST)
		return err_sys(err, errno, "making %s", path);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: --once %s: that is no regular file: name one that the run may make",
		    path);
	return 0;
}

int calibrate_processor(const struct args *a, struct err *err)
{
	struct processor_rates p;
	double seconds = 3;
	struct str out;
	int r;

	if (calibrate_seconds(a, 3600, &seconds, err) < 0 ||
	    processor_measure(&p, seconds, err) < 0)
		return -1;
	str_init(&out);
	processor_header(&p, &out);
	r = args_has(a, OPT_OUT) ? print_made(args_get(a, OPT_OUT), &out, err) : 0;
	str_clear(&out);
	processor_text(&p, &out);
	r = r == 0 ? print_stdout(&out, err) : -1;
	str_release(&out);
	return r;
}
