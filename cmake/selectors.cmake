# The decision tables of data/selectors/ become headers of the room coll: selectors/<name>.h.
file(GLOB orrery_tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/selectors/*.txt ${CMAKE_SOURCE_DIR}/data/selectors/*.json)
foreach(table ${orrery_tables})
	cmake_path(GET table STEM LAST_ONLY name)
	set(header ${CMAKE_BINARY_DIR}/generated/selectors/${name}.h)
	add_custom_command(OUTPUT ${header}
		COMMAND ${CMAKE_COMMAND} -DIN=${table} -DOUT=${header} -P ${CMAKE_SOURCE_DIR}/cmake/decision_tables.cmake
		DEPENDS ${table} ${CMAKE_SOURCE_DIR}/cmake/decision_tables.cmake
		COMMENT "Selector tables ${name}" VERBATIM)
	target_sources(orrery_coll PRIVATE ${header})
endforeach()
target_include_directories(orrery_coll PRIVATE ${CMAKE_BINARY_DIR}/generated)
