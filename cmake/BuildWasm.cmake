# asperity.wasm by a build of its own: cmake -DSOURCE= -DFOLDER= -DMODULE= -DSTAMP= -P BuildWasm.cmake
# A module that cannot be built stops nothing: it is removed, and a warning names the log.
set(log ${FOLDER}/asperity-wasm.log)
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER} --preset wasm RESULT_VARIABLE failed OUTPUT_FILE ${log} ERROR_FILE ${log})
if(NOT failed)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${FOLDER} RESULT_VARIABLE failed OUTPUT_FILE ${log} ERROR_FILE ${log})
endif()
if(failed)
  file(REMOVE ${MODULE})
  message(WARNING "asperity.wasm cannot be built: the program goes without its playground. Reason: ${log}")
endif()
file(WRITE ${STAMP} "")
