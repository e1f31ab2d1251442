# The decision tables of data/selectors/ become headers of the room coll, its JSON files of study:
# selectors/<name>.h.
file(GLOB orrery_tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/selectors/*.txt
	${CMAKE_SOURCE_DIR}/data/selectors/*.json)
foreach(table ${orrery_tables})
	cmake_path(GET table STEM LAST_ONLY name)
	set(header ${CMAKE_BINARY_DIR}/generated/selectors/${name}.h)
	add_custom_command(OUTPUT ${header}
		COMMAND ${CMAKE_COMMAND} -DIN=${table} -DOUT=${header}
			-P ${CMAKE_SOURCE_DIR}/cmake/decision_tables.cmake
		DEPENDS ${table} ${CMAKE_SOURCE_DIR}/cmake/decision_tables.cmake
		COMMENT "Selector tables ${name}" VERBATIM)
	set(room coll)
	if(table MATCHES "\\.json$")
		set(room study)
	endif()
	target_sources(orrery_${room} PRIVATE ${header})
endforeach()
# Only for those that include them: orrery_tell_found says why.
file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/coll/*.c
	${CMAKE_SOURCE_DIR}/src/study/*.c)
foreach(file ${files})
	file(STRINGS ${file} includes REGEX "^#include \"selectors/" LIMIT_COUNT 1)
	if(includes)
		set_property(SOURCE ${file} APPEND PROPERTY
			INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/generated)
	endif()
endforeach()
