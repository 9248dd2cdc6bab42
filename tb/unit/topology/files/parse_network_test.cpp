#include "topology/files/parse_network.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr GraphFileDefaults kDefaults{.link = kSampleLink, .cycle = kFemtosecondsPerNanosecond};

TEST(ParseNetwork, DistinguishesTheFormats) {
  const auto nodes = [](const std::string& text) {
    return parse_network(text, "f", kDefaults).topology.num_nodes();
  };
  EXPECT_EQ(nodes("# ours\naccelerators 2\nlink 0 -- 1\n"), 2);
  EXPECT_EQ(nodes("\nrouter 0 node 0 router 1\nrouter 1 node 1\n"), 2);
  EXPECT_EQ(nodes("node 0 router 7\n"), 1);
  EXPECT_EQ(nodes("<graphml><graph><node id='a'/></graph></graphml>"), 1);
  EXPECT_EQ(nodes("strict graph { a -- b }"), 2);
  EXPECT_EQ(nodes("2 0 1\n0 1 1Gbps 1ns 0\n"), 2);
  EXPECT_EQ(nodes("1\nSrc,Dest,Latency (ns),Bandwidth (GB/s)\n"), 1);
}

TEST(ParseNetwork, LocatesMistakesInTheFile) {
  EXPECT_THAT([] { parse_network("accelerators 2\nlonk 0 -- 1\n", "f", kDefaults); },
              ThrowsMessage<ConfigError>(StartsWith("f:2:1: unknown statement 'lonk'")));
  EXPECT_THAT([] { parse_network("", "f", kDefaults); }, ThrowsMessage<ConfigError>(StartsWith("f:1:1: ")));
  EXPECT_THAT(
      [] { parse_network("<svg/>", "f", kDefaults); },
      ThrowsMessage<ConfigError>(HasSubstr("this XML is neither GraphML nor a topology that NCCL dumped")));
}

}  // namespace
}  // namespace coppice::topology
