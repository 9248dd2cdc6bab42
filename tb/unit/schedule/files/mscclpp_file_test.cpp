#include "schedule/files/mscclpp_file.h"

#include <gmock/gmock.h>

#include <string>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;

// A plan for two GPUs, connected by a memory channel. The only thread block of each GPU executes `ops_0` or
// `ops_1`. Remote buffers 0 and 1 are the other GPU's input and scratch.
std::string plan_of(const std::string& collective, int in, int out, const std::string& ops_0,
                    const std::string& ops_1) {
  const auto gpu = [&](int id, const std::string& ops) {
    const std::string peer = std::to_string(1 - id);
    return "{\"id\": " + std::to_string(id) + ", \"input_chunks\": " + std::to_string(in) +
           ", \"output_chunks\": " + std::to_string(out) +
           ", \"scratch_chunks\": 2,\n\"threadblocks\": [{\"id\": 0," + " \"ops\": [\n" + ops +
           "],\n\"channels\": [{\"channel_type\": \"memory\", \"channel_ids\": [0]}], "
           "\"remote_buffer_refs\": "
           "[{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [0, 1]}]}],\n\"channels\": "
           "[{\"channel_type\": \"memory\", \"connected_to\": [" +
           peer + "]}], \"remote_buffers\": [{\"rank\": " + peer + ", \"type\": \"i\"}, {\"rank\": " + peer +
           ", \"type\": \"s\"}], \"semaphores\": [{\"init_value\": 0}]}";
  };
  return "{\"name\": \"mine\", \"collective\": \"" + collective + "\", \"inplace\": true, \"gpus\": [\n" +
         gpu(0, ops_0) + ",\n" + gpu(1, ops_1) + "]}";
}

std::string sync(const std::string& name) {
  return R"({"name": ")" + name + R"(", "channel_ids": [0], "channel_type": "memory"})";
}

// Operations by which a GPU adds the other GPU's data of `chunk` to its own and stores the sum in both
// inputs.
std::string read_reduce_send(int chunk) {
  const std::string at = std::to_string(chunk);
  const std::string both = R"([{"type": "i", "index": )" + at +
                           R"(, "size": 1}, {"buffer_id": 0, "index": )" + at + R"(, "size": 1}])";
  return sync("rlxsignal") + ",\n" + sync("rlxwait") + ",\n{\"name\": \"nop\"},\n" +
         R"({"name": "rres", "src_buff": )" + both + R"(, "dst_buff": )" + both +
         R"(, "channel_type": "memory", "reduce_op": "sum"})" + ",\n" + sync("signal") + ",\n" + sync("wait");
}
std::string two_pass() {
  return plan_of("allreduce", 2, 2, read_reduce_send(0), read_reduce_send(1));
}

