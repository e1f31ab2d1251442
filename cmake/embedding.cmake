# Orrery inside other programs: the shared library behind include/orrery/orrery.h, its pkg-config
# file and CMake package, and the Python module.
add_library(orrery_so SHARED $<TARGET_OBJECTS:orrery_api>)
target_link_libraries(orrery_so PRIVATE orrery_sim)
set(orrery_map ${CMAKE_SOURCE_DIR}/cmake/orrery.map)
target_link_options(orrery_so PRIVATE "LINKER:--version-script=${orrery_map}"
	"LINKER:--no-undefined")
set_target_properties(orrery_so PROPERTIES OUTPUT_NAME orrery SOVERSION 1 VERSION 1.0.0
	LINK_DEPENDS ${orrery_map} EXPORT_NAME orrery)
install(TARGETS orrery_so EXPORT orrery
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT headers
	INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
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
# find_package(orrery); relocatable too, but for a libdir that is absolute.
set(orrery_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)
install(EXPORT orrery NAMESPACE orrery:: FILE orrery-targets.cmake DESTINATION ${orrery_cmake}
	COMPONENT headers)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/orrery-config-version.cmake
	COMPATIBILITY SameMajorVersion)
install(FILES cmake/orrery-config.cmake ${CMAKE_BINARY_DIR}/orrery-config-version.cmake
	DESTINATION ${orrery_cmake} COMPONENT headers)

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
set(ORRERY_PYTHON_DIR lib/python3/dist-packages CACHE STRING
	"Where the Python module goes, below the prefix")
# It finds the library from where it lies, if both are below the prefix.
set(python_rpath ${CMAKE_INSTALL_FULL_LIBDIR})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${ORRERY_PYTHON_DIR}")
	string(REGEX REPLACE "[^/]+" ".." python_rpath "${ORRERY_PYTHON_DIR}/orrery")
	set(python_rpath "$ORIGIN/${python_rpath}/${CMAKE_INSTALL_LIBDIR}")
endif()
Python3_add_library(orrery_python MODULE python/orrery/_orrery.c)
target_include_directories(orrery_python PRIVATE include)
target_link_libraries(orrery_python PRIVATE orrery_so)
set_target_properties(orrery_python PROPERTIES PREFIX "" OUTPUT_NAME _orrery SUFFIX .abi3.so
	LIBRARY_OUTPUT_DIRECTORY ${python_module}
	INSTALL_RPATH "${python_rpath}")
configure_file(python/orrery/__init__.py ${python_module}/__init__.py COPYONLY)
install(TARGETS orrery_python LIBRARY DESTINATION ${ORRERY_PYTHON_DIR}/orrery COMPONENT python)
install(FILES python/orrery/__init__.py DESTINATION ${ORRERY_PYTHON_DIR}/orrery COMPONENT python)
