"""Spack's recipe of Orrery. Until Spack has it: spack repo create orrery; copy this folder to its
packages/; spack repo add it; then, in a clone of Orrery, spack dev-build orrery@main: the sources
are those of the clone, as the recipe names no public address (so that spack audit cannot guess how
to fetch it). Run with Spack 0.22 and Debian 12's packages as externals: built, installed, checked;
without the lines of "c" and "cxx", which its concretizer without clingo does not know."""

from spack.package import *


class Orrery(CMakePackage):
    """Predicts the run time of MPI programs on machines that need not exist: records a run, or runs
    the program, and simulates its messages, collective operations and computations."""

    license("BSD-3-Clause")

    version("main")

    variant("python", default=True, description="Python module")
    variant("otf2", default=False, description="Reads OTF2 archives")
    variant("lapack", default=True, description="Fits models of kernels")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-numpy", when="+python", type="run")
    depends_on("expat")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("cjson")
    depends_on("elfutils")
    depends_on("lapack", when="+lapack")
    depends_on("otf2", when="+otf2")
    # The tracer is made for the MPI libraries that the build finds; it loads neither.
    depends_on("mpi", type="build")

    generator("ninja")

    def cmake_args(self):
        python = self.spec["python"].command.path
        return [
            self.define("ORRERY_TESTS", False),
            self.define("Python3_EXECUTABLE", python),
        ]

    @run_after("install")
    def check_install(self):
        Executable(join_path(self.prefix.bin, "orrery"))("platform", "check", "graphene")
