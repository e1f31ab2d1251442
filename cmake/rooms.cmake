# Rooms: one static library per folder of src/ with its sub-folders, dependencies from
# tools/layers.rules. A room without any .c yet is an INTERFACE library, so that rooms above it
# configure and link all the same. ${orrery_<room>_scope} is PUBLIC or INTERFACE accordingly.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${CMAKE_SOURCE_DIR}/tools/layers.rules)

# What every simulated event passes. -O3 inlines more there: 4 to 6 % fewer instructions an action.
set(orrery_hot_rooms base engine net coll mp replay trace observe schedule)
# Those whose branches are counted (profile.cmake). Not schedule: laid out by the counts of small
# schedules, the dissemination of 16,384 ranks takes a tenth more time.
set(orrery_hottest_rooms base engine net mp replay trace)

function(orrery_room room)
	file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.c)
	list(REMOVE_ITEM files ${CMAKE_SOURCE_DIR}/src/cli/main.c)
	if(files)
		add_library(orrery_${room} STATIC ${files})
		set(scope PUBLIC)
	else()
		add_library(orrery_${room} INTERFACE)
		set(scope INTERFACE)
	endif()
	target_include_directories(orrery_${room} ${scope} ${CMAKE_SOURCE_DIR}/src)
	target_compile_definitions(orrery_${room} ${scope}
		ORRERY_VERSION="${PROJECT_VERSION}"
		ORRERY_SOURCE_DATA="${CMAKE_SOURCE_DIR}/data"
		ORRERY_INSTALL_DATA="${CMAKE_INSTALL_FULL_DATADIR}/orrery")
	if(room STREQUAL "base") # the program knows by this whether it was installed
		set_source_files_properties(${CMAKE_SOURCE_DIR}/src/base/data.c PROPERTIES
			COMPILE_DEFINITIONS ORRERY_BUILD="${CMAKE_BINARY_DIR}")
	endif()
	if(files AND (ORRERY_LTO OR ORRERY_PGO OR ORRERY_PROFILE_INTO))
		if(room IN_LIST orrery_hot_rooms)
			target_compile_options(orrery_${room} PRIVATE -O3)
		endif()
		if(room IN_LIST orrery_hottest_rooms)
			orrery_profiled(orrery_${room} ${files})
		elseif(ORRERY_PROFILE_INTO) # what is only counted beside is built quickly
			target_compile_options(orrery_${room} PRIVATE -O0)
		endif()
	endif()
	foreach(below ${ARGN})
		target_link_libraries(orrery_${room} ${scope} orrery_${below})
	endforeach()
	set(orrery_${room}_scope ${scope} PARENT_SCOPE)
endfunction()

# A macro, so that the scopes reach the caller.
macro(orrery_rooms)
	file(STRINGS ${CMAKE_SOURCE_DIR}/tools/layers.rules orrery_rules REGEX "^[a-z]+:")
	set(orrery_room_names "")
	foreach(rule ${orrery_rules})
		string(REGEX REPLACE ":.*" "" room "${rule}")
		string(REGEX REPLACE "^[a-z]+: *" "" below "${rule}")
		string(REPLACE " " ";" below "${below}")
		if(NOT room STREQUAL "tracer") # tracer/ has its own CMakeLists.txt
			orrery_room(${room} ${below})
			list(APPEND orrery_room_names ${room})
		endif()
	endforeach()
endmacro()

# orrery_tell_found(FILES…): which optional libraries there are (orrery_found: ORRERY_HAVE_X=…) is
# told to those of the files that ask. All others are compiled with the same command whether a
# library is there or not, so that a compiler's cache knows them again without preprocessing
# (tools/bare).
function(orrery_tell_found)
	foreach(file ${ARGN})
		file(STRINGS ${file} asks REGEX "ORRERY_HAVE_" LIMIT_COUNT 1)
		if(asks)
			set_property(SOURCE ${file} APPEND PROPERTY
				COMPILE_DEFINITIONS ${orrery_found})
		endif()
	endforeach()
endfunction()
