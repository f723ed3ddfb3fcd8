# The decision service as a library of its own, for the program and its tests: the library rein needs
# neither SQLite nor Boost.
find_package(SQLite3 REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
file(GLOB REIN_SERVICE_SOURCES CONFIGURE_DEPENDS src/journal/*.cc src/serve/*.cc)
include(cmake/live.cmake)
add_library(rein_service STATIC ${REIN_SERVICE_SOURCES} ${LIVE_TEXT})
target_include_directories(rein_service PUBLIC src)
# Headers of others, whose warnings are not ours.
target_include_directories(rein_service SYSTEM PRIVATE ${Boost_INCLUDE_DIRS} ${TOMLPLUSPLUS_INCLUDE}
                           ${XXHASH_INCLUDE})
target_link_libraries(rein_service PUBLIC rein PRIVATE rein_flags fmt::fmt simdjson::simdjson
                      SQLite::SQLite3 Threads::Threads)
