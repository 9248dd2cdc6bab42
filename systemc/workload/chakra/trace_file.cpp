#include <google/protobuf/io/coded_stream.h>

#include <limits>

#include <fmt/format.h>

#include "workload/chakra/execution_trace.pb.h"
#include "workload/chakra/json_trace.h"
#include "workload/chakra/trace.h"
#include "workload/chakra/trace_bytes.h"
#include "workload/chakra/trace_values.h"

namespace coppice::workload::chakra {
namespace {

using google::protobuf::io::CodedInputStream;

template <typename Integer>
AttributeValue number(Integer value) {
  if (!std::in_range<std::int64_t>(value)) return {};
  return {static_cast<std::int64_t>(value)};
}

AttributeValue value_of(const TraceAttribute& attribute) {
  switch (attribute.value_case()) {
    case TraceAttribute::kOneInt32:
      return number(attribute.one_int32());
    case TraceAttribute::kOneInt64:
      return number(attribute.one_int64());
    case TraceAttribute::kOneUint32:
      return number(attribute.one_uint32());
    case TraceAttribute::kOneUint64:
      return number(attribute.one_uint64());
    case TraceAttribute::kOneSint32:
      return number(attribute.one_sint32());
    case TraceAttribute::kOneSint64:
      return number(attribute.one_sint64());
    case TraceAttribute::kOneFixed32:
      return number(attribute.one_fixed32());
    case TraceAttribute::kOneFixed64:
      return number(attribute.one_fixed64());
    case TraceAttribute::kOneSfixed32:
      return number(attribute.one_sfixed32());
    case TraceAttribute::kOneSfixed64:
      return number(attribute.one_sfixed64());
    case TraceAttribute::kOneBool:
      return {attribute.one_bool() ? 1 : 0};
    case TraceAttribute::kOneString:
      return {{}, attribute.one_string()};
    case TraceAttribute::kOneBytes:
      return {{}, attribute.one_bytes()};
    default:
      return {};
  }
}

class Reader {
 public:
  Reader(const std::string& path, int rank, const std::string& bytes)
      : path_(path),
        rank_(rank),
        input_(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {
    input_.SetTotalBytesLimit(std::numeric_limits<int>::max());
  }

  Trace read() {
    Trace trace;
    trace.path = path_;
    TraceHeader header;
    if (!next(header)) throw ConfigError({path_}, fmt::format("the trace of rank {} is empty", rank_));
    TraceNode message;
    while (next(message)) {
      trace.nodes.push_back(node_of(message));
      if (trace.nodes.back().kind == NodeKind::kMetadata) add_groups(trace, message);
      message.Clear();
    }
    return trace;
  }

 private:
  // Reads a message, which is preceded by its length. Returns false at the end of the file.
  template <typename Message>
  bool next(Message& message) {
    if (input_.CurrentPosition() == input_.BytesUntilTotalBytesLimit() + input_.CurrentPosition())
      return false;
    const int begins = input_.CurrentPosition();
    std::uint32_t length = 0;
    if (!input_.ReadVarint32(&length)) {
      if (input_.CurrentPosition() == begins && input_.ExpectAtEnd()) return false;
      refuse(begins);
    }
    const auto limit = input_.PushLimit(static_cast<int>(length));
    if (!message.MergePartialFromCodedStream(&input_) || !input_.ConsumedEntireMessage() ||
        input_.BytesUntilLimit() > 0 || input_.CurrentPosition() - begins < static_cast<int>(length)) {
      refuse(begins);
    }
    input_.PopLimit(limit);
    return true;
  }

  [[noreturn]] void refuse(int byte) const {
    throw ConfigError({path_},
                      fmt::format("rank {}: the data from byte {} is not a message of a Chakra trace: "
                                  "expected a header, then nodes, each preceded by its length (protobuf)",
                                  rank_, byte));
  }

  Node node_of(const TraceNode& message) const {
    Node node;
    node.id = message.id();
    node.name = message.name();
    node.data_dependencies.assign(message.data_dependencies().begin(), message.data_dependencies().end());
    node.control_dependencies.assign(message.control_dependencies().begin(),
                                     message.control_dependencies().end());
    node.duration_micros = message.duration_micros();
    node.kind = kind_of(path_, rank_, node, message.type());
    for (const TraceAttribute& attribute : message.attributes()) {
      set_attribute(path_, rank_, node, attribute.name(), value_of(attribute));
    }
    return node;
  }

  void add_groups(Trace& trace, const TraceNode& message) const {
    TraceValues inputs;
    if (inputs.ParseFromString(message.inputs())) trace.groups.merge(groups_in(inputs.values()));
  }

  std::string path_;
  int rank_;
  CodedInputStream input_;
};

}  // namespace

Trace read_trace(const std::string& path, int rank) {
  const std::string bytes = read_trace_bytes(path);
  if (is_json(bytes)) return read_json_trace(bytes, path, rank);
  return Reader(path, rank, bytes).read();
}

}  // namespace coppice::workload::chakra
