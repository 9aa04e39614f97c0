# find_package(asperity [COMPONENTS static]): targets asperity::asperity (all) and asperity::solver (the contact solver
# alone), shared; with the component `static` also asperity::asperity_static and asperity::solver_static, for which the
# libraries that Asperity uses are looked up here.
include(${CMAKE_CURRENT_LIST_DIR}/asperity-shared.cmake)
foreach(component ${asperity_FIND_COMPONENTS})
  if(component STREQUAL "static")
    include(${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake)
    include(${CMAKE_CURRENT_LIST_DIR}/asperity-static.cmake)
    set(asperity_static_FOUND TRUE)
  elseif(component STREQUAL "asperity" OR component STREQUAL "solver")
    set(asperity_${component}_FOUND TRUE)
  elseif(asperity_FIND_REQUIRED_${component})
    set(asperity_FOUND FALSE)
    set(asperity_NOT_FOUND_MESSAGE "asperity has no component ${component}: use asperity, solver or static")
  endif()
endforeach()
