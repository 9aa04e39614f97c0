# What the library links, all from the system's packages. A missing one is named with its Debian package.
find_package(PkgConfig REQUIRED)

function(asp_require target module package)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR "${module} is missing: install ${package} (./quickstart does it on Debian)")
  endif()
endfunction()

asp_require(HDF5 hdf5-serial libhdf5-dev) # plain "hdf5" may be the MPI build
target_compile_definitions(PkgConfig::HDF5 INTERFACE H5_USE_110_API) # the calls as of 1.10, also where it is 1.14
asp_require(CJSON libcjson libcjson-dev)
asp_require(ZLIB zlib zlib1g-dev)
asp_require(EXPAT expat libexpat1-dev)

# AMD (BSD licence) orders sparse matrices; of SuiteSparse nothing else is linked: parts of it are GPL
find_path(AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
find_library(AMD_LIBRARY amd)
if(NOT AMD_INCLUDE_DIR OR NOT AMD_LIBRARY)
  message(FATAL_ERROR "amd is missing: install libsuitesparse-dev (./quickstart does it on Debian)")
endif()
add_library(AMD::AMD INTERFACE IMPORTED)
target_include_directories(AMD::AMD SYSTEM INTERFACE ${AMD_INCLUDE_DIR})
target_link_libraries(AMD::AMD INTERFACE ${AMD_LIBRARY})

# CVODE (SUNDIALS 6 or 7, BSD licence) integrates compliant contact. From version 7 on its context lives in sundials_core,
# and where SUNDIALS was built with MPI (Debian 13) its headers include mpi.h.
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
find_library(SUNDIALS_core_LIBRARY sundials_core)
mark_as_advanced(SUNDIALS_core_LIBRARY)
set(sundials_libraries)
foreach(part cvode nvecserial sunlinsoldense sunmatrixdense)
  find_library(SUNDIALS_${part}_LIBRARY sundials_${part})
  if(NOT SUNDIALS_INCLUDE_DIR OR NOT SUNDIALS_${part}_LIBRARY)
    message(FATAL_ERROR "sundials_${part} is missing: install libsundials-dev (./quickstart does it on Debian)")
  endif()
  list(APPEND sundials_libraries ${SUNDIALS_${part}_LIBRARY})
endforeach()
set(SUNDIALS_NAMES -lsundials_cvode -lsundials_nvecserial -lsundials_sunlinsoldense -lsundials_sunmatrixdense)
if(SUNDIALS_core_LIBRARY)
  list(APPEND sundials_libraries ${SUNDIALS_core_LIBRARY})
  list(APPEND SUNDIALS_NAMES -lsundials_core)
endif()
add_library(SUNDIALS::CVODE INTERFACE IMPORTED)
target_include_directories(SUNDIALS::CVODE SYSTEM INTERFACE ${SUNDIALS_INCLUDE_DIR})
target_link_libraries(SUNDIALS::CVODE INTERFACE ${sundials_libraries})
file(STRINGS ${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h sundials_with_mpi REGEX "^#define SUNDIALS_MPI_ENABLED 1")
if(SUNDIALS_core_LIBRARY AND sundials_with_mpi)
  set(MPI_REQUIREMENT " mpi-c") # in asperity.pc
  asp_require(MPI mpi-c "mpi-default-dev, which SUNDIALS was built with")
  target_link_libraries(SUNDIALS::CVODE INTERFACE PkgConfig::MPI)
endif()

# threads: without OpenMP everything runs in one, with the same results
find_package(OpenMP COMPONENTS C QUIET)
