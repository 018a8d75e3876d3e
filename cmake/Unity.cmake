# Several sources in one translation unit: the program's files are many and small, and most of their compile time is the headers
# they share. Off while developing (-DTWOFOLD_UNITY=OFF): then a change recompiles one small file.
option(TWOFOLD_UNITY "Compile the program's sources in batches: less work for a full build" OFF)
if(TWOFOLD_UNITY AND TWOFOLD_PROGRAM)
  foreach(target twofold_frontend twofold_analyser twofold_cli)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endforeach()
  # Names of their own that would meet others' in a batch.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/analyser/frontend/first_iteration.cpp
    ${PROJECT_SOURCE_DIR}/src/analyser/refute/alphabet.cpp
    DIRECTORY ${PROJECT_SOURCE_DIR}/src/analyser PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cli/process.cpp ${PROJECT_SOURCE_DIR}/src/cli/files.cpp
    ${PROJECT_SOURCE_DIR}/src/cli/explain.cpp DIRECTORY ${PROJECT_SOURCE_DIR}/src/cli PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endif()
