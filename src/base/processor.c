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
		    (line[n] != '\t' && line[n] != ' ' && line[n] != ':'))
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

void processor_name_in(const char *cpuinfo, char *out, size_t n)
{
	char name[FIELD], part[FIELD];

	*out = '\0';
	if (field_of(cpuinfo, "model name", name))
		snprintf(out, n, "%s", name);
	else if (field_of(cpuinfo, "CPU implementer", name) && field_of(cpuinfo, "CPU part", part))
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
