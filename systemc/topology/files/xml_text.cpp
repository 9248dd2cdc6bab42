#include "topology/files/xml_text.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/json_position.h"

namespace coppice::topology {

XmlText::XmlText(std::string_view text, const std::string& file) : text_(text), file_(file) {
  const pugi::xml_parse_result parsed = document_.load_buffer(text.data(), text.size());
  if (!parsed)
    throw ConfigError(place(parsed.offset), fmt::format("not valid XML: {}", parsed.description()));
}

SourceLocation XmlText::place(std::ptrdiff_t offset) const {
  return schedule::location_of_byte(text_, file_,
                                    static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
}

std::string XmlText::attribute(const pugi::xml_node& node, const char* name) const {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) throw ConfigError(place(node), fmt::format("<{}> has no attribute {}", node.name(), name));
  return attribute.value();
}

}  // namespace coppice::topology
