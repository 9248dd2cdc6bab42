#include "schedule/tables/detour_nodes.h"

#include <gmock/gmock.h>

#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Fig. 15 of the paper: accelerator 0 forwards the messages 2->4, and accelerator 1 the messages 3->5.
TEST(Forwarders, AreTheDetourNodesOfThePaper) {
  const Machine machine = dgx1();
  CompileRequest request = machine.request(Collective::kAllReduce, 1024);
  request.trees = TreePlacement::kCcube;
  EXPECT_THAT(forwarders(machine.topology, make_compiler("double_tree")->compile(machine.topology, request)),
              ElementsAre(0, 1));
  request.trees = TreePlacement::kEmbedded;
  EXPECT_THAT(forwarders(machine.topology, make_compiler("double_tree")->compile(machine.topology, request)),
              IsEmpty());
}

TEST(Forwarders, DoNotExistInARing) {
  const Machine machine = dgx1();
  EXPECT_THAT(forwarders(machine.topology, machine.compile("ring", Collective::kAllReduce, 1024)), IsEmpty());
}

}  // namespace
}  // namespace coppice::schedule
