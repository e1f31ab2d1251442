# Orrery inside other programs: the shared library behind include/orrery/orrery.h, its pkg-config
# file, and the Python module.
add_library(orrery_so SHARED $<TARGET_OBJECTS:orrery_api>)
target_link_libraries(orrery_so PRIVATE orrery_sim)
set(orrery_map ${CMAKE_SOURCE_DIR}/cmake/orrery.map)
target_link_options(orrery_so PRIVATE "LINKER:--version-script=${orrery_map}"
	"LINKER:--no-undefined")
set_target_properties(orrery_so PROPERTIES OUTPUT_NAME orrery SOVERSION 1 VERSION 1.0.0
	LINK_DEPENDS ${orrery_map})
install(TARGETS orrery_so LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
	NAMELINK_COMPONENT headers)
# The file finds the prefix from where it lies, for `cmake --install --prefix` may put it where
# nobody said when it was configured. (A libdir that is absolute lies where it was said.)
set(orrery_pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
	string(REGEX REPLACE "[^/]+" ".." orrery_pc_prefix "${CMAKE_INSTALL_LIBDIR}")
	string(PREPEND orrery_pc_prefix "\${pcfiledir}/../")
endif()
set(orrery_pc_libdir "\${prefix}")
set(orrery_pc_includedir "\${prefix}")
cmake_path(APPEND orrery_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND orrery_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/orrery.pc.in orrery.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/orrery.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
	COMPONENT headers)

# The system's Python rather than another one that is first in PATH: its NumPy is Debian's. The
# module has CPython's stable ABI.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
	set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python3_Development.Module_FOUND OR Python3_VERSION VERSION_LESS 3.10)
	message(STATUS "Python's headers not found (python3-dev, 3.10 or later): "
		"there will be no Python module")
	return()
endif()
set(python_module ${CMAKE_BINARY_DIR}/python/orrery)
Python3_add_library(orrery_python MODULE python/orrery/_orrery.c)
target_include_directories(orrery_python PRIVATE include)
target_link_libraries(orrery_python PRIVATE orrery_so)
set_target_properties(orrery_python PROPERTIES PREFIX "" OUTPUT_NAME _orrery SUFFIX .abi3.so
	LIBRARY_OUTPUT_DIRECTORY ${python_module}
	INSTALL_RPATH "$ORIGIN/../../../../${CMAKE_INSTALL_LIBDIR};$ORIGIN/../../..")
configure_file(python/orrery/__init__.py ${python_module}/__init__.py COPYONLY)
set(ORRERY_PYTHON_DIR lib/python3/dist-packages CACHE STRING
	"Where the Python module goes, below the prefix")
install(TARGETS orrery_python LIBRARY DESTINATION ${ORRERY_PYTHON_DIR}/orrery COMPONENT python)
install(FILES python/orrery/__init__.py DESTINATION ${ORRERY_PYTHON_DIR}/orrery COMPONENT python)
