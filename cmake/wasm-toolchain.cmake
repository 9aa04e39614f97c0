# WebAssembly with clang, lld, wasi-libc and compiler-rt of the system (Debian: clang lld wasi-libc
# libclang-rt-dev-wasm32). SIMD128 is on: browsers have it since 2021 (Safari: 2023), node since 16.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# -no-stack-coloring: for this target clang 14 gives two structs that are in use at once the same place on the stack, and
# a norm then has a component of another vector (bench/wasm/bits.mjs shows it as a state that differs).
add_compile_options("SHELL:-mllvm -no-stack-coloring")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a test program would need a host to run in; nothing else is archived
set(CMAKE_C_FLAGS_INIT "-msimd128 -mbulk-memory -mnontrapping-fptoint -D_WASI_EMULATED_PROCESS_CLOCKS")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
