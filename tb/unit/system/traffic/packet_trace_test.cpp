#include "system/traffic/packet_trace.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A temporary trace file.
class TraceFile {
 public:
  explicit TraceFile(const std::string& text) : path_(folder_.file("trace")) { std::ofstream(path_) << text; }
  const std::string& path() const { return path_; }
  std::vector<TracePacket> read() const { return read_packet_trace(path_, 16, 16, 3); }
  std::string complaint() const {
    try {
      read();
    } catch (const ConfigError& error) {
      return std::string(error.what()).substr(path_.size() + 1);
    }
    return "accepted";
  }

 private:
  TemporaryDirectory folder_;
  std::string path_;
};

TEST(PacketTrace, ReadsTheOutputOfNetrace) {
  const auto packets = TraceFile(
                           "# a read and its answer\n"
                           "  ID:7 CYC:20 SRC:1 DST:5 ADR:0x0000beef TYP:ReadReq NDEP:2 9 11\n\n"
                           "ID:9 CYC:10 SRC:5 DST:1 TYP:ReadResp NDEP:0\n"
                           "CYC:3 SRC:0 DST:15\n"
                           "ID:11 CYC:30 SRC:5 DST:2 FLITS:6 TYP:ReadResp NDEP:0\n")
                           .read();
  ASSERT_EQ(packets.size(), 4U);
  EXPECT_EQ(packets[0].at, 20);
  EXPECT_EQ(packets[0].flits, 1);
  EXPECT_THAT(packets[0].releases, ElementsAre(1, 3));
  EXPECT_EQ(packets[1].flits, 5);  // 72 B and a head flit, in flits of 16 B
  EXPECT_EQ(packets[1].waits_for, 1);
  EXPECT_EQ(packets[2].flits, 3);
  EXPECT_EQ(packets[3].flits, 6);
}

TEST(PacketTrace, LocatesMistakes) {
  const auto complaint = [](const std::string& text) { return TraceFile(text).complaint(); };
  EXPECT_THAT(complaint(""), HasSubstr("contains no packets"));
  EXPECT_THAT(complaint("\nCYC:1 SRC:0 DST:16\n"),
              HasSubstr("2:1: '16' is not a valid accelerator: write a whole number from 0 to 15"));
  EXPECT_THAT(complaint("CYC:1 SRC:0\n"), HasSubstr("a packet needs DST"));
  EXPECT_THAT(complaint("10 0 5\n"), HasSubstr("'10': write a packet as Netrace prints it"));
  EXPECT_THAT(complaint("CYC:1 SRC:0 DST:1 TYP:Nothing\n"), HasSubstr("not a Netrace packet type"));
  EXPECT_THAT(complaint("ID:1 CYC:1 SRC:0 DST:1 NDEP:1\n"),
              HasSubstr("NDEP:1 must be followed by 1 numbers, not 0"));
  EXPECT_THAT(complaint("ID:1 CYC:1 SRC:0 DST:1 NDEP:1 8\n"), HasSubstr("but does not exist"));
  EXPECT_THAT(complaint("ID:1 CYC:1 SRC:0 DST:1\nID:1 CYC:2 SRC:0 DST:1\n"), HasSubstr("appears twice"));
  EXPECT_THAT(complaint("ID:1 CYC:1 SRC:0 DST:1 NDEP:1 2\nID:2 CYC:1 SRC:1 DST:0 NDEP:1 1\n"),
              HasSubstr("1:1: this packet depends on itself through other packets"));
}

TEST(Permutation, HasATargetForEverySource) {
  const auto read = [](const std::string& text) {
    const TraceFile file(text);
    try {
      return ::testing::PrintToString(read_permutation(file.path(), 3));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(read("2 0\n0 1 # back\n1 1\n"), "{ 1, 1, 0 }");
  EXPECT_THAT(read("0 1\n2 0\n"), HasSubstr("no line for source 1"));
  EXPECT_THAT(read("0 1\n0 2\n"), HasSubstr("source 0 appears twice"));
  EXPECT_THAT(read("0 3\n"), HasSubstr("'3' is not a valid accelerator: write a whole number from 0 to 2"));
  EXPECT_THAT(read("0\n"), HasSubstr("'source target'"));
}

// A chain of dependent packets across the machine. Each packet leaves in the cycle after the previous one has
// arrived.
TEST(TraceTraffic, SendsPacketsAfterTheirDependencies) {
  const TraceFile file(
      "ID:1 CYC:100 SRC:0 DST:1 FLITS:1 NDEP:1 2\n"
      "ID:2 CYC:0 SRC:1 DST:0 FLITS:4 NDEP:1 3\n"
      "ID:3 CYC:500 SRC:63 DST:0 FLITS:1 NDEP:0\n");
  TrafficOptions traffic;
  traffic.trace = file.path();
  const auto result = run_synthetic("mesh_8x8_booksim", traffic);
  EXPECT_EQ(result["packets_measured"], 3);
  // The latency is 5 cycles per router, plus 2, plus one cycle for every flit after the first.
  const double neighbour = 5 * 2 + 2;
  const double across = 5 * 15 + 2;
  EXPECT_NEAR(result["packet_latency_mean"].get<double>(), (neighbour + neighbour + 3 + across) / 3, 1e-9);
  EXPECT_EQ(result["cycles"], 500 + across);
  EXPECT_FALSE(result["saturated"]);
}

}  // namespace
}  // namespace coppice::system
