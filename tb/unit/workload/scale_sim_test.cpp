#include "workload/scale_sim.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "sample_table.h"

namespace coppice::workload {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string header =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

Model import(const std::string& content) {
  const SampleTable table(content);
  return import_scale_sim(table.path());
}

// Requires that `content` is refused with `message`, which begins with line and column after the file's name.
void expect_refused(const std::string& content, const std::string& message) {
  const SampleTable table(content);
  EXPECT_THAT([&] { import_scale_sim(table.path()); },
              ThrowsMessage<ConfigError>(HasSubstr(table.path() + message)))
      << content;
}

TEST(ScaleSim, ReadsALayer) {
  const Model model = import(header + "Conv1, 224, 200, 7, 5, 3, 64, 2,\n");
  ASSERT_EQ(model.layers.size(), 1U);
  const Layer& layer = model.layers[0];
  EXPECT_EQ(layer.name, "Conv1");
  EXPECT_EQ(layer.kind, LayerKind::kConvolution);
  EXPECT_EQ(layer.ifmap_height, 224);
  EXPECT_EQ(layer.ifmap_width, 200);
  EXPECT_EQ(layer.filter_height, 7);
  EXPECT_EQ(layer.filter_width, 5);
  EXPECT_EQ(layer.channels, 3);
  EXPECT_EQ(layer.filters, 64);
  EXPECT_EQ(layer.stride_height, 2);
  EXPECT_EQ(layer.stride_width, 2);
  EXPECT_EQ(layer.padding, 0);
  EXPECT_EQ(layer.groups, 1);
}

TEST(ScaleSim, AcceptsCommonOddities) {
  // The table contains a blank row after the header, a title, tabs and spaces, a space after the last comma,
  // and a quotation mark in a name.
  const Model model = import(header +
                             "\n"
                             "Some Network (as published),\n"
                             "Q,1, 1, 1, 1, 512 ,64, 1, \n"
                             "  ,,,\n"
                             "QxK', 1,\t64, 1, 1, 1, 64, 1,\n"
                             "Second part\r\n"
                             "FC6, 1, 1, 1, 1, 2048, 1000, 1");
  ASSERT_EQ(model.layers.size(), 3U);
  EXPECT_EQ(model.layers[0].channels, 512);
  EXPECT_EQ(model.layers[1].name, "QxK'");
  EXPECT_EQ(model.layers[1].ifmap_width, 64);
  EXPECT_EQ(model.layers[2].filters, 1000);
}

TEST(ScaleSim, TreatsCellsAfterAHashAsComments) {
  const Model model = import(header + "# of 4K frames, 1, 2\nConv2_dw, 9, 9, 3, 3, 1, 1, 2,#dw\n#a\n");
  ASSERT_EQ(model.layers.size(), 1U);
  EXPECT_EQ(model.layers[0].stride_width, 2);
}

TEST(ScaleSim, AcceptsTabsInPlaceOfCommas) {
  std::string table = header + "Conv1, 224, 200, 7, 5, 3, 64, 2,\n";
  const Model expected = import(table);
  std::replace(table.begin(), table.end(), ',', '\t');
  EXPECT_EQ(import(table).layers, expected.layers);
}

TEST(ScaleSim, AcceptsOtherHeadersAndNone) {
  const std::string row = "a, 8, 8, 3, 3, 2, 4, 1,\n";
  const auto layers = import(header + row).layers;
  EXPECT_EQ(import(row).layers, layers);
  EXPECT_EQ(
      import("A title\nLAYER_NAME,IFMAP_H,IFMAP_W,Filter H,Filter W,Channels,Num Filters,Stride\n" + row)
          .layers,
      layers);
  EXPECT_EQ(import("Num Filter,Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Strides\n"
                   "4,a,8,8,3,3,2,1\n")
                .layers,
            layers);
}

TEST(ScaleSim, ReadsGemmTables) {
  const Model model = import("Layer, M, N, K,\nfc, 100, 30, 70,\n");
  ASSERT_EQ(model.layers.size(), 1U);
  EXPECT_EQ(gemm(model.layers[0], Pass::kForward, 1), (Gemm{100, 70, 30}));
}

// Large models have projections of up to 2^44.8 multiply-accumulates over the tokens of a batch.
TEST(ScaleSim, AcceptsLayersOfLargeModels) {
  const Model model = import("Layer, M, N, K\nmlp,131072,28672,8192\n");
  EXPECT_EQ(gemm(model.layers.at(0), Pass::kForward, 1), (Gemm{131072, 8192, 28672}));
}

// A table with four columns contains products, whatever its headers are, even if it has none.
TEST(ScaleSim, ReadsGemmTablesByPosition) {
  const auto layers = import("Layer, M, N, K,\nA,256,768,512,\n").layers;
  EXPECT_EQ(import("L,M,N,K,\nA,256,768,512,\n").layers, layers);
  EXPECT_EQ(import("name,rows,columns,depth\nA,256,768,512,\n").layers, layers);
  EXPECT_EQ(import("A,256,768,512\n").layers, layers);
  EXPECT_EQ(import("Name,K,N,M\nA,512,768,256\n").layers, layers);
  const Model more = import("L,M,N,K,note\nA,256,768,512,7\n");
  EXPECT_EQ(more.layers, layers);
  EXPECT_THAT(more.warnings.at(0), HasSubstr(":1:9: warning: the column 'note' is ignored"));
  expect_refused("Nr, IFMAP Height, Channels, Num Filter\n", ":1:1: 'Nr' is not a known column");
}

TEST(ScaleSim, ReadsTheOptionalColumns) {
  const Model model = import(
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Stride Height, Stride Width, Padding, Groups, Kind,\n"
      "conv, 8, 8, 3, 3, 4, 8, 1, 2, 1, 2,\n"
      "table, 2, 1, 1, 1, 1000, 8, 1, 1, , , embedding\n"
      "scores, 4, 1, 1, 1, 6, 4, 1, 1, 0, 2, matmul\n");
  ASSERT_EQ(model.layers.size(), 3U);
  EXPECT_EQ(model.layers[0].stride_height, 1);
  EXPECT_EQ(model.layers[0].stride_width, 2);
  EXPECT_EQ(model.layers[0].padding, 1);
  EXPECT_EQ(model.layers[0].groups, 2);
  EXPECT_EQ(model.layers[1].kind, LayerKind::kEmbedding);
  EXPECT_EQ(model.layers[2].kind, LayerKind::kMatmul);
}

TEST(ScaleSim, ReadsColumnsAfterTheStridesByPosition) {
  const Model model = import(header +
                             "strides, 8, 8, 3, 3, 4, 8, 1, 2,\n"
                             "sparse, 8, 8, 1, 1, 6, 8, 1, 2:4,\n"
                             "both, 8, 8, 1, 1, 5, 8, 1, 3, 1:4,\n"
                             "all, 8, 8, 1, 1, 5, 8, 1, 3, 1:4, 16\n"
                             "batch, 8, 8, 1, 1, 5, 8, 1, 1, , 4,\n");
  ASSERT_EQ(model.layers.size(), 5U);
  EXPECT_EQ(model.layers[0].stride_width, 2);
  EXPECT_EQ(model.layers[0].stride_height, 1);
  EXPECT_EQ(model.layers[1].stride_width, 1);
  EXPECT_EQ(gemm(model.layers[1], Pass::kForward, 1), (Gemm{64, 3, 8}));
  EXPECT_EQ(gemm(model.layers[2], Pass::kForward, 1), (Gemm{24, 2, 8}));
  EXPECT_EQ(gemm(model.layers[3], Pass::kForward, 1), (Gemm{16 * 24, 2, 8}));
  EXPECT_EQ(model.layers[3].parameters(), 16);
  EXPECT_EQ(gemm(model.layers[4], Pass::kForward, 2), (Gemm{8 * 64, 5, 8}));
  expect_refused(header + "a, 8, 8, 3, 3, 2, 4, 1, 4:2,\n", ":2:25: Sparsity of 4:2: N must not exceed M");
  expect_refused(header + "a, 8, 8, 3, 3, 2, 4, 1, x:2,\n", ":2:25: Sparsity must be a whole number");
}

// Published tables have headers with repeated words, empty cells or additional columns.
TEST(ScaleSim, ReadsHeadersWhoseWordsDoNotMatter) {
  const auto layers = import(header + "a, 8, 6, 3, 3, 2, 4, 1,\n").layers;
  EXPECT_EQ(
      import("Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
             "a,8,6,3,3,2,4,1\n")
          .layers,
      layers);
  const Model model = import(
      "Layer name, IFMAP Height, , Filter Height, Filter Width, Channels, Num Filter, Strides,,,Eh\n"
      ",,,,,,,,,,\n"
      "a,8,6,3,3,2,4,1,,,110\n");
  EXPECT_EQ(model.layers, layers);
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_THAT(model.warnings[0], HasSubstr(":1:90: warning: the column 'Eh' is ignored"));
}

TEST(ScaleSim, ComputesLayersNamedDpChannelByChannel) {
  const Layer layer = import(header + "Conv2_DP, 10, 10, 3, 3, 32, 1, 1,\n").layers[0];
  EXPECT_EQ(gemm(layer, Pass::kForward, 1), (Gemm{64, 9, 1, 32}));
}

TEST(ScaleSim, ReadsEveryKindAndDilation) {
  const std::string wide =
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides, "
      "Kind, "
      "Dilation\n";
  const Model model = import(wide +
                             "dilated, 9, 9, 3, 3, 4, 8, 1, conv, 2\n"
                             "relu, 8, 8, 1, 1, 4, 4, 1, elementwise\n"
                             "shortcut, 8, 8, 1, 1, 4, 4, 1, add\n"
                             "norm, 8, 8, 1, 1, 4, 4, 1, normalization\n"
                             "pool, 8, 8, 2, 2, 4, 4, 2, pooling\n"
                             "attention, 8, 1, 1, 1, 16, 16, 1, softmax\n");
  EXPECT_EQ(model.layers[0].output_height(), 5);
  EXPECT_EQ(model.layers[3].parameters(), 8);
  EXPECT_EQ(model.layers[4].output_width(), 4);
  for (std::size_t i = 1; i < model.layers.size(); ++i) {
    EXPECT_EQ(gemm(model.layers[i], Pass::kForward, 3).count, 0);
  }
  expect_refused(wide + "relu, 8, 8, 1, 1, 4, 5, 1, elementwise\n",
                 ":2:22: elementwise does not change the number of channels");
  expect_refused(wide + "big, 4, 4, 3, 3, 4, 5, 1, conv, 2\n", ":2:12: Filter Height of 5 is larger than");
}

TEST(ScaleSim, NamesTheModelAfterItsFile) {
  const SampleTable table(header + "a, 8, 8, 3, 3, 2, 4, 1,\n");
  EXPECT_EQ(import_scale_sim(table.path()).name + ".csv",
            table.path().substr(table.path().find_last_of('/') + 1));
}

TEST(ScaleSim, LocatesAnInvalidCell) {
  expect_refused(header + "\na, 8, x, 3, 3, 2, 4, 1,\n", ":3:7: IFMAP Width must be a whole number from 1");
  expect_refused(header + "a, 8, 8, 3, 3, 0, 4, 1,\n", ":2:16: Channels must be");
  expect_refused(header + "a, 8, 8, 3, 3, -2, 4, 1,\n", ":2:16: Channels must be");
  expect_refused(header + "a, 8, 8, 3.5, 3, 2, 4, 1,\n",
                 ":2:10: Filter Height must be a whole number from 1 to 16777216, not '3.5'");
  expect_refused(header + "a, 8, 8, 3, 3, 2, 99999999999999999999, 1,\n", ":2:19: Num Filter must be");
  expect_refused(header + "a, 8, 8, 3, 3, 2, 4, 0,\n", ":2:22: Strides must be");
}

TEST(ScaleSim, ReportsMissingAndAdditionalCells) {
  expect_refused(header + "a, 8, 8, 3, 3, 2, 4,\n", ":2:19: layer 'a' has no Strides");
  expect_refused(header + "a, 8, , 3, 3, 2, 4, 1\n", ":2:6: layer 'a' has no IFMAP Width");
  expect_refused(header + "a, 8, 8, 3, 3, 2, 4, 1, 7, 1:2, 1, 5\n", ":2:36: '5' is in column 12");
}

TEST(ScaleSim, RejectsImpossibleLayers) {
  expect_refused(header + "a, 8, 8, 9, 3, 2, 4, 1,\n",
                 ":2:10: Filter Height of 9 is larger than the padded input of 8");
  const std::string wide =
      "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Strides, Groups, Kind\n";
  expect_refused(wide + "a, 8, 8, 3, 3, 3, 4, 1, 2\n",
                 ":2:25: Groups is 2, but must divide Channels, which is 3");
  expect_refused(wide + "a, 8, 8, 3, 3, 4, 5, 1, 2\n",
                 ":2:25: Groups is 2, but must divide Num Filter, which is 5");
  expect_refused(wide + "a, 8, 8, 3, 3, 4, 4, 1, 1, embedding\n", ":2:28: embedding needs a 1x1 filter");
  expect_refused(wide + "a, 8, 8, 3, 3, 4, 4, 1, 1, lstm\n",
                 ":2:28: Kind must be one of conv, tied, embedding");
  expect_refused(header + "a, 1, 1, 1, 1, 16777216, 16777216, 1,\n", ":2:1: layer a has more than");
  expect_refused(header + "a, 1048576, 1, 1, 1, 1048576, 1048576, 1,\n",
                 ":2:1: layer a needs more than 72057594037927936 multiply-accumulates");
  const std::string half = "a, 524288, 1, 1, 1, 262144, 524288, 1,\n";
  EXPECT_EQ(import(header + half).macs(), std::int64_t{1} << 56);
  expect_refused(header + half + "b, 1, 1, 1, 1, 1, 1, 1,\n",
                 ":3:1: the layers up to this row need more than");
  expect_refused(header + "a, 8192, 8192, 1, 1, 1, 32768, 1,\n",
                 ":2:1: layer a has more than 1099511627776 output values per sample");
  expect_refused(header + "a, 16777216, 16777216, 16777216, 16777216, 2, 1, 1,\n",
                 ":2:1: layer a has more than 1099511627776 weights");
  expect_refused(header + "a, 16777216, 16777216, 1, 1, 16777216, 1, 16777216,\n",
                 ":2:1: layer a has more than 1099511627776 input values per sample");
}

// GPT-2 XL's first layer is a product of 1024 x 1600 by 1600 x 4800, which takes 7.9e9 multiply-accumulates.
TEST(ScaleSim, AcceptsProductsWrittenAsConvolutions) {
  const Model model = import(header + "qkv, 1024, 1600, 1, 1600, 1, 4800, 1,\n");
  EXPECT_EQ(model.macs(), 1024L * 1600 * 4800);
}

TEST(ScaleSim, RejectsUnknownHeaders) {
  expect_refused("Layer name, IFMAP Height, Colour\n", ":1:27: 'Colour' is not a known column");
  expect_refused("Layer name, IFMAP Height, IFMAP H\n", ":1:27: the column IFMAP Height occurs twice");
  expect_refused("Layer name, IFMAP Height\n", ":1:1: the header lacks the column IFMAP Width");
}

TEST(ScaleSim, RefusesTablesWithoutLayers) {
  expect_refused("", ":1:1: the table contains no layers");
  expect_refused(header + "\nTitle\n", ":1:1: the table contains no layers");
  EXPECT_THAT([] { import_scale_sim("/nonexistent.csv"); },
              ThrowsMessage<ConfigError>(HasSubstr("/nonexistent.csv:1:1: cannot read")));
}

RC_GTEST_PROP(ScaleSim, AnyTextIsReadOrRejectedWithItsLocation, ()) {
  const auto cell = rc::gen::element<std::string>("", "a", "1", "3", "-1", "x1", "1e9", " ", "7,7", "\"");
  const auto cells = *rc::gen::container<std::vector<std::string>>(cell);
  std::string content = *rc::gen::element<std::string>("", header, "title\n");
  for (const std::string& text : cells) {
    content += text + *rc::gen::element<std::string>(",", ",", ",", "\n", "\r\n");
  }
  const SampleTable table(content);
  try {
    const Model model = import_scale_sim(table.path());
    RC_ASSERT(!model.layers.empty());
    for (const Layer& layer : model.layers) RC_ASSERT(layer.output_height() >= 1);
  } catch (const ConfigError& error) {
    RC_ASSERT(error.where().file == table.path());
    RC_ASSERT(error.where().line >= 1);
  }
}

}  // namespace
}  // namespace coppice::workload
