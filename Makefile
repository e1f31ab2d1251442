# The short way in. Everything is done by CMake: see CMakePresets.json and CONTRIBUTING.md.
# Variables: PREFIX, DESTDIR (install), PRESET (test: dev, asan or release), CONFIGURE (test:
# options for CMake), TIME and FUZZ (fuzz: seconds per target, target), JOBS.
PREFIX ?= /usr/local
PRESET ?= dev
TIME ?= 600
JOBS ?= $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
# Many tests wait, for programs that start, end or hang: half as many more as there are processors.
AT_ONCE = $(shell echo $$((($(JOBS) * 3 + 1) / 2)))

all: release

release:
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release -j$(JOBS)

test:
	@tools/packages --check build test-build
	@cmake --preset $(PRESET) -DORRERY_TESTS=ON $(CONFIGURE) >/dev/null
	@cmake --build --preset $(PRESET) -j$(JOBS)
	@tools/test $(PRESET) -j$(AT_ONCE)

# Debian: all that building, tracing and testing can use. Only this target and demo install.
packages:
	@tools/packages build mpi test peers

lint:
	@tools/lint

format:
	@tools/format

# Every collective algorithm for every number of ranks up to 64, and some up to 1,024; every fault
# in every verb; 5,000 programs compressed; a thousand kills of each that writes, and of traced
# programs of 2 to 64 ranks; 200 deaths of a rank of 64.
PROVEN := property/coll/|property/trace/nest|e2e/faults|e2e/kills|e2e/tracer_kills
PROVEN := $(PROVEN)|e2e/tracer_moments|e2e/live_stress
prove:
	cmake --preset dev >/dev/null && cmake --build --preset dev >/dev/null && \
		ORRERY_PROVE=all ctest --preset dev -R '$(PROVEN)' -j2 --timeout 10000

# The program for AArch64, by a cross compiler and QEMU: not part of `make test`.
aarch64:
	@tools/aarch64

bench: release
	@bench/run

demo:
	@tools/demo

# Root only, three quarters of an hour at most: predictions beside real runs on the virtual cluster
# of lab/. Not part of `make test`.
validate: release
	@ORRERY="$(CURDIR)/build/orrery" lab/validate --out docs/validation.md $(VALIDATE)
	@tests/tools/validation_page.sh --update

golden-update: release
	@ORRERY=build/orrery tools/golden --update tests/golden/cases/*.case
	@ORRERY="$(CURDIR)/build/orrery" SRC="$(CURDIR)" bash tests/change/predictions.sh --update

# Everything that is compared with SimGrid, in full; writes docs/validation-simgrid.md.
peer:
	@cmake --preset $(PRESET) -DORRERY_TESTS=ON >/dev/null
	@cmake --build --preset $(PRESET) -j$(JOBS)
	@ORRERY=build-dev/orrery tests/peer/matrix.py --table docs/validation-simgrid.md
	@ORRERY="$(CURDIR)/build-dev/orrery" SRC="$(CURDIR)" PEER_FULL=1 bash tests/peer/replay.sh

fuzz:
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j$(JOBS)
	@tools/fuzz $(TIME) $(FUZZ)

install:
	@cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	@cmake --build --preset release -j$(JOBS)
	@DESTDIR="$(DESTDIR)" cmake --install build

# What `make install` put there, by the list that it left in build/.
uninstall:
	@[ -f build/install_manifest.txt ] || { echo "nothing is known of an installation:" \
		"build/install_manifest.txt is not there"; exit 1; }
	@while read -r file || [ -n "$$file" ]; do rm -f "$(DESTDIR)$$file"; done \
		<build/install_manifest.txt

# The documentation as a static site that can be searched, build/site; Debian's mkdocs makes it.
docs:
	@command -v mkdocs >/dev/null || \
		{ echo "mkdocs is not installed (Debian: mkdocs)"; exit 1; }
	@mkdocs build -q -f docs/mkdocs.yml -d "$(CURDIR)/build/site"
	@echo "build/site/index.html"

clean:
	rm -rf build build-dev build-asan build-fuzz

# Debian packages, beside this folder (Build-Depends of debian/control).
deb:
	@dpkg-buildpackage -us -uc -b

.PHONY: all deb release test lint format prove bench demo validate golden-update peer fuzz aarch64 \
	install uninstall docs clean
