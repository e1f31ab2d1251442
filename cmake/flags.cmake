# Compiler flags, for every target.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
# The tracer's shared libraries link orrery_trace and orrery_base.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET default)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_GNU_SOURCE)

# Same input, same output, bit for bit, whatever the compiler: no contraction of a*b+c, no
# reassociation.
add_compile_options(-ffp-contract=off -fno-math-errno)
add_compile_options(-Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes
	-Wold-style-definition -Wvla -Wpointer-arith -Wwrite-strings -Wundef -Wformat=2 -Wcast-qual
	-Wimplicit-fallthrough)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	add_compile_options(-Wlogical-op -Wduplicated-cond -Wduplicated-branches
		-Wno-format-truncation)
else()
	add_compile_options(-Wno-unknown-warning-option) # GCC's are turned off here and there
endif()
# Structures of some hundred bytes are cleared for each action. GCC's `rep stos` takes longer to
# begin than sixteen stores to be done (256 bytes: 11 ns, 5 by stores, on an AMD EPYC).
include(CheckCCompilerFlag)
foreach(what memset memcpy)
	set(flag "-m${what}-strategy=vector_loop:512:noalign,libcall:-1:noalign")
	check_c_compiler_flag("${flag}" ORRERY_HAS_${what}_STRATEGY)
	if(ORRERY_HAS_${what}_STRATEGY)
		add_compile_options("${flag}")
	endif()
endforeach()
# Errors with the compilers of Debian 12, which the code is developed with. Others know warnings
# that nobody has seen yet: they are no reason not to build.
set(version "${CMAKE_C_COMPILER_VERSION}")
if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND version VERSION_LESS 13) OR
	(CMAKE_C_COMPILER_ID MATCHES "Clang" AND version VERSION_LESS 17))
	set(ORRERY_COMPILER_KNOWN TRUE)
endif()
if(ORRERY_WERROR AND ORRERY_COMPILER_KNOWN)
	add_compile_options(-Werror)
endif()

if(ORRERY_SANITIZE)
	add_compile_options(-fsanitize=${ORRERY_SANITIZE} -fno-sanitize-recover=all
		-fno-omit-frame-pointer)
	add_link_options(-fsanitize=${ORRERY_SANITIZE})
endif()
if(ORRERY_FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ORRERY_LTO)
	include(CheckIPOSupported)
	check_ipo_supported(RESULT ORRERY_LTO_WORKS OUTPUT ignored)
	set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${ORRERY_LTO_WORKS})
endif()
