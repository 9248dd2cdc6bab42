#include "schedule/files/tacos_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;

// An all-gather on a ring of three in which each link of one direction forwards two chunks.
constexpr const char* kRing =
    "NPUs Count,3\nLinks Count,6\nChunks Count,3\nChunk Size,1024,B\nCollective Time,10,ns\n"
    "SrcID,DestID,Latency (ns),Bandwidth (GB/s),Chunks\n"
    "0,1,500,50,0,2\n1,2,500,50,1,0\n2,0,500,50,2,1\n1,0,500,50,None\n2,1,500,50,None\n0,2,500,50,None\n";

Schedule read_for_three(const std::string& text, Collective collective) {
  const Machine machine = built(topology::Kind::kRing, {3});
  Schedule schedule = parse_tacos(text, "t.csv", machine.topology, machine.request(collective, 3072));
  check_schedule(machine.topology, schedule);
  return schedule;
}

TEST(Tacos, AnAllGatherIsReadAsAnyCollective) {
  EXPECT_EQ(read_for_three(kRing, Collective::kAllGather).steps, 2);
  EXPECT_EQ(read_for_three(kRing, Collective::kReduceScatter).steps, 2);
  EXPECT_EQ(read_for_three(kRing, Collective::kAllReduce).steps, 4);
}

TEST(Tacos, RoundTripsAreProven) {
  for (const Machine& machine : {torus({4, 4}), mesh({3, 3}), dgx1()}) {
    const Bytes size = 64 * machine.topology.num_accelerators();
    const Schedule schedule = machine.compile("multitree", Collective::kAllGather, size);
    const std::string text = to_tacos(machine.topology, schedule);
    const Schedule read =
        parse_tacos(text, "t.csv", machine.topology, machine.request(Collective::kAllGather, size));
    check_schedule(machine.topology, read);
    EXPECT_EQ(to_tacos(machine.topology, read), text) << machine.topology.name();
  }
}

void expect_refusal(std::string text, const std::string& what, const std::string& with,
                    const std::string& why) {
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  try {
    read_for_three(text.replace(at, what.size(), with), Collective::kAllGather);
    ADD_FAILURE() << "accepted: " << why;
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(Tacos, RejectsFilesWithTheLine) {
  expect_refusal(kRing, "2,0,500,50,2,1", "2,0,500,50,1", "t.csv:7:1: chunk 2 never reaches NPU 0");
  expect_refusal(kRing, "1,2,500,50,1,0", "1,2,500,50,1", "NPU 2 never receives chunk 0");
  expect_refusal(kRing, "NPUs Count,3", "NPUs Count,4", "for 4 NPUs");
  expect_refusal(kRing, "SrcID", "Source", "is missing");
  expect_refusal(kRing, "0,2,500,50,None", "0,1,500,50,None", "has no link 2 from 0 to 1");
}

TEST(Tacos, IsWrittenOnlyForAllGathersOverLinks) {
  const Machine machine = torus({4, 4});
  EXPECT_THROW(to_tacos(machine.topology, machine.compile("ring", Collective::kAllReduce, 4096)),
               UnsupportedError);
  EXPECT_THROW(to_tacos(machine.topology, machine.compile("direct", Collective::kAllGather, 4096)),
               UnsupportedError);
}

}  // namespace
}  // namespace coppice::schedule
