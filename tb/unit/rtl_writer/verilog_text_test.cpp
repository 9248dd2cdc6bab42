#include "rtl_writer/verilog_text.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "small_design.h"

namespace coppice::rtl_writer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::SmallDesign;

int count(std::string_view text, std::string_view what) {
  int found = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(FillIn, ReplacesEveryMark) {
  EXPECT_EQ(fill_in("@A@ and @B@, @A@", {{"A", "1"}, {"B", "@A@"}}), "1 and @A@, 1");
}

TEST(NetworkText, HasATileForEachAcceleratorAndALinkForEachChannel) {
  const SmallDesign small;
  const std::string text = network_text(small.design(), shape_of(small.design()));
  EXPECT_EQ(count(text, "lite_tile #("), 4);
  EXPECT_EQ(count(text, "switch #("), 0);
  EXPECT_EQ(count(text, "  link #("), 16);  // two in each direction between each pair of neighbours
  EXPECT_EQ(count(text, ".LATENCY(8)"), 16);
  EXPECT_THAT(text, Not(HasSubstr("@")));
}

TEST(NetworkText, HasSwitches) {
  const SmallDesign small({"system.topology.kind=fat_tree", "system.topology.dims=[2, 2, 0]"});
  const std::string text = network_text(small.design(), shape_of(small.design()));
  EXPECT_EQ(count(text, "lite_tile #("), 4);
  EXPECT_EQ(count(text, "  switch #("), 2);
  EXPECT_EQ(count(text, "  link #("), static_cast<int>(small.design().topology.channels().size()));
}

TEST(ParametersText, StatesTheModelsCycles) {
  const SmallDesign small;
  EXPECT_THAT(parameters_text(small.design(), shape_of(small.design()), 7, 365),
              HasSubstr("localparam MODEL_CYCLES = 365;"));
}

}  // namespace
}  // namespace coppice::rtl_writer
