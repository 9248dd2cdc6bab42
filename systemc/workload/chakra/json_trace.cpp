#include "workload/chakra/json_trace.h"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workload/chakra/trace_values.h"

namespace coppice::workload::chakra {
namespace {

using Json = nlohmann::json;

// Reads a boolean, a whole number or a string. Protobuf prints 64-bit numbers as strings.
AttributeValue value_of(const Json& json) {
  if (json.is_boolean()) return {json.get<bool>() ? 1 : 0};
  if (!json.is_string()) return {whole_number(json)};
  const auto& text = json.get_ref<const std::string&>();
  return {number_in(text), text};
}

class Reader {
 public:
  Reader(const std::string& path, int rank) : path_(path), rank_(rank) {}

  // Reads the form {"workload_graph": [{Id, Name, NodeType, data_deps, runtime, is_cpu_op, comm_...}]}.
  Trace read_graph(const Json& graph) {
    Trace trace;
    trace.path = path_;
    if (!graph.is_array()) refuse("workload_graph is not a list of nodes");
    for (const Json& item : graph) {
      Node node = begin_node(item, "Id", "Name");
      if (!item.contains("NodeType")) refuse(place_of(rank_, node) + " has no NodeType");
      set_kind(node, item["NodeType"]);
      for (const auto& [name, value] : item.items()) {
        if (name == "data_deps") {
          node.data_dependencies = ids(node, value);
        } else if (name == "ctrl_deps") {
          node.control_dependencies = ids(node, value);
        } else if (name == "runtime") {
          node.duration_micros = number(node, name, value);
        } else if (name != "Id" && name != "Name" && name != "NodeType") {
          set_attribute(path_, rank_, node, name, value_of(value));
        }
      }
      trace.nodes.push_back(std::move(node));
    }
    return trace;
  }

  // Reads a node in the form in which protobuf prints it, which omits fields that are zero.
  void read_message(const Json& item, Trace& trace) {
    Node node = begin_node(item, "id", "name");
    if (!item.contains("type")) refuse(place_of(rank_, node) + " has no type");
    set_kind(node, item["type"]);
    if (item.contains("dataDeps")) node.data_dependencies = ids(node, item["dataDeps"]);
    if (item.contains("ctrlDeps")) node.control_dependencies = ids(node, item["ctrlDeps"]);
    if (item.contains("durationMicros")) {
      node.duration_micros = number(node, "durationMicros", item["durationMicros"]);
    }
    for (const Json& attribute : item.value("attr", Json::array())) {
      if (!attribute.is_object()) refuse(place_of(rank_, node) + " has an attribute that is not an object");
      for (const auto& [name, value] : attribute.items()) {
        if (!name.ends_with("Val")) continue;
        AttributeValue read = value_of(value);
        if (name == "stringVal") read.number.reset();
        set_attribute(path_, rank_, node, attribute.value("name", ""), read);
      }
    }
    if (node.kind == NodeKind::kMetadata && item.contains("inputs") && item["inputs"].is_object()) {
      trace.groups.merge(groups_in(item["inputs"].value("values", "")));
    }
    trace.nodes.push_back(std::move(node));
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError(
        {path_}, fmt::format("{}{}", what.starts_with("rank ") ? "" : fmt::format("rank {}: ", rank_), what));
  }

 private:
  Node begin_node(const Json& item, const char* id, const char* name) const {
    Node node;
    if (!item.is_object()) refuse("a node is not an object: " + item.dump().substr(0, 40));
    if (item.contains(name) && item[name].is_string()) node.name = item[name].get<std::string>();
    if (item.contains(id)) node.id = number(node, id, item[id]);
    return node;
  }

  void set_kind(Node& node, const Json& kind) const {
    const AttributeValue value = value_of(kind);
    node.kind = value.number ? kind_of(path_, rank_, node, *value.number)
                             : kind_named(path_, rank_, node, value.text.value_or(kind.dump()));
  }

  std::uint64_t number(const Node& node, const std::string& name, const Json& value) const {
    const AttributeValue read = value_of(value);
    if (read.number && *read.number >= 0) return static_cast<std::uint64_t>(*read.number);
    refuse(fmt::format("{}: {} is {}: expected a whole number, 0 or more", place_of(rank_, node), name,
                       value.dump().substr(0, 40)));
  }

  std::vector<std::uint64_t> ids(const Node& node, const Json& list) const {
    std::vector<std::uint64_t> result;
    if (!list.is_array()) refuse(place_of(rank_, node) + " has dependencies that are not a list");
    for (const Json& id : list) result.push_back(number(node, "a dependency", id));
    return result;
  }

  std::string path_;
  int rank_;
};

}  // namespace

bool is_json(const std::string& bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  // The header of a protobuf file also begins with a newline or a brace if its length is 10 or 123. In a JSON
  // object, the brace is followed by a name or by the end of the object.
  if (first == std::string::npos || bytes[first] != '{') return false;
  const std::size_t next = bytes.find_first_not_of(" \t\r\n", first + 1);
  return next != std::string::npos && (bytes[next] == '"' || bytes[next] == '}');
}

Trace read_json_trace(const std::string& text, const std::string& path, int rank) {
  Reader reader(path, rank);
  Trace trace;
  trace.path = path;
  std::istringstream stream(text);
  bool first = true;
  while (stream >> std::ws, stream.peek() != std::istringstream::traits_type::eof()) {
    Json item;
    try {
      stream >> item;
    } catch (const Json::exception& error) {
      throw ConfigError({path}, fmt::format("rank {}: the trace is not JSON: {}", rank, error.what()));
    }
    if (!item.is_object()) reader.refuse("the trace is not an object: " + item.dump().substr(0, 40));
    if (first && item.contains("workload_graph")) return reader.read_graph(item["workload_graph"]);
    if (first && item.contains("schema") && item.contains("nodes")) {
      reader.refuse(
          "this is a PyTorch host trace: link and convert it first (chakra_trace_link, "
          "chakra_converter PyTorch)");
    }
    // The header is the first object, and it has no type.
    if (!first || item.contains("type")) reader.read_message(item, trace);
    first = false;
  }
  return trace;
}

}  // namespace coppice::workload::chakra
