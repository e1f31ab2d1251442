/* processor.c: see processor.h. */
#include "processor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CPUINFO_BYTES = 4096, FIELD = 200 }; /* the first processor's lines */

/* The value of the first line "key<tab>: value". */
static int field_of(const char *text, const char *key, char *out)
{
	size_t n = strlen(key);
	const char *line;

	for (line = text; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *colon = line + strcspn(line, ":\n"), *value = colon + 1;
		size_t length;

		if (*colon != ':' || strncmp(line, key, n) != 0 ||
		    line + n + strspn(line + n, " \t") != colon)
			continue;
		value += strspn(value, " \t");
		length = strcspn(value, "\n");
		while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\r'))
			length--;
		snprintf(out, FIELD, "%.*s", (int)(length < FIELD ? length : FIELD - 1), value);
		return *out != '\0';
	}
	return 0;
}

static int number_of(const char *text, const char *key, char *out)
{
	return field_of(text, key, out) && strspn(out, "0123456789") == strlen(out);
}

/* " (vendor family/model/stepping)", or "" where one of them is not told. */
static void identification_of(const char *cpuinfo, char *out, size_t n)
{
	char vendor[FIELD], family[FIELD], model[FIELD], stepping[FIELD];

	*out = '\0';
	if (field_of(cpuinfo, "vendor_id", vendor) && number_of(cpuinfo, "cpu family", family) &&
	    number_of(cpuinfo, "model", model) && number_of(cpuinfo, "stepping", stepping))
		snprintf(out, n, " (%.40s %.8s/%.8s/%.8s)", vendor, family, model, stepping);
}

void processor_name_in(const char *cpuinfo, char *out, size_t n)
{
	char name[FIELD], part[FIELD];

	*out = '\0';
	if (field_of(cpuinfo, "model name", name)) {
		identification_of(cpuinfo, part, sizeof part);
		snprintf(out, n, "%.100s%s", name, part);
	} else if (field_of(cpuinfo, "CPU implementer", name) &&
	           field_of(cpuinfo, "CPU part", part))
		snprintf(out, n, "arm %s %s", name, part);
}

void processor_name(char *out, size_t n)
{
	char text[CPUINFO_BYTES];
	int before = errno, fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	processor_name_in(text, out, n);
	errno = before;
}
