# The HTML pages of viewer/, inside the program, so that a page that is written needs no file of the
# installation: that of a run as three texts (src/observe/html_int.h: viewer_page, viewer_style,
# viewer_script), the style of pages of measurements as one (src/calibrate/plot.h: measured_style).
# Scripts are joined in the order of their names.
function(viewer_embed room header struct texts) # then the files that the texts are made of
	set(c ${CMAKE_BINARY_DIR}/${room}_viewer.c)
	add_custom_command(OUTPUT ${c}
		COMMAND ${CMAKE_COMMAND} -DOUT=${c} -DHEADER=${header} -DSTRUCT=${struct}
			"-DTEXTS=${texts}" -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
		DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
		COMMENT "Embedding viewer/ for ${room}" VERBATIM)
	target_sources(orrery_${room} PRIVATE ${c})
endfunction()

set(viewer ${CMAKE_SOURCE_DIR}/viewer)
file(GLOB viewer_scripts CONFIGURE_DEPENDS ${viewer}/js/*.js)
list(SORT viewer_scripts)
string(REPLACE ";" "|" viewer_joined "${viewer_scripts}")
string(CONCAT viewer_texts "viewer_page=${viewer}/page.html,viewer_style=${viewer}/style.css,"
	"viewer_script=${viewer_joined}")
viewer_embed(observe observe/html_int.h viewer_file ${viewer_texts} ${viewer}/page.html
	${viewer}/style.css ${viewer_scripts})
viewer_embed(calibrate calibrate/plot.h page_style measured_style=${viewer}/measured.css
	${viewer}/measured.css)
