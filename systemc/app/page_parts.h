#pragma once

#include <string_view>

namespace coppice::app {

// The parts of a report page: the files in systemc/app/report/, including the library D3.
// scripts/cmake/embed.cmake compiles them into the command.
struct PageParts {
  std::string_view html;  // contains placeholders for the other parts, such as @STYLE@
  std::string_view style;
  std::string_view script;
  std::string_view library;
};
const PageParts& page_parts();

}  // namespace coppice::app
