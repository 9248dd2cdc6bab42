#include "workload/model.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_config.h"
#include "workload/scale_sim.h"
#include "workload/text_workload.h"

namespace coppice::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string folder = coppice::testing::shipped_config("workloads");

Model load(const std::string& name) {
  return import_scale_sim(folder + "/" + name + ".csv");
}

TEST(Model, AddsUpItsLayers) {
  Layer layer;
  layer.channels = 10;
  layer.filters = 20;
  layer.ifmap_height = 3;
  const Model model{"two", {layer, layer}};
  EXPECT_EQ(model.parameters(), 400);
  EXPECT_EQ(model.gradient_bytes(), 1600);
  EXPECT_EQ(model.macs(), 1200);
}

TEST(Model, ListsTheTablesOfAFolder) {
  EXPECT_THAT(model_names(folder), ElementsAre("alexnet", "alphagozero", "fasterrcnn", "googlenet", "ncf",
                                               "resnet50", "transformer", "vgg16", "zfnet"));
  EXPECT_THAT(model_names("/nonexistent"), IsEmpty());
}

// The number of weights (without biases and normalization) and of multiply-accumulates per sample. An
// independent program computed them from the architectures in the papers.
struct Published {
  const char* name;
  std::size_t layers;
  std::int64_t parameters;
  std::int64_t macs;
};

class PublishedModel : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedModel, HasTheSizeOfItsArchitecture) {
  const Model model = load(GetParam().name);
  EXPECT_EQ(model.name, GetParam().name);
  EXPECT_EQ(model.layers.size(), GetParam().layers);
  EXPECT_EQ(model.parameters(), GetParam().parameters);
  EXPECT_EQ(model.macs(), GetParam().macs);
}

INSTANTIATE_TEST_SUITE_P(Tables, PublishedModel,
                         ::testing::Values(Published{"alexnet", 8, 60'954'656, 724'406'816},
                                           Published{"alphagozero", 44, 22'807'284, 8'105'976'564},
                                           Published{"fasterrcnn", 46, 13'258'944, 4'054'020'096},
                                           Published{"googlenet", 58, 6'990'272, 1'582'671'872},
                                           Published{"ncf", 8, 6'612'184, 2'704},
                                           Published{"resnet50", 54, 25'502'912, 3'857'973'248},
                                           Published{"transformer", 134, 62'984'192, 2'034'368'512},
                                           Published{"vgg16", 16, 138'344'128, 15'470'264'320},
                                           Published{"zfnet", 8, 62'347'040, 1'168'032'896}),
                         [](const auto& test) { return std::string(test.param.name); });

// The size of a table for one of Themis' workloads. `published` is the published number of parameters, which
// includes biases, normalization and trained embeddings.
struct ThemisTable {
  const char* name;
  std::size_t layers;
  std::int64_t parameters;
  std::int64_t macs;
  double published;
  double within;
};

class ThemisModel : public ::testing::TestWithParam<ThemisTable> {};

TEST_P(ThemisModel, HasTheSizeOfItsArchitecture) {
  const Model model = load(std::string("themis/") + GetParam().name);
  EXPECT_EQ(model.layers.size(), GetParam().layers);
  EXPECT_EQ(model.parameters(), GetParam().parameters);
  EXPECT_EQ(model.macs(), GetParam().macs);
  EXPECT_NEAR(static_cast<double>(model.parameters()) / GetParam().published, 1, GetParam().within);
}

// The text workloads contain the gradients of the tables as FP16, divided among the accelerators that share a
// model.
TEST_P(ThemisModel, GivesItsGradientsToTheTextWorkload) {
  const std::string name = GetParam().name;
  const TextWorkload text = import_text_workload(folder + "/themis/" + name + ".txt");
  Bytes bytes = 0;
  for (const TextLayer& layer : text.layers) bytes += layer.weight_gradient.communication.bytes;
  std::int64_t parameters = 0;
  for (const Layer& layer : load("themis/" + name).layers) {
    const bool elsewhere = text.parallelism == Parallelism::kDlrm && layer.kind == LayerKind::kEmbedding;
    if (!elsewhere) parameters += layer.parameters();
  }
  EXPECT_EQ(bytes * std::max(text.model_group, 1), 2 * parameters);
}

INSTANTIATE_TEST_SUITE_P(Tables, ThemisModel,
                         ::testing::Values(ThemisTable{"resnet152", 156, 60'040'384, 11'282'415'616, 60.2e6,
                                                       0.005},
                                           ThemisTable{"gnmt", 24, 280'756'224, 6'889'144'320, 278e6, 0.015},
                                           // No size is published for this model; see the table's comments.
                                           ThemisTable{"dlrm", 21, 371'478'500, 205'078'500, 371'478'500, 0},
                                           ThemisTable{"transformer_1t", 768, 1'006'632'960'000,
                                                       2'089'072'092'774'400, 1.008e12, 0.002}),
                         [](const auto& test) { return std::string(test.param.name); });

// Convolutions preserve the size of the board, so each layer's output has the size of its input.
TEST(Model, AlphaGoZeroKeepsTheBoard) {
  for (const Layer& layer : load("alphagozero").layers) {
    EXPECT_EQ(layer.output_height(), layer.ifmap_height) << layer.name;
    EXPECT_EQ(layer.output_width(), layer.ifmap_width) << layer.name;
  }
}

// Table 1 of the GoogLeNet paper gives each module's weights in thousands. The model agrees to within 2%.
TEST(Model, GoogLeNetModulesHaveThePublishedWeights) {
  const Model model = load("googlenet");
  const auto weights = [&](const std::string& prefix) {
    std::int64_t sum = 0;
    for (const Layer& layer : model.layers) {
      if (layer.name.starts_with(prefix)) sum += layer.parameters();
    }
    return static_cast<double>(sum) / 1024;
  };
  EXPECT_NEAR(weights("inception3a"), 159, 0.02 * 159);
  EXPECT_NEAR(weights("inception3b"), 380, 0.02 * 380);
  EXPECT_NEAR(weights("inception4e"), 840, 0.02 * 840);
  EXPECT_NEAR(weights("inception5b"), 1388, 0.02 * 1388);
}

}  // namespace
}  // namespace coppice::workload
