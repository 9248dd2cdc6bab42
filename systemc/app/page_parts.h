#pragma once

#include <string_view>

namespace coppice::app {

// The parts of a report's page, from systemc/app/report/ with D3 among it;
// scripts/cmake/embed.cmake puts them into the command.
struct PageParts {
  std::string_view html;  // with NAME between two at signs where the others go
  std::string_view style;
  std::string_view script;
  std::string_view library;
};
const PageParts& page_parts();

}  // namespace coppice::app
