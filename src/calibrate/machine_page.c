/* machine_page.c: the network's page grows by what the other steps wrote. */
#include "machine_page.h"

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What of a page of ours is between `after` (NULL: its beginning) and its end. */
static int page_append(const char *path, const char *after, struct str *out, struct err *err)
{
	size_t n = 0;
	char *text = input_read_all(path, &n, err), *begin, *end;

	if (!text)
		return -1;
	begin = after ? strstr(text, after) : NULL;
	begin = begin ? begin + strlen(after) : text;
	end = strstr(begin, "</html>");
	str_putn(out, begin, end ? (size_t)(end - begin) : strlen(begin));
	free(text);
	return 0;
}

static int text_append(const char *title, const char *path, struct str *out, struct err *err)
{
	size_t n = 0;
	char *text = input_read_all(path, &n, err);

	if (!text)
		return -1;
	str_printf(out, "<h1>%s</h1>\n<pre>", title);
	str_put_markup(out, text);
	str_puts(out, "</pre>\n");
	free(text);
	return 0;
}

int machine_page_write(const char *page, const char *processor, const char *memory,
                       const char *noise, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	r = page_append(page, NULL, &out, err);
	if (r == 0)
		r = text_append("Processors", processor, &out, err);
	if (r == 0)
		r = text_append("Memory: copies and reductions, by size", memory, &out, err);
	if (r == 0)
		r = page_append(noise, "</style>", &out, err);
	str_puts(&out, "</html>\n");
	if (r == 0)
		r = out.failed ? err_nomem(err, "a page", out.n)
		               : output_file(page, out.s, out.n, err);
	str_release(&out);
	return r;
}

void machine_page_name(const char *out, char *page, size_t n)
{
	const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.');
	int stem = dot && (!slash || dot > slash + 1) ? (int)(dot - out) : (int)strlen(out);

	snprintf(page, n, "%.*s.html", stem, out);
}