// An all-reduce with packets: the GPU sends the chunk that the other GPU owns, adds the received data to its
// own chunk, and sends the sum back.
std::string by_packets(int own) {
  const std::string mine = std::to_string(own);
  const std::string other = std::to_string(1 - own);
  return R"({"name": "ppkt", "src_buff": [{"type": "i", "index": )" + other +
         R"(, "size": 1}], "dst_buff": [{"buffer_id": 1, "index": 0, "size": 1}], "channel_type": "memory"},
{"name": "respkt", "src_buff": [{"type": "i", "index": )" +
         mine +
         R"(, "size": 1}, {"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "i", "index": )" +
         mine +
         R"(, "size": 1}, {"buffer_id": 1, "index": 1, "size": 1}], "channel_type": "memory", "reduce_op": "sum"},
{"name": "upkt", "src_buff": [{"type": "s", "index": 1, "size": 1}], "dst_buff": [{"type": "i", "index": )" +
         other + R"(, "size": 1}]})";
}

Schedule read_for_two(const std::string& text, Collective collective = Collective::kAllReduce) {
  const Machine machine = built(topology::Kind::kRing, {2});
  Schedule schedule = parse_plan(text, "a.json", machine.topology, machine.request(collective, 64));
  check_schedule(machine.topology, schedule);
  return schedule;
}

std::int64_t messages_of(const Schedule& schedule, Op op) {
  std::int64_t messages = 0;
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& port : node.ports) {
      for (std::size_t e = 0; e < port.size(); ++e) messages += port[e].op == op ? 1 : 0;
    }
  }
  return messages;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

void expect_refusal(const std::string& text, const std::string& why) {
  try {
    read_for_two(text);
    ADD_FAILURE() << "accepted: " << why;
  } catch (const ConfigError& error) {
    EXPECT_GT(error.where().line, 0) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(MscclppFile, IsRecognised) {
  EXPECT_TRUE(looks_like_plan(two_pass()));
  EXPECT_FALSE(looks_like_plan(R"({"schema": "coppice.schedule/1"})"));
  EXPECT_FALSE(looks_like_plan("<algo name=\"threadblocks\">"));
  EXPECT_EQ(plan_collective(two_pass(), "a.json"), "all_reduce");
}

TEST(MscclppFile, RemoteReadsAreReducesAndFinalWritesAreGathers) {
  for (const std::string& text : {two_pass(), plan_of("allreduce", 2, 2, by_packets(0), by_packets(1))}) {
    const Schedule schedule = read_for_two(text);
    EXPECT_EQ(schedule.algorithm, "mine");
    EXPECT_EQ(schedule.steps, 2);
    EXPECT_EQ(messages_of(schedule, Op::kReduce), 2);
    EXPECT_EQ(messages_of(schedule, Op::kGather), 2);
  }
}

// An all-gather in which GPU g executes put(g), a signal and a wait.
template <typename Put>
Schedule gathered(Put put) {
  const auto ops = [&](int gpu) { return put(gpu) + ",\n" + sync("signal") + ",\n" + sync("wait"); };
  std::string text = plan_of("allgather", 1, 2, ops(0), ops(1));
  for (int gpu = 0; gpu < 2; ++gpu)
    text = replaced(text, R"("type": "i"}, {"rank")", R"("type": "o"}, {"rank")");
  return read_for_two(text, Collective::kAllGather);
}
// A put of the GPU's own chunk to the other GPU; `more` is appended to the operation's fields.
std::string put(int gpu, const std::string& more = "") {
  const std::string at = std::to_string(gpu);
  return R"({"name": "put", "src_buff": [{"type": "o", "index": )" + at +
         R"(, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": )" + at +
         R"(, "size": 1}], "channel_type": "memory")" + more + "}";
}

TEST(MscclppFile, PipelinesMoveTheirData) {
  const Schedule schedule = gathered([](int gpu) {
    return R"({"name": "pipeline", "iter_context": {"unit_size": 16, "num_chunks": 1}, "ops": [)" + put(gpu) +
           "]}";
  });
  EXPECT_EQ(messages_of(schedule, Op::kGather), 2);
}

TEST(MscclppFile, BlocksThatShareAnOperationMoveTheirParts) {
  const Schedule schedule = gathered([](int gpu) {
    return put(gpu, R"(, "tbg_info": {"tb_id": 0, "tbg_size": 2})") + ",\n" +
           put(gpu, R"(, "tbg_info": {"tb_id": 1, "tbg_size": 2})");
  });
  EXPECT_EQ(messages_of(schedule, Op::kGather), 4);
}

TEST(MscclppFile, RejectsUnsupportedOperations) {
  expect_refusal(replaced(two_pass(), "allreduce", "sendrecv"), "'sendrecv' is not one of");
  expect_refusal(replaced(two_pass(), "\"rres\"", "\"glres\""), "multicast and reduction by switches");
  expect_refusal(replaced(two_pass(), "\"rres\"", "\"rrss\""), "'rrss' is not an operation");
  expect_refusal(replaced(two_pass(), "\"sum\"", "\"min\""), "must be sum");
  expect_refusal(replaced(two_pass(), "\"memory\", \"connected_to\"", "\"switch\", \"connected_to\""),
                 "multicast");
  expect_refusal(replaced(two_pass(), "\"rlxsignal\"", "\"rlxwait\""), "waits forever for a signal");
  expect_refusal(replaced(two_pass(), "\"size\": 1}", "\"size\": 2}"), "sizes of its buffers differ");
  expect_refusal(replaced(two_pass(), "\"index\": 0, \"size\": 1}", "\"index\": 9, \"size\": 1}"),
                 "accesses chunk 9 of buffer i, but this buffer has 2 chunks");
  // Chunk 0 is reduced by both GPUs.
  expect_refusal(plan_of("allreduce", 2, 2, read_reduce_send(0), read_reduce_send(0)),
                 "adds the data of GPU 0 to chunk 0 twice");
  // GPU 1 reads its scratch without waiting for GPU 0's put into it.
  expect_refusal(
      plan_of("allreduce", 2, 2, R"({"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}],
"dst_buff": [{"buffer_id": 1, "index": 0, "size": 1}], "channel_type": "memory"})",
              R"({"name": "copy", "src_buff": [{"type": "s", "index": 0, "size": 1}],
"dst_buff": [{"type": "s", "index": 1, "size": 1}]})"),
      "in an undefined order");
  // Chunk 1 is not reduced by any GPU.
  expect_refusal(
      plan_of("allreduce", 2, 2, read_reduce_send(0),
              sync("rlxsignal") + "," + sync("rlxwait") + "," + sync("wait") + "," + sync("signal")),
      "is a sum that lacks the data of GPU 1");
}

}  // namespace
}  // namespace coppice::schedule
