# Profile-guided optimisation (ORRERY_PGO). A first build, in profile/ of the build's folder, counts
# how often each branch is taken while it replays some small traces (profile.sh). With these counts
# the rooms that every simulated event passes are compiled: 8 % fewer instructions, half the misses
# of the instruction cache (docs/performance.md). Functions that no training replay enters are
# compiled as without a profile. What is predicted does not change by a bit: only the order and the
# inlining of code do.
#
# The counts belong to the sources: when one changes, all is counted anew. If that fails, a warning
# says so and the program is built without.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fprofile-prefix-path=/ ORRERY_HAS_PROFILE_PREFIX)

# ORRERY_PROFILE_INTO: this is that first build, its counts go there.
set(ORRERY_PROFILE_INTO "" CACHE INTERNAL "Where the counts of branches are written")
set(orrery_profile_paths -fprofile-prefix-path=${CMAKE_BINARY_DIR})
set(orrery_profile ${CMAKE_BINARY_DIR}/profile)

if(ORRERY_PROFILE_INTO)
	set(orrery_profile_options -fprofile-generate=${ORRERY_PROFILE_INTO}
		-fprofile-update=single ${orrery_profile_paths})
	add_link_options(-fprofile-generate)
elseif(ORRERY_PGO AND (ORRERY_SANITIZE OR ORRERY_FUZZ OR CMAKE_CROSSCOMPILING
		OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR NOT ORRERY_HAS_PROFILE_PREFIX))
	message(STATUS "no profile-guided optimisation: it takes GCC 12 or later, on the machine "
		"that the program is for, without sanitizers")
elseif(ORRERY_PGO)
	# What -fprofile-use adds that mostly makes code larger costs more misses of the
	# instruction cache than it saves: without it LU on graphene takes 6 % less time, on a flat
	# cluster 2 %.
	set(orrery_profile_options -fprofile-use=${orrery_profile}/counts ${orrery_profile_paths}
		-fprofile-partial-training -fno-tracer -fno-unroll-loops -fno-peel-loops
		-fno-unswitch-loops -fno-split-loops -fno-ipa-cp-clone
		-Wno-missing-profile -Wno-error=coverage-mismatch)
	# A copy that was mostly of 19 bytes gets a branch of its own for these, where GCC then sees
	# what cannot be so long, and warns when it links.
	add_link_options(-Wno-stringop-overread)
	file(GLOB_RECURSE profiled CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c
		${CMAKE_SOURCE_DIR}/src/*.h ${CMAKE_SOURCE_DIR}/src/*.def
		${CMAKE_SOURCE_DIR}/include/*.h)
	add_custom_command(OUTPUT ${orrery_profile}/made VERBATIM USES_TERMINAL
		COMMENT "A first build and some replays, for a profile (-DORRERY_PGO=OFF: without)"
		DEPENDS ${profiled} ${CMAKE_SOURCE_DIR}/cmake/profile.sh
			${CMAKE_SOURCE_DIR}/cmake/profile.cmake
			${CMAKE_SOURCE_DIR}/bench/gen_trace.c
		COMMAND ${CMAKE_SOURCE_DIR}/cmake/profile.sh ${CMAKE_SOURCE_DIR}
			${orrery_profile} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${CMAKE_C_COMPILER}
			"${CMAKE_C_FLAGS}")
	add_custom_target(orrery_profile DEPENDS ${orrery_profile}/made)
endif()

# orrery_profiled(TARGET FILES…): a hot room is compiled with counts, or to count.
function(orrery_profiled target)
	if(orrery_profile_options)
		target_compile_options(${target} PRIVATE ${orrery_profile_options})
	endif()
	if(TARGET orrery_profile)
		add_dependencies(${target} orrery_profile)
		set_source_files_properties(${ARGN} PROPERTIES
			OBJECT_DEPENDS ${orrery_profile}/made)
	endif()
endfunction()
