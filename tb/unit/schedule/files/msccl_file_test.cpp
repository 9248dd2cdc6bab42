#include "schedule/files/msccl_file.h"

#include <gmock/gmock.h>

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/files/msccl_print.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;

std::int64_t messages_of(const Schedule& schedule) {
  std::int64_t messages = 0;
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& port : node.ports) messages += port.messages();
  }
  return messages;
}

// Writes `schedule` to MSCCL, reads it back and proves the result correct.
Schedule read_back(const Machine& machine, const Schedule& schedule) {
  const std::string text = to_msccl(machine.topology, schedule);
  Schedule read =
      parse_msccl(text, "a.xml", machine.topology, machine.request(schedule.collective, schedule.size));
  check_schedule(machine.topology, read);
  return read;
}

TEST(Msccl, RoundTripsKeepEveryMessage) {
  const Machine machines[] = {torus({4, 4}), mesh({3, 3}), dgx1()};
  for (const Machine& machine : machines) {
    const Bytes size = 4 * 16 * machine.topology.num_accelerators();
    for (const char* algorithm : {"ring", "direct", "multitree"}) {
      for (const Collective collective :
           {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
        const Schedule schedule = machine.compile(algorithm, collective, size);
        const Schedule read = read_back(machine, schedule);
        // On a DGX-1, the chunks of `ring` differ in length, so each is written as several MSCCL chunks of
        // equal length.
        const bool unequal = std::string(algorithm) == "ring" && &machine == &machines[2];
        EXPECT_EQ(
            unequal ? messages_of(read) > messages_of(schedule) : messages_of(read) == messages_of(schedule),
            true)
            << algorithm << " on " << machine.topology.name();
        EXPECT_EQ(read.algorithm, schedule.algorithm);
      }
    }
  }
}

RC_GTEST_PROP(Msccl, RoundTripsOfAnySizeAreProven, ()) {
  const Machine machine = random_machine(6);
  RC_PRE(machine.topology.num_accelerators() > 1);
  const auto size = 4 * *rc::gen::inRange<Bytes>(machine.topology.num_accelerators(), 400);
  const auto algorithm = *rc::gen::element<std::string>("ring", "direct", "multitree", "double_tree");
  Schedule schedule;
  try {
    schedule = machine.compile(algorithm, Collective::kAllReduce, size);
  } catch (const UnsupportedError&) {
    RC_DISCARD("the algorithm does not support this network");
  }
  read_back(machine, schedule);
}

// An all-reduce of one chunk between two GPUs. GPU 1 receives the chunk in scratch, adds it, and sends the
// sum back.
constexpr const char* kScratch = R"(<algo name="two" proto="Simple" nchannels="1" nchunksperloop="1" ngpus="2"
 coll="allreduce" inplace="1">
<gpu id="0" i_chunks="1" o_chunks="0" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb></gpu>
<gpu id="1" i_chunks="1" o_chunks="0" s_chunks="1">
<tb id="0" send="-1" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="re" srcbuf="s" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
</tb>
<tb id="1" send="0" recv="-1" chan="0">
<step s="0" type="nop" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="0" depid="0" deps="0" hasdep="0"/>
<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="0" deps="1" hasdep="0"/>
</tb></gpu></algo>
)";

