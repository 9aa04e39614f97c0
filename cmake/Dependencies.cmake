# What the library links, all from the system's packages. A missing one is named with its Debian package.
find_package(PkgConfig REQUIRED)

function(asp_require target module package)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR "${module} is missing: install ${package} (./quickstart does it on Debian)")
  endif()
endfunction()

asp_require(LAPACKE lapacke liblapacke-dev)
asp_require(OPENBLAS openblas libopenblas-dev)
asp_require(HDF5 hdf5-serial libhdf5-dev) # plain "hdf5" may be the MPI build
asp_require(CJSON libcjson libcjson-dev)
asp_require(ZLIB zlib zlib1g-dev)

# AMD (BSD licence) orders sparse matrices; of SuiteSparse nothing else is linked: parts of it are GPL
find_path(AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
find_library(AMD_LIBRARY amd)
if(NOT AMD_INCLUDE_DIR OR NOT AMD_LIBRARY)
  message(FATAL_ERROR "amd is missing: install libsuitesparse-dev (./quickstart does it on Debian)")
endif()
add_library(AMD::AMD INTERFACE IMPORTED)
target_include_directories(AMD::AMD SYSTEM INTERFACE ${AMD_INCLUDE_DIR})
target_link_libraries(AMD::AMD INTERFACE ${AMD_LIBRARY})

# CVODE (SUNDIALS, BSD licence) integrates compliant contact
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
set(sundials_libraries)
foreach(part cvode nvecserial sunlinsoldense sunmatrixdense)
  find_library(SUNDIALS_${part}_LIBRARY sundials_${part})
  if(NOT SUNDIALS_INCLUDE_DIR OR NOT SUNDIALS_${part}_LIBRARY)
    message(FATAL_ERROR "sundials_${part} is missing: install libsundials-dev (./quickstart does it on Debian)")
  endif()
  list(APPEND sundials_libraries ${SUNDIALS_${part}_LIBRARY})
endforeach()
add_library(SUNDIALS::CVODE INTERFACE IMPORTED)
target_include_directories(SUNDIALS::CVODE SYSTEM INTERFACE ${SUNDIALS_INCLUDE_DIR})
target_link_libraries(SUNDIALS::CVODE INTERFACE ${sundials_libraries})

# threads: without OpenMP everything runs in one, with the same results
find_package(OpenMP COMPONENTS C QUIET)
