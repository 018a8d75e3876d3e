# Less work for a full build of the program: its files are many and small, and most of their compile time goes into headers they
# share. Off while developing (-DTWOFOLD_BATCHES=OFF): then a change recompiles one small file.
option(TWOFOLD_BATCHES "Compile the program's sources in batches" OFF)
if(TWOFOLD_BATCHES AND TARGET twofold_cli)
  foreach(target twofold_frontend twofold_analyser twofold_cli twofold_cli_numerics)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # a batch is no header
  endforeach()
  # Names of their own that would meet others' in a batch.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/analyser/frontend/first_iteration.cpp
    ${PROJECT_SOURCE_DIR}/src/analyser/refute/alphabet.cpp
    DIRECTORY ${PROJECT_SOURCE_DIR}/src/analyser PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # The time of a check is spent in Clang and in the analyser; optimising what stands around them only costs build time.
  foreach(target twofold_frontend twofold_cli twofold_cli_numerics)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endif()
