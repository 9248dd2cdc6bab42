#include "system/program/lone_collective.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

workload::Program program_of(const std::vector<std::string>& overrides) {
  std::vector<std::string> keys{"collective.algorithm=ring", "collective.size=1 KiB"};
  keys.insert(keys.end(), overrides.begin(), overrides.end());
  return make_lone_collective(load_system("torus_4x4", keys));
}

TEST(LoneCollective, IsAProgramOfOneOperationEach) {
  const workload::Program program =
      program_of({"collective.op=reduce_scatter", "collective.group=[9, 2, 5]"});
  EXPECT_NO_THROW(workload::check_program(program));
  EXPECT_THAT(program.placement, ElementsAre(9, 2, 5));
  ASSERT_THAT(program.collectives, SizeIs(1));
  EXPECT_EQ(program.collectives[0].op, workload::CollectiveOp::kReduceScatter);
  EXPECT_EQ(program.collectives[0].bytes, 1024);
  EXPECT_THAT(program.groups[0].ranks, ElementsAre(0, 1, 2));
  for (const auto& rank : program.ranks) EXPECT_THAT(rank.operations, SizeIs(1));
}

TEST(LoneCollective, IncludesAllAcceleratorsByDefault) {
  const workload::Program program = program_of({"collective.op=all_to_all"});
  EXPECT_THAT(program.placement, SizeIs(16));
  EXPECT_EQ(program.collectives[0].op, workload::CollectiveOp::kAllToAll);
}

// A configuration gives the root as an accelerator; a program needs its index in the group.
TEST(LoneCollective, FindsItsRootInTheGroup) {
  const std::vector<std::string> broadcast{"collective.algorithm=multitree", "collective.op=broadcast",
                                           "collective.group=[9, 2, 5]"};
  const auto with_root = [&](const std::string& root) {
    auto keys = broadcast;
    keys.push_back("collective.root=" + root);
    return program_of(keys);
  };
  EXPECT_EQ(with_root("5").collectives[0].root, 2);
  EXPECT_THAT(
      [&] { with_root("4"); },
      ThrowsMessage<ConfigError>(HasSubstr("collective.root: accelerator 4 is not in collective.group")));
}

TEST(LoneCollective, RejectsMembersThatDoNotExist) {
  EXPECT_THAT(
      [] { program_of({"collective.group=[1, 16]"}); },
      ThrowsMessage<ConfigError>(HasSubstr("accelerator 16 does not exist: the accelerators are 0 to 15")));
  EXPECT_THAT([] { program_of({"collective.group=[1, 3, 1]"}); },
              ThrowsMessage<ConfigError>(HasSubstr("accelerator 1 appears twice")));
}

}  // namespace
}  // namespace coppice::system
