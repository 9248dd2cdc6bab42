#include "system/machine/hierarchy.h"

#include <functional>
#include <map>
#include <systemc>
#include <vector>

#include <fmt/format.h>

namespace coppice::system {
namespace {

// Calls f for every object of the hierarchy, parents before their children.
void walk(const std::vector<sc_core::sc_object*>& objects, int depth,
          const std::function<void(const sc_core::sc_object&, int)>& f) {
  for (const sc_core::sc_object* object : objects) {
    f(*object, depth);
    walk(object->get_child_objects(), depth + 1, f);
  }
}

// Names each interface by the export that provides it or the object that implements it.
class InterfaceNames {
 public:
  InterfaceNames() {
    walk(sc_core::sc_get_top_level_objects(), 0, [this](const sc_core::sc_object& object, int) {
      if (const auto* given = dynamic_cast<const sc_core::sc_export_base*>(&object)) {
        names_.try_emplace(given->get_interface(), object.name());
      } else if (const auto* interface = dynamic_cast<const sc_core::sc_interface*>(&object)) {
        names_.try_emplace(interface, object.name());
      }
    });
  }
  std::string of(const sc_core::sc_interface* interface) const {
    if (interface == nullptr) return "nothing";
    const auto found = names_.find(interface);
    return found != names_.end() ? found->second : "an interface without a name";
  }

 private:
  std::map<const sc_core::sc_interface*, std::string> names_;
};

// Whether this is the backward path of a TLM socket, which SystemC lists as a separate port or export.
bool belongs_to_socket(const std::string& name) {
  return name.ends_with("_port_0") || name.ends_with("_export_0");
}

}  // namespace

std::string describe_hierarchy() {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const InterfaceNames names;
  std::string text;
  walk(sc_core::sc_get_top_level_objects(), 0, [&](const sc_core::sc_object& object, int depth) {
    if (belongs_to_socket(object.basename())) return;
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    if (dynamic_cast<const sc_core::sc_module*>(&object) != nullptr) {
      text += fmt::format("{}{}\n", indent, object.name());
    } else if (const auto* port = dynamic_cast<const sc_core::sc_port_base*>(&object)) {
      text += fmt::format("{}{} ({}) -> {}\n", indent, object.basename(), object.kind(),
                          names.of(const_cast<sc_core::sc_port_base*>(port)->get_interface()));
    } else if (dynamic_cast<const sc_core::sc_export_base*>(&object) != nullptr) {
      text += fmt::format("{}{} ({})\n", indent, object.basename(), object.kind());
    }
  });
  return text;
}

}  // namespace coppice::system
