/* fuzz_kernel_model.c: any file as the model of a kernel (run --kernel dgemm_=FILE): what ranks are
 * told of it are finite numbers, or it is refused with a reason. */
#include "live/kernels.h"

#include "fuzz/content.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Every word that is a number is a finite one. */
static void numbers_check(const char *text)
{
	static const char between[] = " \n:;,=#";

	for (const char *w = text + strspn(text, between); *w;) {
		char *end;
		double v = strtod(w, &end);

		if (end > w && (!*end || strchr(between, *end)) && !isfinite(v))
			abort();
		w += strcspn(w, between);
		w += strspn(w, between);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("model", MFD_CLOEXEC);
	struct live_kernels *k = NULL;
	struct err err = {0};
	struct str text = {0};
	char path[64], option[96];

	if (fd < 0)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	snprintf(option, sizeof option, "dgemm_=%s", path);
	content_set(path, data, size);
	if (live_kernels_add(&k, option, &err) == 0) {
		live_kernels_text(k, "node-0", 1, &text);
		if (text.s)
			numbers_check(text.s);
	} else if (!err.text[0]) {
		abort();
	}
	str_release(&text);
	live_kernels_free(k);
	close(fd);
	return 0;
}
