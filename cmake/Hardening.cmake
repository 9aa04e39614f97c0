# What makes a defect in reading a file harder to exploit: stack protector, checked copies (_FORTIFY_SOURCE), position
# independent programs, tables of the linker read-only from the start. Each flag only where the compiler has it.
option(ASPERITY_HARDENING "Stack protector, FORTIFY, RELRO and the like" ON)

# no path to libraries in what is built or installed: CMake pads the one of a build folder with an empty entry, which
# means the current folder
set(CMAKE_SKIP_RPATH ON)

include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(ASPERITY_HARDENING)
  include(CheckCCompilerFlag)
  include(CheckLinkerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "ASPERITY_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      add_compile_options(${flag})
    endif()
  endforeach()
  # needs optimisation, and stands in the way of the sanitizers' own checks
  if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>  $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  endif()
  foreach(flag -Wl,-z,relro -Wl,-z,now)
    string(MAKE_C_IDENTIFIER "ASPERITY_HAS${flag}" known)
    check_linker_flag(C ${flag} ${known})
    if(${known})
      add_link_options(${flag})
    endif()
  endforeach()
endif()
