# find_package(orrery): the target orrery::orrery. It needs no other package.
include("${CMAKE_CURRENT_LIST_DIR}/orrery-targets.cmake")
