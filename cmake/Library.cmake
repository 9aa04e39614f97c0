# The library from the layers' objects: static for our own programs and tests, shared for others; install rules.
get_property(layers GLOBAL PROPERTY ASP_LAYERS)
get_property(links GLOBAL PROPERTY ASP_LINK)
list(REMOVE_DUPLICATES links)
set(objects)
foreach(layer ${layers})
  list(APPEND objects $<TARGET_OBJECTS:asp_${layer}>)
endforeach()

add_library(asperity_static STATIC ${objects})
target_include_directories(asperity_static PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(asperity_static PUBLIC ${links} m)
set_target_properties(asperity_static PROPERTIES OUTPUT_NAME asperity)

add_library(asperity SHARED ${objects})
target_include_directories(asperity PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(asperity PRIVATE ${links} m)
set_target_properties(asperity PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

install(TARGETS asperity EXPORT asperity LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/asperity DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT asperity NAMESPACE asperity:: FILE asperity-config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/asperity-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/asperity-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)
# asperity.pc finds its prefix from where it lies, so that the installed tree can be moved
file(RELATIVE_PATH PKGCONFIG_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/asperity.pc.in asperity.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/asperity.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