Schedule read_for_two(const std::string& text) {
  const Machine machine = built(topology::Kind::kRing, {2});
  Schedule schedule =
      parse_msccl(text, "a.xml", machine.topology, machine.request(Collective::kAllReduce, 64));
  check_schedule(machine.topology, schedule);
  return schedule;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(Msccl, SumsInScratchAreReduces) {
  EXPECT_EQ(messages_of(read_for_two(kScratch)), 2);
}

void expect_refusal(const std::string& text, int line, const std::string& why) {
  try {
    read_for_two(text);
    ADD_FAILURE() << "accepted: " << why;
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.where().line, line) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(Msccl, RejectsFilesWithTheLocation) {
  expect_refusal("<html></html>", 1, "the XML element is <html>");
  expect_refusal("<algo", 1, "not valid XML");
  expect_refusal(replaced(kScratch, "ngpus=\"2\"", "ngpus=\"3\""), 1, "for 3 GPUs");
  expect_refusal(replaced(kScratch, "allreduce", "alltonext"), 1, "'alltonext' is not one of");
  expect_refusal(replaced(kScratch, "type=\"re\"", "type=\"ree\""), 11, "'ree' is not one of");
  expect_refusal(replaced(kScratch, "send=\"0\"", "send=\"-1\""), 15, "its block has send");
  expect_refusal(replaced(kScratch, "send=\"0\"", "send=\"1\""), 13, "send 1 is the GPU itself");
  expect_refusal(replaced(kScratch, "recv=\"0\"", "recv=\"1\""), 9, "recv 1 is the GPU itself");
  expect_refusal(replaced(kScratch, "deps=\"1\"", "deps=\"7\""), 15,
                 "step 7 of thread block 0, which does not exist");
  expect_refusal(replaced(kScratch,
                          "dstbuf=\"s\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" "
                          "hasdep=\"0\"/>\n<step s=\"1\" type=\"re\"",
                          "dstbuf=\"s\" dstoff=\"1\" cnt=\"1\" depid=\"-1\" deps=\"-1\" "
                          "hasdep=\"0\"/>\n<step s=\"1\" type=\"re\""),
                 10, "step 0: accesses chunk 1 of buffer s, but this buffer has 1 chunks at GPU 1");
}

// A number that is just out of range is refused with the line of its element.
TEST(Msccl, RejectsNumbersOutsideTheirRanges) {
  struct Number {
    const char* in;
    const char* instead;
    int line;
    const char* range;
  };
  for (const auto& [in, instead, line, range] :
       {Number{"ngpus=\"2\"", "ngpus=\"1\"", 1, "ngpus of <algo> must be a whole number from 2 to 1048576"},
        {"nchunksperloop=\"1\"", "nchunksperloop=\"0\"", 1,
         "nchunksperloop of <algo> must be a whole number from 1 to"},
        {"nchannels=\"1\"", "nchannels=\"0\"", 1, "nchannels of <algo> must be a whole number from 1 to"},
        {"gpu id=\"1\"", "gpu id=\"2\"", 8, "id of <gpu> must be a whole number from 0 to 1, not '2'"},
        {"i_chunks=\"1\"", "i_chunks=\"-1\"", 3, "i_chunks of <gpu> must be a whole number from 0 to"},
        {"send=\"1\"", "send=\"2\"", 4, "send of <tb> must be a whole number from -1 to 1, not '2'"},
        {"send=\"1\"", "send=\"-2\"", 4, "send of <tb> must be a whole number from -1 to 1, not '-2'"},
        {"recv=\"1\"", "recv=\"2\"", 4, "recv of <tb> must be a whole number from -1 to 1, not '2'"},
        {"chan=\"0\"", "chan=\"1\"", 4, "chan of <tb> must be a whole number from 0 to 0, not '1'"},
        {"cnt=\"1\"", "cnt=\"0\"", 5, "cnt of <step> must be a whole number from 1 to"},
        {"depid=\"-1\"", "depid=\"-2\"", 5, "depid of <step> must be a whole number from -1 to"},
        {"deps=\"1\"", "deps=\"-1\"", 15, "deps of <step> must be a whole number from 0 to"},
        {"hasdep=\"0\"", "hasdep=\"2\"", 5, "hasdep of <step> must be a whole number from 0 to 1"}}) {
    expect_refusal(replaced(kScratch, in, instead), line, range);
  }
}

TEST(Msccl, FindsBlocksThatWaitForEver) {
  const std::string itself = replaced(kScratch, "depid=\"0\" deps=\"0\"", "depid=\"1\" deps=\"1\"");
  expect_refusal(itself, 14, "step 1 of thread block 1, which never signals: write hasdep=\"1\" there");
  expect_refusal(
      replaced(itself, "depid=\"0\" deps=\"1\" hasdep=\"0\"", "depid=\"0\" deps=\"1\" hasdep=\"1\""), 6,
      "waits here forever: message 0 of GPU 1 on channel 0 is never sent");
}

TEST(Msccl, FindsDataThatIsAddedTwice) {
  const std::string step =
      "<step s=\"1\" type=\"re\" srcbuf=\"s\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" "
      "deps=\"-1\" "
      "hasdep=\"1\"/>\n";
  expect_refusal(replaced(kScratch, step, step + replaced(step, "s=\"1\"", "s=\"2\"")), 12,
                 "adds the data of GPU 0 to chunk 0 twice");
}

TEST(Msccl, IsNotWrittenIfChunksAreTooUnequal) {
  const Machine machine = torus({4, 4});
  const Schedule schedule = machine.compile("ring", Collective::kAllReduce, 4 * 100'003);
  EXPECT_THROW(to_msccl(machine.topology, schedule), UnsupportedError);
}

// An all-to-all of three GPUs with two chunks per pair. The chunks from GPU 0 to GPU 2 travel through GPU 1,
// which stores the second of them at `relay`. GPU 2 stores the second chunk at `last`.
std::string exchange(const std::string& relay, const std::string& last) {
  std::string text =
      R"(<algo name="three" proto="Simple" nchannels="1" nchunksperloop="6" ngpus="3" coll="alltoall" inplace="0">)";
  const auto step = [](int number, const std::string& type, const std::string& from, const std::string& to) {
    const auto cell = [](const std::string& name, const std::string& place) {
      return fmt::format("{}buf=\"{}\" {}off=\"{}\" ", name, place.substr(0, 1), name, place.substr(1));
    };
    return fmt::format("<step s=\"{}\" type=\"{}\" {}{}cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"1\"/>\n",
                       number, type, cell("src", from), cell("dst", to));
  };
  const auto block = [](int id, int send, int receive, const std::string& steps) {
    return fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n{}</tb>\n", id, send, receive,
                       steps);
  };
  const auto gpu = [](int id, const std::string& blocks) {
    return fmt::format("<gpu id=\"{}\" i_chunks=\"6\" o_chunks=\"6\" s_chunks=\"2\">\n{}</gpu>\n", id,
                       blocks);
  };
  text += gpu(
      0, block(0, 1, -1, step(0, "s", "i2", "o0") + step(1, "s", "i4", "s0") + step(2, "cpy", "i0", "o0")) +
             block(1, -1, 1, step(0, "r", "i0", "o2")) + block(2, -1, 2, step(0, "r", "i0", "o4")));
  text += gpu(
      1,
      block(0, -1, 0, step(0, "r", "i2", "o0") + step(1, "r", "i4", relay)) +
          block(1, 0, -1, step(0, "s", "i0", "o2") + step(1, "cpy", "i2", "o2")) +
          block(
              2, 2, -1,
              step(0, "s", "i4", "o2") +
                  "<step s=\"1\" type=\"nop\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"0\" "
                  "depid=\"0\" deps=\"1\" hasdep=\"0\"/>\n" +
                  step(2, "s", relay, "o0")) +
          block(3, -1, 2, step(0, "r", "i2", "o4")));
  text += gpu(2, block(0, -1, 1, step(0, "r", "i4", "o2") + step(1, "r", "s0", last)) +
                     block(1, 0, -1, step(0, "s", "i0", "o4") + step(1, "cpy", "i4", "o4")) +
                     block(2, 1, -1, step(0, "s", "i2", "o4")));
  return text + "</algo>\n";
}

Schedule read_exchange(const std::string& text) {
  const Machine machine = built(topology::Kind::kRing, {3});
  return parse_msccl(text, "a.xml", machine.topology,
                     machine.request(Collective::kAllGather, Bytes{4} * 9 * 5));
}

TEST(Msccl, ReadsAllToAllsWithTheBlocksOfAllPairs) {
  EXPECT_EQ(msccl_collective(exchange("s0", "o0"), "a.xml"), "all_to_all");
  const Schedule read = read_exchange(exchange("s0", "o0"));
  EXPECT_EQ(read.flows, 18);
  EXPECT_EQ(messages_of(read), 2 * 7);
  // From GPU 0 to GPU 2, the second chunk (2 of the 5 elements) must leave GPU 1 only after its arrival
  // there.
  int passed_on = 0;
  for (const Table& port : read.nodes[1].ports) {
    port.for_each_entry([&](const TableEntry& entry) {
      if (entry.op == Op::kNop || entry.flow != 5) return;
      EXPECT_EQ(entry.address, 2 * 20 + 12);
      EXPECT_EQ(entry.bytes, 8);
      EXPECT_EQ(entry.dependencies, 1);
      ++passed_on;
    });
  }
  EXPECT_EQ(passed_on, 1);
}

TEST(Msccl, RejectsAllToAllsThatLoseAChunk) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      read_exchange(text);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(complaint(exchange("s0", "s0")),
              HasSubstr("GPU 2: at the end, chunk 0 of buffer o was never written"));
  // The forwarded chunk overwrites the chunk that GPU 0 sent to GPU 1.
  EXPECT_THAT(complaint(exchange("o0", "o0")),
              HasSubstr("GPU 1: at the end, chunk 0 of buffer o contains chunk 4 of GPU 0's input instead of "
                        "chunk 2 of GPU 0's input"));
  EXPECT_THAT(complaint(replaced(exchange("s0", "o0"), "nchunksperloop=\"6\"", "nchunksperloop=\"7\"")),
              HasSubstr("not a multiple of ngpus"));
}

// An all-gather of four GPUs. Each GPU has a sending and a receiving thread block per peer, in ascending
// order of peers.
std::string pairwise() {
  std::string text =
      R"(<algo name="pairs" nchannels="1" nchunksperloop="4" ngpus="4" coll="allgather" inplace="1">)";
  for (int gpu = 0; gpu < 4; ++gpu) {
    text += fmt::format(R"(<gpu id="{}" i_chunks="0" o_chunks="4" s_chunks="0">)", gpu);
    int id = 0;
    const auto block = [&](int send, int receive, const char* type, int chunk) {
      text += fmt::format(
          R"(<tb id="{}" send="{}" recv="{}" chan="0"><step s="0" type="{}" srcbuf="o" srcoff="{}" dstbuf="o" )"
          R"(dstoff="{}" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>)",
          id++, send, receive, type, chunk, chunk);
    };
    for (int peer = 0; peer < 4; ++peer) {
      if (peer == gpu) continue;
      block(peer, -1, "s", gpu);
      block(-1, peer, "r", peer);
    }
    text += "</gpu>";
  }
  return text + "</algo>";
}

TEST(Msccl, ThreadBlocksThatShareAPortSendByDistance) {
  const Machine machine = built(topology::Kind::kSwitch, {4});
  const Schedule schedule =
      parse_msccl(pairwise(), "a.xml", machine.topology, machine.request(Collective::kAllGather, 64));
  EXPECT_EQ(schedule.steps, 1);
  for (NodeId gpu = 0; gpu < 4; ++gpu) {
    const Table& port = schedule.nodes[static_cast<std::size_t>(gpu)].ports[0];
    ASSERT_EQ(port.size(), 3U);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(port.stored()[static_cast<std::size_t>(i)].destination(), (gpu + 1 + i) % 4);
    }
  }
}

}  // namespace
}  // namespace coppice::schedule
