# cmake --install, and find_package(rein) afterwards.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS rein EXPORT rein_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/rein DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rein_targets NAMESPACE rein:: FILE rein_targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rein)
configure_package_config_file(cmake/rein_config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/rein-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rein)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/rein-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rein-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/rein-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rein)
