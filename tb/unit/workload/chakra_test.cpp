#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_transformers.h"
#include "workload/chakra/execution_trace.pb.h"
#include "workload/chakra/export.h"
#include "workload/chakra/import.h"
#include "workload/chakra/trace.h"
#include "workload/large_training.h"

namespace coppice::workload::chakra {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A temporary folder that contains trace files.
class TraceFolder {
 public:
  TraceFolder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("coppice_chakra_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directory(path_);
  }
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  std::string pattern() const { return file("{rank}"); }
  std::string file(const std::string& rank) const { return (path_ / ("t." + rank + ".et")).string(); }
  void write(int rank, const std::string& bytes) const {
    std::ofstream(file(std::to_string(rank)), std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

std::string delimited(const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  std::string length;
  for (std::size_t left = bytes.size(); true; left >>= 7U) {
    length += static_cast<char>((left & 0x7fU) | (left > 0x7fU ? 0x80U : 0U));
    if (left <= 0x7fU) break;
  }
  return length + bytes;
}

using Numbers = std::map<std::string, std::int64_t>;

TraceNode node(std::uint64_t id, NodeKind kind, const Numbers& numbers, const std::vector<int>& after = {}) {
  TraceNode node;
  node.set_id(id);
  node.set_name("n" + std::to_string(id));
  node.set_type(static_cast<int>(kind));
  for (const int before : after) node.add_data_dependencies(static_cast<std::uint64_t>(before));
  for (const auto& [name, value] : numbers) {
    TraceAttribute* attribute = node.add_attributes();
    attribute->set_name(name);
    attribute->set_one_int64(value);
  }
  return node;
}

TraceNode in_group(TraceNode node, const std::string& group) {
  TraceAttribute* attribute = node.add_attributes();
  attribute->set_name("pg_name");
  attribute->set_one_string(group);
  return node;
}

std::string trace(const std::vector<TraceNode>& nodes) {
  TraceHeader header;
  header.set_version("0.0.4");
  std::string bytes = delimited(header);
  for (const TraceNode& one : nodes) bytes += delimited(one);
  return bytes;
}

const Numbers::value_type kBytes1024{"comm_size", 1024};
TraceNode all_reduce(std::uint64_t id, const std::vector<int>& after = {}) {
  return node(id, NodeKind::kCollective, {{"comm_type", 0}, kBytes1024}, after);
}

Imported import_of(const std::vector<std::string>& traces, const ImportOptions& options = {}) {
  const TraceFolder folder;
  for (std::size_t r = 0; r < traces.size(); ++r) folder.write(static_cast<int>(r), traces[r]);
  return import_chakra(folder.pattern(), options);
}

// The error message for `traces` without the folder, or "" if the traces can be read.
std::string complaint(const std::vector<std::string>& traces) {
  const TraceFolder folder;
  for (std::size_t r = 0; r < traces.size(); ++r) folder.write(static_cast<int>(r), traces[r]);
  try {
    import_chakra(folder.pattern());
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    return text.substr(text.find("t."));
  }
  return "";
}

// The fields of an operation that do not depend on the numbers of groups, collectives and transfers.
using Said = std::tuple<std::string, int, double, double, double, std::string, std::vector<int>,
                        std::vector<std::int32_t>>;
Said said(const Program& program, Operation operation) {
  std::ranges::sort(operation.after);
  const auto& work = operation.work;
  const int purpose =
      std::holds_alternative<Compute>(work) ? static_cast<int>(std::get<Compute>(work).purpose) : -1;
  if (const auto* compute = std::get_if<Compute>(&work)) {
    return {operation.name,
            static_cast<int>(work.index()),
            static_cast<double>(compute->duration),
            compute->operations,
            compute->bytes,
            std::to_string(purpose),
            {operation.iteration},
            operation.after};
  }
  if (const auto* access = std::get_if<MemoryAccess>(&work)) {
    return {operation.name,
            1,
            static_cast<double>(access->bytes),
            access->write ? 1.0 : 0.0,
            0,
            "",
            {operation.iteration},
            operation.after};
  }
  if (const auto* join = std::get_if<JoinCollective>(&work)) {
    const GroupCollective& collective = program.collectives[static_cast<std::size_t>(join->collective)];
    const RankGroup& group = program.groups[static_cast<std::size_t>(collective.group)];
    return {operation.name + collective.name,
            static_cast<int>(collective.op),
            static_cast<double>(collective.bytes),
            static_cast<double>(collective.root),
            static_cast<double>(collective.priority),
            collective.kind + group.name,
            group.ranks,
            operation.after};
  }
  const bool sends = std::holds_alternative<Send>(work);
  const auto index = sends ? std::get<Send>(work).transfer : std::get<Receive>(work).transfer;
  const Transfer& transfer = program.transfers[static_cast<std::size_t>(index)];
  return {operation.name + transfer.name,
          sends ? 1 : 0,
          static_cast<double>(transfer.bytes),
          0,
          0,
          transfer.kind,
          {transfer.source, transfer.destination},
          operation.after};
}

void expect_same(const Program& one, const Program& other, std::size_t metadata = 1) {
  ASSERT_EQ(one.ranks.size(), other.ranks.size());
  EXPECT_EQ(one.collectives.size(), other.collectives.size());
  EXPECT_EQ(one.transfers.size(), other.transfers.size());
  for (std::size_t r = 0; r < one.ranks.size(); ++r) {
    // If there are groups other than that of all ranks, the last node is additional and names these groups.
    ASSERT_EQ(one.ranks[r].operations.size() + metadata, other.ranks[r].operations.size());
    for (std::size_t i = 0; i < one.ranks[r].operations.size(); ++i) {
      ASSERT_EQ(said(one, one.ranks[r].operations[i]), said(other, other.ranks[r].operations[i]))
          << "rank " << r << ", operation " << i;
    }
  }
}

Program written_and_read(const Program& program) {
  std::vector<std::string> traces;
  for (int r = 0; r < static_cast<int>(program.ranks.size()); ++r) traces.push_back(trace_of(program, r));
  return import_of(traces).program;
}

TEST(Chakra, ReadsBackLargeModels) {
  Transformer model = mixtral();
  model.layers = 2;
  LargeTraining training;
  training.model = model;
  training.sequence = 4096;
  training.parallel.tensor = training.parallel.pipeline = training.parallel.data = 2;
  training.parallel.expert = training.parallel.context = 2;
  training.micro_batches = 2;
  training.iterations = 2;
  for (const int zero : {0, 1, 3}) {
    training.zero = zero;
    const Program program = build_large_training(training);
    expect_same(program, written_and_read(program));
  }
}

TEST(Chakra, ReadsBackEveryKindOfOperation) {
  Program program;
  program.groups = {{"all", {0, 1, 2}}, {"two", {2, 0}}, {"two", {1, 2}}};
  program.collectives = {{"b", CollectiveOp::kBroadcast, 0, 60, 1, 3, "data"},
                         {"r", CollectiveOp::kReduce, 1, 8, 0, 0, "tensor"},
                         {"wait", CollectiveOp::kBarrier, 2, 0, 0, 0, ""},
                         {"g", CollectiveOp::kAllGather, 0, 36, 0, 0, "x"}};
  program.transfers = {{"block", 1, 0, 12, "context"}};
  program.ranks.resize(3);
  const auto join = [&](int collective) {
    return Operation{
        program.collectives[static_cast<std::size_t>(collective)].name, JoinCollective{collective}, {}};
  };
  program.ranks[0].operations = {{"c", Compute{1'234'567'891, 0, 0, Purpose::kUpdate}, {}},
                                 {"receive block", Receive{0}, {0}},
                                 join(0),
                                 join(1),
                                 join(3)};
  program.ranks[1].operations = {
      {"l", MemoryAccess{77, true}, {}}, {"send block", Send{0}, {0}}, join(0), join(2), join(3)};
  program.ranks[2].operations = {
      {"f", Compute{0, 1e15, 5e9, Purpose::kForward}, {}, 4}, join(0), join(1), join(2), join(3)};
  check_program(program);
  Program read = written_and_read(program);
  // These groups have the same name, so another field distinguishes them.
  EXPECT_EQ(read.groups.size(), 3U);
  for (RankGroup& group : program.groups) group.name.clear();
  for (RankGroup& group : read.groups) group.name.clear();
  expect_same(program, read);
}

// ASTRA-sim requires group names that are numbers. A node without a name refers to all ranks.
TEST(Chakra, DoesNotNameTheGroupOfAllRanks) {
  Program program;
  program.groups = {{"all", {0, 1}}};
  program.collectives = {{"a", CollectiveOp::kAllReduce, 0, 64, 0, 0, ""}};
  for (int rank = 0; rank < 2; ++rank) {
    program.ranks.emplace_back().operations = {Operation{"a", JoinCollective{0}, {}}};
  }
  const std::string attribute("\x07pg_name");
  EXPECT_EQ(trace_of(program, 0).find(attribute), std::string::npos);
  expect_same(program, written_and_read(program), 0);
  program.groups.front().ranks = {1, 0};
  EXPECT_NE(trace_of(program, 0).find(attribute), std::string::npos);
  expect_same(program, written_and_read(program));
}

TEST(Chakra, AcceptsDependenciesInAnyOrder) {
  const auto program = import_of({trace({node(7, NodeKind::kCompute, {}, {9}), all_reduce(3, {7}),
                                         node(9, NodeKind::kCompute, {{"num_ops", 5}, {"tensor_size", 6}})})})
                           .program;
  const auto& operations = program.ranks[0].operations;
  EXPECT_THAT((std::vector{operations[0].name, operations[1].name, operations[2].name}),
              ElementsAre("n9", "n7", "n3"));
  EXPECT_THAT(operations[2].after, ElementsAre(1));
  EXPECT_EQ(std::get<Compute>(operations[0].work).operations, 5);
  EXPECT_EQ(std::get<Compute>(operations[0].work).bytes, 6);
}

TEST(Chakra, MatchesCollectivesByTheirOrderNotByTheirIds) {
  const auto two = [](std::uint64_t first) {
    return trace({node(first, NodeKind::kCollective, {{"comm_type", 0}, {"comm_size", 8}}),
                  node(first + 5, NodeKind::kCollective, {{"comm_type", 2}, {"comm_size", 16}})});
  };
  const Program program = import_of({two(0), two(100)}).program;
  ASSERT_EQ(program.collectives.size(), 2U);
  EXPECT_EQ(program.collectives[0].bytes, 8);
  // In the program, the size of an all-gather is that of its result.
  EXPECT_EQ(program.collectives[1].bytes, 32);
}

TEST(Chakra, ReadsGroupsFromMetadataAndFromAFile) {
  TraceNode metadata = node(0, NodeKind::kMetadata, {});
  TraceValues values;
  values.set_values("\"[{'pg_name': '1', 'pg_desc': 'x', 'ranks': [0, 2]}, {'pg_name': '2', 'ranks': []}]\"");
  metadata.set_inputs(values.SerializeAsString());
  const std::vector<std::string> traces{
      trace({metadata, in_group(all_reduce(1), "1"), in_group(all_reduce(2), "2")}),
      trace({in_group(all_reduce(2), "2")}),
      trace({in_group(all_reduce(1), "1"), in_group(all_reduce(2), "2")})};
  const Program program = import_of(traces).program;
  EXPECT_THAT(program.groups[0].ranks, ElementsAre(0, 2));
  EXPECT_THAT(program.groups[1].ranks, ElementsAre(0, 1, 2));
  const TraceFolder folder;
  std::ofstream(folder.file("groups")) << R"({"1": [2, 0]})";
  EXPECT_THAT(import_of(traces, {folder.file("groups"), false}).program.groups[0].ranks, ElementsAre(2, 0));
}

TEST(Chakra, MatchesTransfersByTheirEndsAndTag) {
  const auto end = [](std::uint64_t id, bool sends, int other, int tag, int bytes) {
    return node(id, sends ? NodeKind::kSend : NodeKind::kReceive,
                {{sends ? "comm_dst" : "comm_src", other}, {"comm_tag", tag}, {"comm_size", bytes}});
  };
  const Program program = import_of({trace({end(0, true, 1, 5, 10), end(1, true, 1, 6, 20)}),
                                     trace({end(0, false, 0, 6, 20), end(1, false, 0, 5, 10)})})
                              .program;
  ASSERT_EQ(program.transfers.size(), 2U);
  EXPECT_EQ(std::get<Receive>(program.ranks[1].operations[0].work).transfer, 1);
  EXPECT_THAT(
      complaint({trace({end(0, true, 1, 5, 10)}), trace({end(0, false, 0, 5, 11)})}),
      HasSubstr("t.1.et:1:1: rank 1, node 0 'n0': it has 11 bytes, but its other end at rank 0 has 10"));
  EXPECT_THAT(complaint({trace({end(0, true, 1, 5, 10)}), trace({})}), HasSubstr("receives 0 times"));
  EXPECT_THAT(complaint({trace({end(0, true, 3, 5, 10)})}), HasSubstr("comm_dst is 3"));
}

TEST(Chakra, FollowsControlDependenciesOnRequest) {
  TraceNode second = node(1, NodeKind::kCompute, {});
  second.add_control_dependencies(0);
  second.add_control_dependencies(99);
  const std::string bytes = trace({node(0, NodeKind::kCompute, {}), second});
  const Imported ignored = import_of({bytes});
  EXPECT_TRUE(ignored.program.ranks[0].operations[1].after.empty());
  EXPECT_THAT(ignored.assumptions,
              ElementsAre("1 control dependencies on nodes that are not in the trace are ignored",
                          HasSubstr("1 control dependencies are ignored")));
  EXPECT_THAT(import_of({bytes}, {"", true}).program.ranks[0].operations[1].after, ElementsAre(0));
}

// In stream 7, two kernels and a collective run in the order of their IDs and also wait for their
// dependencies. Stream 9 and nodes without a stream are independent of it.
TEST(Chakra, RunsTheNodesOfAStreamInTheOrderOfTheirIds) {
  const auto on = [](TraceNode node, int stream) {
    TraceAttribute* attribute = node.add_attributes();
    attribute->set_name("stream");
    attribute->set_one_int32(stream);
    return node;
  };
  const auto kernel = [](std::uint64_t id, const std::vector<int>& after = {}) {
    return node(id, NodeKind::kCompute, {{"num_ops", 5}}, after);
  };
  const Imported imported = import_of({trace(
      {on(kernel(4), 7), on(kernel(2, {9}), 7), on(all_reduce(5), 7), on(all_reduce(6), -1), kernel(9)})});
  const auto& operations = imported.program.ranks[0].operations;
  std::map<std::string, std::vector<std::string>> after;
  for (const Operation& operation : operations) {
    for (const std::int32_t before : operation.after) {
      after[operation.name].push_back(operations[static_cast<std::size_t>(before)].name);
    }
  }
  EXPECT_THAT(after["n2"], ElementsAre("n9"));
  EXPECT_THAT(after["n4"], ElementsAre("n2"));
  EXPECT_THAT(after["n5"], ElementsAre("n4"));
  EXPECT_TRUE(after["n6"].empty());
  EXPECT_TRUE(after["n9"].empty());
  EXPECT_THAT(imported.assumptions, ElementsAre(HasSubstr("1 collectives start immediately")));
}

// The order of IDs within streams contradicts the dependencies: node 1 waits for node 8 of the other stream,
// 8 follows 3 in its stream, and 3 waits for 2.
TEST(Chakra, DependenciesPrecedeTheOrderOfIds) {
  const auto on = [](std::uint64_t id, int stream, const std::vector<int>& after = {}) {
    return node(id, NodeKind::kCompute, {{"num_ops", 5}, {"stream", stream}}, after);
  };
  const Imported imported = import_of({trace({on(1, 1, {8}), on(2, 1), on(3, 2, {2}), on(8, 2)})});
  std::vector<std::string> order;
  for (const Operation& operation : imported.program.ranks[0].operations) order.push_back(operation.name);
  EXPECT_THAT(order, ElementsAre("n2", "n3", "n8", "n1"));
  EXPECT_THAT(imported.assumptions,
              ElementsAre(HasSubstr("1 nodes run before nodes with lower ids on their stream")));
}

TEST(Chakra, RejectsRanksThatDoNotExist) {
  const auto broadcast = [](std::int64_t root) {
    return trace({node(0, NodeKind::kCollective, {{"comm_type", 5}, {"comm_src", root}, kBytes1024})});
  };
  EXPECT_THAT(complaint({broadcast(4294967297), broadcast(4294967297)}),
              HasSubstr("comm_src is 4294967297, but there are only traces of ranks 0 to 1"));
  EXPECT_EQ(complaint({broadcast(1), broadcast(1)}), "");
  EXPECT_THAT(complaint({trace({node(0, NodeKind::kReceive, {{"comm_src", 4294967296}, kBytes1024})})}),
              HasSubstr("comm_src is 4294967296, but there are only traces of ranks 0 to 0"));
  EXPECT_THAT(complaint({trace({node(0, NodeKind::kCompute, {{"coppice_iteration", 4294967297}})})}),
              HasSubstr("coppice_iteration is 4294967297: the maximum is 2147483647"));
  const TraceFolder folder;
  folder.write(0, trace({in_group(all_reduce(1), "1")}));
  std::ofstream(folder.file("groups")) << R"({"1": [4294967296]})";
  EXPECT_THROW(import_chakra(folder.pattern(), {folder.file("groups"), false}), ConfigError);
}

TEST(Chakra, NodesOfHostsTakeNoTime) {
  TraceNode launcher = node(0, NodeKind::kCollective, {{"is_cpu_op", 1}});
  launcher.set_duration_micros(500);
  const Imported imported = import_of({trace({launcher})});
  EXPECT_EQ(std::get<Compute>(imported.program.ranks[0].operations[0].work), Compute{});
  EXPECT_THAT(imported.assumptions, ElementsAre(HasSubstr("1 host nodes")));
}

TEST(Chakra, ReadsEveryTypeOfNumber) {
  using Set = std::function<void(TraceAttribute&)>;
  const std::vector<Set> sets{
      [](TraceAttribute& a) { a.set_one_int32(7); },    [](TraceAttribute& a) { a.set_one_uint32(7); },
      [](TraceAttribute& a) { a.set_one_int64(7); },    [](TraceAttribute& a) { a.set_one_uint64(7); },
      [](TraceAttribute& a) { a.set_one_sint32(7); },   [](TraceAttribute& a) { a.set_one_sint64(7); },
      [](TraceAttribute& a) { a.set_one_fixed32(7); },  [](TraceAttribute& a) { a.set_one_fixed64(7); },
      [](TraceAttribute& a) { a.set_one_sfixed32(7); }, [](TraceAttribute& a) { a.set_one_sfixed64(7); }};
  for (const Set& set : sets) {
    TraceNode load = node(0, NodeKind::kMemoryLoad, {});
    TraceAttribute* attribute = load.add_attributes();
    attribute->set_name("tensor_size");
    set(*attribute);
    EXPECT_EQ(std::get<MemoryAccess>(import_of({trace({load})}).program.ranks[0].operations[0].work).bytes,
              7);
  }
}

TEST(Chakra, ReadsGzippedFiles) {
  const std::string bytes = trace({all_reduce(0)});
  const TraceFolder folder;
  const gzFile file = gzopen(folder.file("0").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  EXPECT_EQ(import_chakra(folder.pattern()).program.collectives.at(0).bytes, 1024);
  std::filesystem::resize_file(folder.file("0"), std::filesystem::file_size(folder.file("0")) - 12);
  EXPECT_THROW(import_chakra(folder.pattern()), ConfigError);
}

TEST(Chakra, ReadsGraphsInJson) {
  const Program program = import_of({R"({"workload_graph": [
        {"Id": 0, "Name": "c", "NodeType": 4, "data_deps": [], "runtime": 3, "is_cpu_op": false},
        {"Id": 1, "Name": "a", "NodeType": 7, "data_deps": [0], "comm_type": 0, "comm_size": 64, "is_cpu_op": 0}]})"})
                              .program;
  const auto& operations = program.ranks[0].operations;
  EXPECT_EQ(std::get<Compute>(operations[0].work).duration, 3'000'000'000);
  EXPECT_EQ(program.collectives[0].bytes, 64);
  EXPECT_THAT(operations[1].after, ElementsAre(0));
}

TEST(Chakra, ReadsConsecutiveObjects) {
  const Program program = import_of({R"({"version": "0.0.4"}
        {"name": "c", "type": "COMP_NODE", "durationMicros": "3"}{"id": "1", "name": "a", "type": "COMM_COLL_NODE",
         "dataDeps": ["0"], "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "uint64Val": "64"},
         {"name": "pg_name", "stringVal": ""}]})"})
                              .program;
  EXPECT_EQ(std::get<Compute>(program.ranks[0].operations[0].work).duration, 3'000'000'000);
  EXPECT_EQ(program.collectives.at(0).bytes, 64);
  EXPECT_THAT(program.ranks[0].operations[1].after, ElementsAre(0));
}

TEST(Chakra, RejectsUnknownContents) {
  EXPECT_THAT(complaint({R"({"schema": "1.1", "nodes": []})"}), HasSubstr("chakra_converter"));
  EXPECT_THAT(complaint({trace({node(4, static_cast<NodeKind>(8), {})})}),
              HasSubstr("t.0.et:1:1: rank 0, node 4 'n4' has type 8: the trace uses the old schema"));
  EXPECT_THAT(complaint({trace({node(4, static_cast<NodeKind>(0), {})})}), HasSubstr("type 0"));
  EXPECT_THAT(complaint({trace({all_reduce(0)}),
                         trace({node(2, NodeKind::kCollective, {{"comm_type", 3}, kBytes1024})})}),
              HasSubstr("t.1.et:1:1: rank 1, node 2 'n2': comm_type 3 is not supported: it must be 0"));
  EXPECT_THAT(complaint({trace({node(0, NodeKind::kCollective, {{"comm_type", 0}})})}),
              HasSubstr("comm_size is missing"));
  EXPECT_THAT(complaint({trace({node(0, NodeKind::kCompute, {}, {8})})}),
              HasSubstr("it depends on the data of node 8, which is not in the trace"));
  EXPECT_THAT(
      complaint({trace({node(0, NodeKind::kCompute, {}, {1}), node(1, NodeKind::kCompute, {}, {0})})}),
      HasSubstr("waits for itself"));
  EXPECT_THAT(complaint({trace({node(0, NodeKind::kCompute, {}), node(0, NodeKind::kCompute, {})})}),
              HasSubstr("same id"));
  EXPECT_THAT(complaint({trace({in_group(all_reduce(0), "9")})}), HasSubstr("unknown group '9'"));
  EXPECT_THAT(complaint({trace({all_reduce(0)}), trace({})}),
              HasSubstr("t.1.et:1:1: rank 1 has 0 collectives of group 'all', but other ranks have 1: its "
                        "node for 'n0' is missing"));
  EXPECT_THAT(
      complaint({trace({all_reduce(0)}),
                 trace({node(0, NodeKind::kCollective, {{"comm_type", 0}, {"comm_size", 4}})})}),
      HasSubstr("differs from another rank's collective with this number, all_reduce 'n0' of 1024 bytes"));
  const std::string whole = trace({all_reduce(0), all_reduce(1)});
  EXPECT_THAT(complaint({whole.substr(0, whole.size() - 3)}),
              HasSubstr("is not a message of a Chakra trace"));
  EXPECT_THAT(complaint({"hello, this is not a trace"}), HasSubstr("is not a message"));
  EXPECT_THAT(complaint({R"({"workload_graph": 1e999})"}), HasSubstr("rank 0: the trace is not JSON"));
  EXPECT_THAT(complaint({""}), HasSubstr("the trace of rank 0 is empty"));
  EXPECT_THROW(import_chakra("/nowhere/t.{rank}.et"), ConfigError);
  EXPECT_THROW(import_chakra("/nowhere/t.0.et"), ConfigError);
}

// A file that is cut off at any length is refused, unless it ends exactly after the header or after a node.
TEST(Chakra, RejectsOrReadsEveryPrefix) {
  const std::string whole = trace({node(0, NodeKind::kCompute, {{"num_ops", 300}}), all_reduce(1, {0})});
  int read = 0;
  for (std::size_t length = 0; length < whole.size(); ++length)
    read += complaint({whole.substr(0, length)}).empty();
  EXPECT_EQ(read, 2);  // the files that end after the header and after the first node
}

}  // namespace
}  // namespace coppice::workload::chakra
