/* prop_draw_topology.c: pictures of regular machines: a fat tree has as many cables between two
 * levels, and at each switch, as its definition says (zone_fat_tree.c), a dragonfly a line for each
 * pair of groups, a torus its first two dimensions. */
#include "picture.h"

static uint32_t count(enum shape shape)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pic.n; i++)
		n += pic.item[i].shape == shape;
	return n;
}

/* The picture of one cluster; the legend has a dot, a switch and a line. */
static void cluster_draw(const char *topology, const char *parameters, uint32_t hosts)
{
	struct str text = {0};
	struct fixture f;

	str_printf(&text,
	           "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-%u' "
	           "speed='1' bw='1' lat='0' topology='%s' topo_parameters='%s'/></platform>",
	           hosts - 1, topology, parameters);
	fixture_must_read(&f, text.s, NULL);
	picture_read(f.p);
	places_check();
	assert_int_equal(hosts_said(), hosts);
	fixture_release(&f);
	str_release(&text);
}

static void list_put(struct str *s, const uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		str_printf(s, "%s%u", i ? "," : "", v[i]);
}

static uint32_t most(uint32_t n, uint32_t limit)
{
	return n < limit ? n : limit;
}

/* Lines that end (or begin: at their lower end) where this one does. */
static uint32_t lines_at(const struct item *line, int upper)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pic.n; i++) {
		const struct item *a = &pic.item[i];

		n += a->shape == LINE && (upper ? a->x2 == line->x2 && a->y2 == line->y2
		                                : a->x == line->x && a->y == line->y);
	}
	return n;
}

/* m[l] children below each node of level l + 1, w[l] parents above each of level l. Of a row 32 at
 * most are drawn, and cables between rows of which all are. */
static void fat_trees(void **state)
{
	struct prop_run prop = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		uint32_t m[3], w[3], p[3], levels, hosts = 1, row[4], cables = 0, dots, rects = 0;
		uint32_t first_cable[4] = {0};
		struct str text = {0};
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "fat trees", 0);
		levels = prop_from(&r, 1, 3);
		for (uint32_t l = 0; l < levels; l++) {
			m[l] = prop_from(&r, 1, 5);
			w[l] = prop_from(&r, 1, 3);
			p[l] = prop_from(&r, 1, 2);
			hosts *= m[l];
		}
		str_printf(&text, "%u;", levels);
		list_put(&text, m, levels);
		str_putc(&text, ';');
		list_put(&text, w, levels);
		str_putc(&text, ';');
		list_put(&text, p, levels);
		cluster_draw("FAT_TREE", text.s, hosts);
		row[0] = hosts;
		for (uint32_t l = 0; l < levels; l++) {
			row[l + 1] = row[l] / m[l] * w[l];
			first_cable[l] = cables;
			cables += row[l] <= 32 && row[l + 1] <= 32 ? row[l] * w[l] : 0;
			rects += most(row[l + 1], 32);
		}
		first_cable[levels] = cables;
		dots = most(hosts, 32);
		assert_int_equal(count(LINE), cables + 1);
		assert_int_equal(count(DOT), dots + 1);
		assert_int_equal(count(RECT), rects + 2); /* with the edge of the card */
		uint32_t at = 0, level = 0;
		for (uint32_t k = 0; k < pic.n && at < cables; k++) {
			if (pic.item[k].shape != LINE)
				continue;
			while (at >= first_cable[level + 1])
				level++;
			assert_int_equal(lines_at(&pic.item[k], 0), w[level]);
			assert_int_equal(lines_at(&pic.item[k], 1), m[level]);
			at++;
		}
		str_release(&text);
	}
}

/* The first two dimensions, at most 12 by 8, a line through each row and column. */
static void tori(void **state)
{
	struct prop_run prop = prop_begin(40);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		uint32_t v[3] = {0}, n, hosts = 1, across, down;
		struct str text = {0};
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "tori", 0);
		n = prop_from(&r, 1, 3);
		for (uint32_t k = 0; k < n; k++)
			hosts *= v[k] = prop_from(&r, 2, 15);
		list_put(&text, v, n);
		cluster_draw("TORUS", text.s, hosts);
		across = most(v[0], 12);
		down = n > 1 ? most(v[1], 8) : 1;
		assert_int_equal(count(DOT), across * down + 1);
		assert_int_equal(count(LINE), down + (n > 1 ? across : 0) + 1);
		str_release(&text);
	}
}

static void dragonflies(void **state)
{
	struct str text = {0};

	(void)state;
	for (uint32_t groups = 1; groups <= 30; groups++) {
		uint32_t drawn = most(groups, 24);

		str_clear(&text);
		str_printf(&text, "%u,1;3,1;5,1;2", groups);
		cluster_draw("DRAGONFLY", text.s, groups * 30);
		assert_int_equal(count(DOT), drawn + 1);
		assert_int_equal(count(LINE), drawn * (drawn - 1) / 2 + 1);
		str_clear(&text);
		str_printf(
		    &text,
		    "%u groups%s, all joined, each of 3 chassis\nof 5 routers with 2 hosts\n",
		    groups, drawn < groups ? " (some drawn)" : "");
		assert_non_null(strstr(pic.texts.s, text.s));
	}
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fat_trees),
	    cmocka_unit_test(tori),
	    cmocka_unit_test(dragonflies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
