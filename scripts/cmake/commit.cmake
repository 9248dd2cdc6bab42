# Writes OUT, a C++ source with the commit that is built: cmake -D SOURCE=FOLDER -D OUT=FILE -P commit.cmake. The commit
# ends in + if files differ from it; outside a git checkout, it is "unknown".
execute_process(COMMAND git describe --always --abbrev=40 --dirty=+ --exclude=* WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
set(text "#include \"app/commit.h\"\n\nnamespace coppice::app {\n\nconst char* const kCommit = \"${commit}\";\n\n}  // namespace coppice::app\n")
file(CONFIGURE OUTPUT ${OUT} CONTENT "${text}" @ONLY)
