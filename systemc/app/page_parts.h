#pragma once

#include <string_view>

namespace coppice::app {

// The parts of a report page, from systemc/app/report/ and including D3; scripts/cmake/embed.cmake compiles
// them into the command.
struct PageParts {
  std::string_view html;  // the names of the other parts, enclosed in at signs, show where these belong
  std::string_view style;
  std::string_view script;
  std::string_view library;
};
const PageParts& page_parts();

}  // namespace coppice::app
