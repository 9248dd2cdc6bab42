#pragma once

#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "base/error.h"

namespace coppice::topology {

// A parsed XML document that knows the location of each element, for error messages.
class XmlText {
 public:
  // Keeps a view of `text`. Throws ConfigError if the text is not valid XML.
  XmlText(std::string_view text, const std::string& file);

  pugi::xml_node root() const { return document_.document_element(); }
  SourceLocation place(std::ptrdiff_t offset) const;
  SourceLocation place(const pugi::xml_node& node) const { return place(node.offset_debug()); }
  // Returns the value of an attribute. Throws ConfigError if the element does not have it.
  std::string attribute(const pugi::xml_node& node, const char* name) const;

 private:
  std::string_view text_;
  std::string file_;
  pugi::xml_document document_;
};

}  // namespace coppice::topology
