#include "accelerator/split.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_layer.h"

namespace coppice::accelerator {
namespace {

using workload::Layer;
using workload::LayerKind;
using workload::Pass;

// Under any split, the PEs together perform exactly the layer's multiplications.
RC_GTEST_PROP(Split, DividesTheWorkWithoutRemainder, ()) {
  const Layer layer = any_layer();
  const std::int64_t batch = *rc::gen::inRange(1, 20);
  const int pes = *rc::gen::inRange(1, 20);
  for (const Split split : splits()) {
    for (const Pass pass : {Pass::kForward, Pass::kInputGradient, Pass::kWeightGradient}) {
      const Share part = share(layer, pass, batch, pes, split);
      RC_ASSERT(part.active() <= pes);
      RC_ASSERT(part.full >= 1);
      std::int64_t macs = part.full * gemm(part.layer, pass, part.samples).macs();
      if (part.smaller > 0) {
        const std::int64_t rest = gemm(part.smaller_layer, pass, part.smaller_samples).macs();
        RC_ASSERT(rest <= gemm(part.layer, pass, part.samples).macs());
        macs += part.smaller * rest;
      }
      RC_ASSERT(macs == gemm(layer, pass, batch).macs());
    }
  }
}

TEST(Split, DividesSamplesRowsColumnsAndFilters) {
  Layer layer;
  layer.ifmap_height = layer.ifmap_width = 10;
  layer.filter_height = layer.filter_width = 3;
  layer.channels = 8;
  layer.filters = 20;
  const auto part = [&](Split split, Pass pass = Pass::kForward) { return share(layer, pass, 5, 4, split); };
  EXPECT_EQ(part(Split::kBatch).samples, 2);
  EXPECT_EQ(part(Split::kBatch).smaller_samples, 1);
  EXPECT_EQ(part(Split::kBatch).active(), 3);
  EXPECT_EQ(part(Split::kRows).layer.output_height(), 2);
  EXPECT_EQ(part(Split::kRows).layer.input_rows(), 4);
  EXPECT_EQ(part(Split::kColumns).layer.output_width(), 2);
  EXPECT_EQ(part(Split::kFilters).layer.filters, 5);
  EXPECT_EQ(part(Split::kFilters, Pass::kInputGradient).layer.channels, 2);
  EXPECT_EQ(part(Split::kFilters, Pass::kInputGradient).layer.filters, 20);
}

TEST(Split, DeterminesSharedReadsAndPartialSums) {
  Layer layer;
  layer.ifmap_height = 10;
  layer.channels = 8;
  layer.filters = 20;
  EXPECT_TRUE(share(layer, Pass::kForward, 4, 4, Split::kBatch).shares_weight);
  EXPECT_TRUE(share(layer, Pass::kForward, 4, 4, Split::kFilters).shares_input);
  EXPECT_TRUE(share(layer, Pass::kWeightGradient, 4, 4, Split::kRows).partial_sums);
  EXPECT_FALSE(share(layer, Pass::kWeightGradient, 1, 4, Split::kBatch).partial_sums);
  EXPECT_FALSE(share(layer, Pass::kWeightGradient, 4, 4, Split::kFilters).partial_sums);
  layer.kind = LayerKind::kMatmul;
  EXPECT_FALSE(share(layer, Pass::kForward, 4, 4, Split::kBatch).shares_weight);
  EXPECT_FALSE(share(layer, Pass::kWeightGradient, 4, 4, Split::kBatch).partial_sums);
  EXPECT_TRUE(share(layer, Pass::kWeightGradient, 4, 4, Split::kRows).partial_sums);
}

TEST(Split, AssignsGroupsToPesAndPesToGroups) {
  Layer layer;
  layer.channels = layer.filters = layer.groups = 10;
  EXPECT_EQ(share(layer, Pass::kForward, 1, 4, Split::kFilters).layer.groups, 3);
  EXPECT_EQ(share(layer, Pass::kForward, 1, 4, Split::kFilters).smaller_layer.groups, 1);
  layer.groups = 2;
  const Share cut =
      share(layer, Pass::kForward, 1, 5, Split::kFilters);  // two PEs for each group of 5 filters
  EXPECT_EQ(cut.layer.groups, 1);
  EXPECT_EQ(cut.layer.filters, 3);
  EXPECT_EQ(cut.smaller_layer.filters, 2);
  EXPECT_EQ(cut.active(), 4);
  EXPECT_EQ(cut.copies, 2);
}

TEST(Split, HasNames) {
  EXPECT_EQ(parse_split("best"), Split::kBest);
  EXPECT_EQ(parse_split("columns"), Split::kColumns);
  EXPECT_THROW(parse_split("diagonals"), std::invalid_argument);
  EXPECT_THROW(share(Layer{}, Pass::kForward, 1, 1, Split::kBest), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::accelerator
