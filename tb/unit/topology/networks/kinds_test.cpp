#include "topology/networks/kinds.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<int> dims_of(Kind kind) {
  switch (kind) {
    case Kind::kTorus:
    case Kind::kMesh:
    case Kind::kFatTree:
      return {2, 3};
    case Kind::kHyperx:
      return {2, 3};
    case Kind::kClos:
    case Kind::kDragonfly:
      return {4, 3, 2};
    case Kind::kBigraph:
      return {2, 4};
    default:
      return {5};
  }
}

TEST(Builders, ExistForEveryKind) {
  for (const KindInfo& info : topology_kinds()) {
    EXPECT_EQ(info.name, to_string(info.kind));
    EXPECT_EQ(find_kind(info.name)->kind, info.kind);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_EQ(find_kind("hypercube"), nullptr);
}

TEST(Builders, AcceptOneLinkForAllLevelsOrOneForEach) {
  for (const KindInfo& info : topology_kinds()) {
    if (info.dims.empty()) continue;
    const std::vector<int> dims = dims_of(info.kind);
    const std::size_t levels = num_link_levels(info.kind, dims);
    EXPECT_EQ(make_topology(info.kind, dims, sample_links(1)).kind(), info.kind);
    EXPECT_EQ(make_topology(info.kind, dims, sample_links(levels)).dims(), dims);
    EXPECT_THROW(make_topology(info.kind, dims, sample_links(levels + 1)), UnsupportedError) << info.name;
    EXPECT_THROW(make_topology(info.kind, dims, {}), UnsupportedError) << info.name;
  }
}

TEST(Builders, CountLinkLevels) {
  EXPECT_EQ(num_link_levels(Kind::kTorus, std::vector{4, 4, 4}), 3);
  EXPECT_EQ(num_link_levels(Kind::kFatTree, std::vector{4, 3}), 3);
  EXPECT_EQ(num_link_levels(Kind::kFatTree, std::vector{8, 2, 0}), 2);
  EXPECT_EQ(num_link_levels(Kind::kBigraph, std::vector{4, 8}), 2);
  EXPECT_EQ(num_link_levels(Kind::kSwitch, std::vector{4}), 1);
}

TEST(Builders, DoNotBuildFiles) {
  EXPECT_THAT([] { sample(Kind::kFile, {4}); },
              ThrowsMessage<UnsupportedError>(HasSubstr("does not use dims")));
}

}  // namespace
}  // namespace coppice::topology
