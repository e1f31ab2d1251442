/* Names that g++ 12.2 and rustc 1.95 gave to functions of small programs; what they mean is what
 * c++filt of binutils says, with -p (no parameters), and of Rust's without the hash at the end. */
#include "launch/demangle.h"

#include "test.h"

struct named {
	const char *symbol, *name;
};

static void are(const struct named *all, size_t n)
{
	char buf[128];

	for (size_t i = 0; i < n; i++) {
		int is = demangle(all[i].symbol, buf, sizeof buf);

		assert_int_equal(is, all[i].name != NULL);
		assert_string_equal(buf, all[i].name ? all[i].name : "");
	}
}

static void of_cpp(void **state)
{
	static const struct named all[] = {
	    {"_Z4workid", "work"},
	    {"_ZL6hiddeni", "hidden"}, /* static */
	    {"_Z4textNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "text"},
	    {"_ZN5alpha4beta5innerEi", "alpha::beta::inner"},
	    {"_ZN5alpha12_GLOBAL__N_16secretEi", "alpha::(anonymous namespace)::secret"},
	    {"_ZN5alpha4beta6Solver5countERKS1_", "alpha::beta::Solver::count"},
	    {"_ZN5alpha4beta6SolverC1Ei", "alpha::beta::Solver::Solver"},
	    {"_ZN5alpha4beta6SolverD2Ev", "alpha::beta::Solver::~Solver"},
	    {"_ZNK5alpha4beta6Solver4stepEd", "alpha::beta::Solver::step"},   /* const */
	    {"_ZNO5alpha4beta6Solver5step2Ev", "alpha::beta::Solver::step2"}, /* && */
	    {"_ZNSt5thing1fEv", "std::thing::f"},
	    {"_ZSt4minei", "std::mine"},
	};

	(void)state;
	are(all, sizeof all / sizeof *all);
}

/* Without the arguments of templates, which c++filt shows. */
static void of_templates(void **state)
{
	static const struct named all[] = {
	    {"_Z5twiceIiET_S0_", "twice"},
	    {"_ZN5alpha5twiceIiEET_S1_", "alpha::twice"},
	    {"_ZN5alpha3BoxIdE3getEv", "alpha::Box::get"},
	    {"_ZN5alpha3BoxIdEC1Ev", "alpha::Box::Box"},
	    {"_ZN5costa14exchange_asyncIdEEvRNS_18communication_dataIT_EES4_P19ompi_"
	     "communicator_t",
	     "costa::exchange_async"},
	    {"_ZN5costa12block_layoutISt7complexIfELi3ELb1EEEvv", "costa::block_layout"},
	    {"_Z4sendISt6vectorIPKcSaIS2_EEiEvT_T0_", "send"},
	    {"_Z3allIJidN1a1bIjEEEEvDpT_", "all"},
	    {"_ZN1a1fILNS_1eE2ELin4EEEvv", "a::f"}, /* an enumerator, a number below 0 */
	};

	(void)state;
	are(all, sizeof all / sizeof *all);
}

/* What separates call sites is in no name of one. */
static void in_sites(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(demangle_site("_ZN5alpha4workEv", buf, sizeof buf), "alpha::work");
	assert_string_equal(demangle_site("main", buf, sizeof buf), "main");
	assert_string_equal(demangle_site("_ZN5alpha12_GLOBAL__N_16secretEi", buf, sizeof buf),
	                    "_ZN5alpha12_GLOBAL__N_16secretEi");
	assert_string_equal(demangle_site("_ZN32_$LT$r..S$u20$as$u20$r..Root$GT$5spawn17h0a7971bbb"
	                                  "a25472bE",
	                                  buf, sizeof buf),
	                    "_ZN32_$LT$r..S$u20$as$u20$r..Root$GT$5spawn17h0a7971bbba25472bE");
}

static void of_rust(void **state)
{
	static const struct named all[] = {
	    {"_ZN1r1S5plain17h364b474bddb44cfcE", "r::S::plain"},
	    {"_ZN1r5inner4deep17hb631b9168451f46eE", "r::inner::deep"},
	    {"_ZN1r1S5plain28_$u7b$$u7b$closure$u7d$$u7d$17h79265dafbac608e3E",
	     "r::S::plain::{{closure}}"},
	    {"_ZN32_$LT$r..S$u20$as$u20$r..Root$GT$5spawn17h0a7971bbba25472bE",
	     "<r::S as r::Root>::spawn"},
	    {"_ZN4core3ptr46drop_in_place$LT$alloc..vec..Vec$LT$u8$GT$$GT$17h267c7c459424cbacE",
	     "core::ptr::drop_in_place<alloc::vec::Vec<u8>>"},
	    {"_ZN52_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$r..Root$GT$5spawn17hdb104289f3f9a629E",
	     "<alloc::vec::Vec<T> as r::Root>::spawn"},
	};

	(void)state;
	are(all, sizeof all / sizeof *all);
}

/* No names, names that end too early, and those that need more of the grammar. */
static void of_nobody(void **state)
{
	static const struct named all[] = {
	    {"main", NULL},
	    {"", NULL},
	    {"_Z", NULL},
	    {"_ZN", NULL},
	    {"_ZNE", NULL},
	    {"_ZN5alphaE", "alpha"},
	    {"_ZN5alpha", NULL},
	    {"_ZN6alpha", NULL},
	    {"_ZN99999999999999999999aE", NULL},
	    {"_ZN9223372036854775807aE", NULL},
	    {"_ZN0E", NULL},
	    {"_ZNStE", "std"},
	    {"_ZNC1Ev", NULL},
	    {"_Z5twiceIiT_S0_", NULL},    /* no E */
	    {"_Z5twiceILi3ET_S0_", NULL}, /* one E of two */
	    {"_Z5twiceIXsrT_EE", NULL},   /* an expression */
	    {"_ZN5alpha3BoxI", NULL},
	    {"_ZNI1aE1bEv", NULL},
	    {"_ZN5alpha3BoxIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII", NULL},
	    {"_ZNK5alpha4beta6SolverplEi", NULL},
	    {"_ZZ4herevENKUliE_clEi", NULL},
	    {"_ZN1r3a$b17h364b474bddb44cfcE", NULL},          /* no second $ */
	    {"_ZN1r5$u1f$17h364b474bddb44cfcE", NULL},        /* no sign that is seen */
	    {"_ZN1r6$uxyz$17h364b474bddb44cfcE", NULL},       /* no number */
	    {"_ZN17h364b474bddb44cfcE", "h364b474bddb44cfc"}, /* alone: a name */
	    {"_ZN1r17h364b474bddb44cfgE", "r::h364b474bddb44cfg"},
	};

	(void)state;
	are(all, sizeof all / sizeof *all);
}

static void no_room(void **state)
{
	char buf[12];

	(void)state;
	assert_int_equal(demangle("_ZN5alpha4workEv", buf, 12), 1);
	assert_string_equal(buf, "alpha::work");
	assert_int_equal(demangle("_ZN5alpha4workEv", buf, 11), 0);
	assert_string_equal(buf, "");
	buf[0] = 'x';
	assert_int_equal(demangle("_ZN5alpha4workEv", buf, 0), 0);
	assert_int_equal(buf[0], 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_cpp),  cmocka_unit_test(of_templates), cmocka_unit_test(in_sites),
	    cmocka_unit_test(of_rust), cmocka_unit_test(of_nobody),    cmocka_unit_test(no_room)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
