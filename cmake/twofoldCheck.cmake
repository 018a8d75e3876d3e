# A build gate: the build of a target fails where a loop does not merge as is said.
#
#   twofold_check(<target> LOOPS <file.cpp:function>… [VERDICT associative|not_associative] [MERGE <file.cpp:combine>] [OPTIONS <option>…])
#
# LOOPS     loops, files relative to the current source folder
# VERDICT   what is demanded, `associative` if nothing is said
# MERGE     is this merge right for each of the loops? (check --merge)
# OPTIONS   further words for `twofold check`: --assume 'n>=1', --seconds 30
#
# Loops are decided again when their file or the program changes. The include folders of the target are searched. Nothing of the user's
# code is run. The program is the one of this build or installation, or TWOFOLD_EXECUTABLE.
function(twofold_check target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "VERDICT;MERGE" "LOOPS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "twofold_check: \"${arg_UNPARSED_ARGUMENTS}\" is not understood; it takes LOOPS, VERDICT, MERGE and OPTIONS")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "twofold_check: there is no target \"${target}\"")
  endif()
  if(NOT arg_LOOPS)
    message(FATAL_ERROR "twofold_check(${target}): name loops, LOOPS file.cpp:function")
  endif()
  if(NOT arg_VERDICT)
    set(arg_VERDICT associative)
  endif()
  if(NOT arg_VERDICT MATCHES "^(associative|not_associative)$")
    message(FATAL_ERROR "twofold_check(${target}): VERDICT is associative or not_associative, not \"${arg_VERDICT}\"")
  endif()
  if(TARGET twofold_cli AND NOT TWOFOLD_EXECUTABLE)   # the project itself, or as a subfolder of another
    set(program $<TARGET_FILE:twofold>)
    set(depends twofold)
  else()
    find_program(TWOFOLD_EXECUTABLE twofold DOC "the twofold program")
    if(NOT TWOFOLD_EXECUTABLE)
      message(FATAL_ERROR "twofold_check(${target}): the program twofold was not found; set TWOFOLD_EXECUTABLE to it")
    endif()
    set(program ${TWOFOLD_EXECUTABLE})
    set(depends ${TWOFOLD_EXECUTABLE})
  endif()
  set(words ${arg_OPTIONS})
  if(arg_MERGE)
    string(REGEX REPLACE ":[^:/]+$" "" merge_file "${arg_MERGE}")
    list(APPEND words --merge ${CMAKE_CURRENT_SOURCE_DIR}/${arg_MERGE})
    list(APPEND depends ${CMAKE_CURRENT_SOURCE_DIR}/${merge_file})
  endif()
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(stamps "")
  foreach(loop IN LISTS arg_LOOPS)
    if(NOT loop MATCHES "^([^:]+):([A-Za-z_][A-Za-z0-9_:]*)$")
      message(FATAL_ERROR "twofold_check(${target}): \"${loop}\" is not file.cpp:function")
    endif()
    get_filename_component(file "${CMAKE_MATCH_1}" ABSOLUTE)
    string(MAKE_C_IDENTIFIER "${target} ${loop}" name)
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/twofold_check/${name}.stamp)
    add_custom_command(OUTPUT ${stamp}
      COMMAND ${CMAKE_COMMAND} "-DVERDICT=${arg_VERDICT}" "-DSTAMP=${stamp}" -P ${_twofold_check_script} -- ${program} check ${file}:${CMAKE_MATCH_2} --format gcc
              "$<$<BOOL:${includes}>:-I;$<JOIN:${includes},;-I;>>" ${words}
      DEPENDS ${file} ${depends} ${_twofold_check_script} COMMENT "twofold check ${loop}" VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND stamps ${stamp})
  endforeach()
  string(MAKE_C_IDENTIFIER "${target} ${arg_LOOPS}" name)
  string(SHA1 name "${name}")
  string(SUBSTRING ${name} 0 8 name)
  add_custom_target(${target}_twofold_check_${name} DEPENDS ${stamps})
  add_dependencies(${target} ${target}_twofold_check_${name})
endfunction()
set(_twofold_check_script ${CMAKE_CURRENT_LIST_DIR}/twofoldCheckRun.cmake CACHE INTERNAL "")
