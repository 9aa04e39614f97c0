# The page of the playground: cmake -DMODULE=asperity.wasm -DNODE= -DVITE= -DPAGE=playground.html -P BundlePlayground.cmake
# Without the module (BuildWasm.cmake says why) the page is empty, and the program says that it has none.
cmake_path(GET PAGE PARENT_PATH folder)
file(MAKE_DIRECTORY ${folder})
if(NOT EXISTS ${MODULE})
  file(WRITE ${PAGE} "")
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env ASPERITY_WASM=${MODULE} ${NODE} ${VITE} build --logLevel warn --emptyOutDir --outDir ${folder}
                COMMAND_ERROR_IS_FATAL ANY)
