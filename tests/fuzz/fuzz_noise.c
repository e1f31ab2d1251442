/* fuzz_noise.c: any file as measurements of noise (calibrate noise --from). What is read is fitted,
 * to settings that are accepted, or refused with a reason; and it is written and read back. */
#include "calibrate/osnoise/osnoise.h"

#include "fuzz/content.h"
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { INPUT_MOST = 1 << 14 };

/* Lines "name:value", and comments. */
static void settings_check(const char *text)
{
	struct config c;
	struct err err;
	char line[4096];

	if (config_init(&c, &err) < 0)
		return;
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
		if (*line && *line != '#' && config_set_all(&c, line, CFG_FROM_USER, &err) < 0)
			abort();
	}
	config_release(&c);
}

static void fit_check(const struct os_raw *raw)
{
	struct os_fit f;
	struct err err = {0};
	struct str text = {0};

	if (os_fit_make(raw, &f, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	os_settings_write(&f, &text);
	if (text.s && !text.failed)
		settings_check(text.s);
	os_text_write(&f, &text);
	os_json_write(&f, &text);
	os_report_write(raw, &f, &text);
	str_release(&text);
	os_fit_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("noise", MFD_CLOEXEC);
	struct str text = {0};
	struct os_raw raw, again;
	struct err err = {0};
	char path[64];

	if (fd < 0)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	content_set(path, data, size);
	os_raw_init(&raw);
	os_raw_init(&again);
	if (size <= INPUT_MOST && os_raw_read(&raw, path, &err) == 0) {
		fit_check(&raw);
		os_raw_write(&raw, &text);
		content_set(path, (const uint8_t *)text.s, text.n);
		if (raw.n > 0 && (os_raw_read(&again, path, &err) < 0 || again.n != raw.n))
			abort();
	}
	os_raw_release(&raw);
	os_raw_release(&again);
	str_release(&text);
	close(fd);
	return 0;
}
