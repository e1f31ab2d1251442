/* json.h: writes JSON (RFC 8259) into a string: commas, escapes and nesting are kept right by the
 * writer. */
#ifndef ORRERY_BASE_JSON_H
#define ORRERY_BASE_JSON_H

#include "str.h"

struct json {
	struct str *out;
	uint64_t first;   /* one bit per depth: no item written yet */
	uint64_t objects; /* one bit per depth: an object, not an array */
	int depth;
	int after_key;
};

void json_init(struct json *j, struct str *out);
void json_object(struct json *j);
void json_array(struct json *j);
void json_end(struct json *j); /* closes the innermost object or array */
void json_key(struct json *j, const char *key);
void json_string(struct json *j,
                 const char *value); /* NULL writes null; invalid UTF-8 bytes become U+FFFD */
void json_double(struct json *j, double value); /* nan and infinities become null */
void json_int(struct json *j, int64_t value);
void json_bool(struct json *j, int value);
void json_raw(struct json *j, const char *value); /* JSON already */
/* key and value at once */
void json_put_string(struct json *j, const char *key, const char *value);
void json_put_double(struct json *j, const char *key, double value);
void json_put_int(struct json *j, const char *key, int64_t value);

#endif
