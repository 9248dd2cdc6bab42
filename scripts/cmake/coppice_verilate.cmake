# Runs Verilator at build time, in parallel with the compiler. verilate() from find_package(verilator) would run it
# during configuration.
find_program(VERILATOR verilator)
if(VERILATOR)
  execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE verilator_root
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  # Verilator's library is compiled without warnings and sanitizers.
  find_package(Threads REQUIRED)
  add_library(verilated STATIC EXCLUDE_FROM_ALL ${verilator_root}/include/verilated.cpp
    ${verilator_root}/include/verilated_threads.cpp ${verilator_root}/include/verilated_fst_c.cpp)
  if(COPPICE_COVERAGE)
    target_sources(verilated PRIVATE ${verilator_root}/include/verilated_cov.cpp)
    target_compile_definitions(verilated PUBLIC VM_COVERAGE=1)
  endif()
  target_include_directories(verilated SYSTEM PUBLIC ${verilator_root}/include ${verilator_root}/include/vltstd)
  target_compile_options(verilated PRIVATE -w -fno-sanitize=all)
  target_link_libraries(verilated PUBLIC ZLIB::ZLIB Threads::Threads)
  set_target_properties(verilated PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()

# coppice_verilate(TARGET PREFIX p TOP module SOURCES file... [INCLUDE_DIRS folder...] [ARGS argument...] [PIECES n]
# [FAST option] [SLOW option]): adds the Verilated module to TARGET as class p. Its code is in n files (default 1),
# which are compiled with FAST (default -O2), and in one file with code that does not run in every cycle, which is
# compiled with SLOW (default -O0).
function(coppice_verilate target)
  cmake_parse_arguments(ARG "" "PREFIX;TOP;PIECES;FAST;SLOW" "SOURCES;INCLUDE_DIRS;ARGS" ${ARGN})
  foreach(default "PIECES;1" "FAST;-O2" "SLOW;-O0")
    list(POP_FRONT default name)
    if(NOT ARG_${name})
      set(ARG_${name} ${default})
    endif()
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/verilated/${target}/${ARG_PREFIX})
  set(slow ${folder}/${ARG_PREFIX}_slow.cpp)
  set(fast "")
  math(EXPR last "${ARG_PIECES} - 1")
  foreach(piece RANGE ${last})
    list(APPEND fast ${folder}/${ARG_PREFIX}_fast_${piece}.cpp)
  endforeach()
  list(TRANSFORM ARG_INCLUDE_DIRS PREPEND -I)
  if(COPPICE_COVERAGE)
    list(APPEND ARG_ARGS --coverage)
  endif()
  add_custom_command(
    OUTPUT ${slow} ${fast}
    BYPRODUCTS ${folder}/${ARG_PREFIX}.h
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/cmake/verilate --verilator ${VERILATOR} --folder ${folder} --prefix ${ARG_PREFIX}
      --pieces ${ARG_PIECES} -- --top-module ${ARG_TOP} ${ARG_INCLUDE_DIRS} ${ARG_ARGS} ${ARG_SOURCES}
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/cmake/verilate ${ARG_SOURCES}
    DEPFILE ${folder}/${ARG_PREFIX}.d
    COMMENT "Verilating ${ARG_PREFIX}"
    VERBATIM)
  target_sources(${target} PRIVATE ${slow} ${fast})
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "-w;-fno-sanitize=all;${coppice_mutant};${ARG_FAST}")
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-w;-fno-sanitize=all;${coppice_mutant};${ARG_SLOW}")
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${folder}>)
  target_link_libraries(${target} PUBLIC verilated)
endfunction()
