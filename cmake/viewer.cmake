# The HTML page of viewer/, inside the program: its files become one C file of three texts
# (src/observe/html_int.h: viewer_page, viewer_style, viewer_script), so that an exported page needs
# no file of the installation. Scripts are joined in the order of their names.
file(GLOB viewer_scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/viewer/js/*.js)
list(SORT viewer_scripts)
set(viewer_files ${CMAKE_SOURCE_DIR}/viewer/page.html ${CMAKE_SOURCE_DIR}/viewer/style.css
	${viewer_scripts})
set(viewer_c ${CMAKE_BINARY_DIR}/viewer_files.c)
add_custom_command(OUTPUT ${viewer_c}
	COMMAND ${CMAKE_COMMAND} -DOUT=${viewer_c} "-DPAGE=${CMAKE_SOURCE_DIR}/viewer/page.html"
		"-DSTYLE=${CMAKE_SOURCE_DIR}/viewer/style.css"
		"-DSCRIPTS=${viewer_scripts}" -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
	DEPENDS ${viewer_files} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
	COMMENT "Embedding viewer/" VERBATIM)
target_sources(orrery_observe PRIVATE ${viewer_c})
