# Writes the C++ source of page_parts.h with the contents of the given files: cmake -D OUT=FILE -D HTML=FILE -D
# STYLE=FILE -D SCRIPT=FILES -D LIBRARY=FILE -P embed.cmake. SCRIPT is a list of files, separated by commas, that are
# concatenated. Files become arrays of bytes, since the length of string literals is limited.
function(bytes_of name files)
  string(REPLACE "," ";" files "${files}")
  set(hex "")
  foreach(file ${files})
    file(READ ${file} part HEX)
    string(APPEND hex ${part})
  endforeach()
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  set(${name} "constexpr char k${name}[] = {${bytes}};\n" PARENT_SCOPE)
endfunction()

bytes_of(Html "${HTML}")
bytes_of(Style "${STYLE}")
bytes_of(Script "${SCRIPT}")
bytes_of(Library "${LIBRARY}")
file(WRITE ${OUT} "// Written by scripts/cmake/embed.cmake.
#include \"app/page_parts.h\"

namespace coppice::app {
namespace {

${Html}${Style}${Script}${Library}
}  // namespace

const PageParts& page_parts() {
  static const PageParts parts{{kHtml, sizeof kHtml}, {kStyle, sizeof kStyle}, {kScript, sizeof kScript}, {kLibrary, sizeof kLibrary}};
  return parts;
}

}  // namespace coppice::app
")
