# The decision service as a library of its own, for the program and its tests: the library rein needs
# neither SQLite nor Boost.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "the decision service, and the program that has it, need Linux; "
                      "-DREIN_PROGRAMS=OFF -DREIN_TESTS=OFF builds the library alone")
endif()
find_package(SQLite3 REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
file(GLOB REIN_SERVICE_SOURCES CONFIGURE_DEPENDS src/journal/*.cc src/http/*.cc src/serve/*.cc src/cluster/*.cc src/tools/*.cc)
# Without libpq, postgres_none.cc refuses such addresses.
if(REIN_POSTGRES)
  pkg_check_modules(PQ QUIET IMPORTED_TARGET libpq)
  if(NOT PQ_FOUND AND NOT REIN_POSTGRES STREQUAL "auto")
    message(FATAL_ERROR "REIN_POSTGRES needs libpq. On Debian: apt-get install libpq-dev")
  endif()
else()
  set(PQ_FOUND FALSE)  # a tree that was configured with it remembers that it was found
endif()
if(PQ_FOUND)
  list(FILTER REIN_SERVICE_SOURCES EXCLUDE REGEX "journal/postgres_none")
else()
  list(FILTER REIN_SERVICE_SOURCES EXCLUDE REGEX "journal/postgres_[^n]")
endif()
# The same for Kafka, with kafka_none.cc.
if(REIN_KAFKA)
  pkg_check_modules(RDKAFKA QUIET IMPORTED_TARGET rdkafka>=1.6)
  if(NOT RDKAFKA_FOUND AND NOT REIN_KAFKA STREQUAL "auto")
    message(FATAL_ERROR "REIN_KAFKA needs librdkafka 1.6 or later. On Debian: apt-get install librdkafka-dev")
  endif()
else()
  set(RDKAFKA_FOUND FALSE)
endif()
if(RDKAFKA_FOUND)
  list(FILTER REIN_SERVICE_SOURCES EXCLUDE REGEX "journal/kafka_none")
else()
  list(FILTER REIN_SERVICE_SOURCES EXCLUDE REGEX "journal/kafka_[^n]")
endif()
# Signatures of webhooks, with hmac_none.cc.
if(REIN_CRYPTO)
  pkg_check_modules(CRYPTO QUIET IMPORTED_TARGET libcrypto)
  if(NOT CRYPTO_FOUND AND NOT REIN_CRYPTO STREQUAL "auto")
    message(FATAL_ERROR "REIN_CRYPTO needs libcrypto. On Debian: apt-get install libssl-dev")
  endif()
endif()
if(CRYPTO_FOUND)
  list(FILTER REIN_SERVICE_SOURCES EXCLUDE REGEX "http/hmac_none")
else()
  list(FILTER REIN_SERVICE_SOURCES EXCLUDE REGEX "http/hmac_openssl")
endif()
include(cmake/live.cmake)
set(OPENAPI_TEXT ${CMAKE_CURRENT_BINARY_DIR}/generated/openapi.cc)
add_custom_command(
  OUTPUT ${OPENAPI_TEXT}
  COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_CURRENT_SOURCE_DIR}/docs/openapi.json -DOUT=${OPENAPI_TEXT}
          -DHEADER=serve/openapi.h -DFUNCTION=openapi_document -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS docs/openapi.json cmake/embed.cmake
  COMMENT "Embedding the API document")
set_property(SOURCE ${OPENAPI_TEXT} PROPERTY COMPILE_OPTIONS -Wno-overlength-strings)
add_library(rein_service STATIC ${REIN_SERVICE_SOURCES} ${OPENAPI_TEXT} ${LIVE_TEXT})
rein_in_groups(rein_service 16 ${REIN_SERVICE_SOURCES})
target_include_directories(rein_service PUBLIC src)
# Headers of others, whose warnings are not ours.
target_include_directories(rein_service SYSTEM PRIVATE ${Boost_INCLUDE_DIRS} ${TOMLPLUSPLUS_INCLUDE}
                           ${XXHASH_INCLUDE})
target_link_libraries(rein_service PUBLIC rein PRIVATE rein_flags fmt::fmt simdjson::simdjson
                      SQLite::SQLite3 ZLIB::ZLIB Threads::Threads $<$<BOOL:${PQ_FOUND}>:PkgConfig::PQ>
                      $<$<BOOL:${RDKAFKA_FOUND}>:PkgConfig::RDKAFKA>
                      $<$<BOOL:${CRYPTO_FOUND}>:PkgConfig::CRYPTO>)
# Asio has fences, which gcc's TSan does not follow. It says so for every file.
if(REIN_SANITIZE MATCHES thread)
  target_compile_options(rein_service PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()
