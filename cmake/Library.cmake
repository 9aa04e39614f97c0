# The libraries from the layers' objects, static for our own programs and tests, shared for others, and what is installed.
#
#   asperity-solver   base, linalg, problem, solver: a contact problem in, reactions out. Needs AMD, OpenMP.
#   asperity          the layers above: shapes, models, worlds, files. Needs asperity-solver, HDF5, cJSON, zlib, expat, CVODE.
#
# Every exported name is in one of the two alone: a program of worlds links both (pkg-config and CMake see to it). The
# layers above use internals of those below, and internals are hidden in a shared library: libasperity.so holds hidden
# copies of what it uses of them (--exclude-libs). Copies cannot disagree, as the library has no globals; but both
# libraries must come from one build.
set(solver_layers base linalg problem solver)
get_property(layers GLOBAL PROPERTY ASP_LAYERS)
set(lower_objects)
set(upper_objects)
set(lower_links)
set(upper_links)
foreach(layer ${layers})
  get_property(links GLOBAL PROPERTY ASP_LINK_${layer})
  if(layer IN_LIST solver_layers)
    list(APPEND lower_objects $<TARGET_OBJECTS:asp_${layer}>)
    list(APPEND lower_links ${links})
  else()
    list(APPEND upper_objects $<TARGET_OBJECTS:asp_${layer}>)
    list(APPEND upper_links ${links})
  endif()
endforeach()
list(REMOVE_DUPLICATES lower_links)
list(REMOVE_DUPLICATES upper_links)

# The installed archives need the OpenMP runtime of the compiler that made them, whatever the user's compiler has: gcc's
# is found by its name, clang's lies where only clang looks.
set(openmp $<TARGET_NAME_IF_EXISTS:OpenMP::OpenMP_C>)
set(openmp_runtime)
foreach(name ${OpenMP_C_LIB_NAMES})
  if(name MATCHES "^(gomp|pthread)$")
    list(APPEND openmp_runtime -l${name})
  else()
    list(APPEND openmp_runtime ${OpenMP_${name}_LIBRARY})
  endif()
endforeach()
string(REPLACE ";" " " OPENMP_RUNTIME "${openmp_runtime}") # in asperity-solver.pc
list(REMOVE_ITEM lower_links ${openmp})
list(REMOVE_ITEM upper_links ${openmp})
list(APPEND lower_links $<BUILD_INTERFACE:${openmp}>)
list(APPEND upper_links $<BUILD_INTERFACE:${openmp}>)

# asp_library(TARGET STATIC|SHARED NAME EXPORTED_AS objects...)
function(asp_library target kind name exported_as)
  add_library(${target} ${kind} ${ARGN})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${exported_as})
  if(kind STREQUAL SHARED)
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
                                               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                               LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/hidden.map)
    target_link_options(${target} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/hidden.map)
  endif()
endfunction()

asp_library(asperity_solver_static STATIC asperity-solver solver_static ${lower_objects})
target_link_libraries(asperity_solver_static PUBLIC ${lower_links} "$<INSTALL_INTERFACE:${openmp_runtime}>" m)
asp_library(asperity_static STATIC asperity asperity_static ${upper_objects})
target_link_libraries(asperity_static PUBLIC asperity_solver_static ${upper_links} m)

asp_library(asperity_solver SHARED asperity-solver solver ${lower_objects})
target_link_libraries(asperity_solver PRIVATE ${lower_links} m)
asp_library(asperity SHARED asperity asperity ${upper_objects})
target_link_libraries(asperity PRIVATE asperity_solver_static ${upper_links} m PUBLIC asperity_solver)
target_link_options(asperity PRIVATE LINKER:--exclude-libs,libasperity-solver.a LINKER:--no-as-needed)

# ---- installed: libraries, headers, what pkg-config and CMake ask for ----

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/asperity)
install(TARGETS asperity asperity_solver EXPORT asperity-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS asperity_static asperity_solver_static EXPORT asperity-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT asperity-shared NAMESPACE asperity:: DESTINATION ${package_dir})
install(EXPORT asperity-static NAMESPACE asperity:: DESTINATION ${package_dir})
install(DIRECTORY include/asperity DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/asperity-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/asperity-config-version.cmake cmake/asperity-config.cmake cmake/Dependencies.cmake
        DESTINATION ${package_dir})

# *.pc find their prefix from where they lie, so that the installed tree can be moved
file(RELATIVE_PATH PKGCONFIG_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REPLACE ";" " " SUNDIALS_FLAGS "${SUNDIALS_NAMES}")
foreach(name asperity asperity-solver)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# ---- installed: licence, documentation, schema and scenes (which name the schema beside them) ----

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs PATTERN "*.sh" EXCLUDE PATTERN site EXCLUDE)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples FILES_MATCHING PATTERN "*.c" PATTERN consumer EXCLUDE)
install(DIRECTORY schema scenes studies DESTINATION ${CMAKE_INSTALL_DATADIR}/asperity)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                                    -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake
                  COMMENT "Removing what was installed last" USES_TERMINAL)
