#include "workload/layer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice::workload {
namespace {

Layer convolution(std::int64_t size, std::int64_t filter, std::int64_t channels, std::int64_t filters,
                  std::int64_t stride = 1, std::int64_t padding = 0, std::int64_t groups = 1) {
  Layer layer;
  layer.ifmap_height = layer.ifmap_width = size;
  layer.filter_height = layer.filter_width = filter;
  layer.channels = channels;
  layer.filters = filters;
  layer.stride_height = layer.stride_width = stride;
  layer.padding = padding;
  layer.groups = groups;
  return layer;
}

// In ResNet-50's first layer, 7x7 filters with stride 2 map 224x224x3 inputs with a padding of 3 to
// 112x112x64 outputs.
TEST(Layer, CountsAKnownConvolution) {
  const Layer layer = convolution(224, 7, 3, 64, 2, 3);
  EXPECT_EQ(layer.output_height(), 112);
  EXPECT_EQ(layer.output_width(), 112);
  EXPECT_EQ(layer.parameters(), 9408);
  EXPECT_EQ(layer.gradient_bytes(), 37632);
  EXPECT_EQ(layer.macs(), 118'013'952);
}

// A tensor's size does not include padding, because padding is not read from memory.
TEST(Layer, CountsTheTensorsOfAConvolution) {
  const Tensors sizes = tensors(convolution(224, 7, 3, 64, 2, 3), 4);
  EXPECT_EQ(sizes.inputs, 4 * 224 * 224 * 3);
  EXPECT_EQ(sizes.outputs, 4 * 112 * 112 * 64);
  EXPECT_EQ(sizes.weights, 9408);
}

TEST(Layer, DropsAPartialLastStride) {
  EXPECT_EQ(convolution(224, 7, 3, 64, 2).output_height(), 109);
  EXPECT_EQ(convolution(8, 3, 1, 1, 2).output_height(), 3);
}

TEST(Layer, SharesChannelsAmongGroups) {
  // AlexNet's second layer has 96 channels and 256 filters, both divided into two groups.
  const Layer layer = convolution(27, 5, 96, 256, 1, 2, 2);
  EXPECT_EQ(layer.parameters(), 5 * 5 * 48 * 256);
  EXPECT_EQ(layer.macs(), 27 * 27 * 5 * 5 * 48 * 256);
  EXPECT_EQ(gemm(layer, Pass::kForward, 3), (Gemm{3L * 27 * 27, 5L * 5 * 48, 128, 2}));
}

TEST(Layer, MapsEveryPassOfAConvolutionToItsProduct) {
  const Layer layer = convolution(56, 3, 64, 128, 2, 1);  // maps 56x56 to 28x28
  EXPECT_EQ(gemm(layer, Pass::kForward, 4), (Gemm{4L * 28 * 28, 9L * 64, 128}));
  EXPECT_EQ(gemm(layer, Pass::kInputGradient, 4), (Gemm{4L * 28 * 28, 128, 9L * 64}));
  EXPECT_EQ(gemm(layer, Pass::kWeightGradient, 4), (Gemm{9L * 64, 4L * 28 * 28, 128}));
}

// In SCALE-Sim's tables, a product of M x K by K x N is a convolution of an M x K input with one channel and
// N filters of 1 x K.
TEST(Layer, AProductWrittenAsAConvolutionHasTheGradientsOfTheProduct) {
  Layer layer;
  layer.ifmap_height = 1024;
  layer.ifmap_width = layer.filter_width = 1600;
  layer.filters = 4800;
  EXPECT_EQ(gemm(layer, Pass::kForward, 1), (Gemm{1024, 1600, 4800}));
  EXPECT_EQ(gemm(layer, Pass::kInputGradient, 1), (Gemm{1024, 4800, 1600}));
  EXPECT_EQ(gemm(layer, Pass::kWeightGradient, 1), (Gemm{1600, 1024, 4800}));
}

TEST(Layer, EverySampleOfAMatmulHasItsOwnProduct) {
  Layer layer;  // attention scores of 8 heads of width 64 over 32 tokens
  layer.kind = LayerKind::kMatmul;
  layer.ifmap_height = 32;
  layer.channels = 512;
  layer.filters = 256;
  layer.groups = 8;
  EXPECT_EQ(layer.parameters(), 0);
  EXPECT_EQ(gemm(layer, Pass::kForward, 2), (Gemm{32, 64, 32, 16}));
  EXPECT_EQ(gemm(layer, Pass::kInputGradient, 2), (Gemm{32, 32, 64, 16}));
  EXPECT_EQ(gemm(layer, Pass::kWeightGradient, 2), (Gemm{64, 32, 32, 16}));
  EXPECT_EQ(layer.macs(), 8 * 32 * 64 * 32);
}

TEST(Layer, EmbeddingsHaveATableAndNoProducts) {
  Layer layer;
  layer.kind = LayerKind::kEmbedding;
  layer.channels = 1000;
  layer.filters = 8;
  EXPECT_EQ(layer.gradient_bytes(), 32'000);
  EXPECT_EQ(layer.macs(), 0);
  EXPECT_EQ(gemm(layer, Pass::kForward, 16).count, 0);
}

TEST(Layer, TiedWeightsBelongToAnotherLayer) {
  Layer layer = convolution(1, 1, 512, 37000);
  const std::int64_t macs = layer.macs();
  layer.kind = LayerKind::kTied;
  EXPECT_EQ(layer.gradient_bytes(), 0);
  EXPECT_EQ(layer.macs(), macs);
}

Layer any_convolution() {
  const std::int64_t groups = *rc::gen::inRange(1, 5);
  return convolution(*rc::gen::inRange(5, 20), *rc::gen::inRange(1, 5), groups * *rc::gen::inRange(1, 10),
                     groups * *rc::gen::inRange(1, 10), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 3),
                     groups);
}

RC_GTEST_PROP(Layer, PassesHaveEqualWork, ()) {
  const Layer layer = any_convolution();
  const std::int64_t samples = *rc::gen::inRange(1, 8);
  RC_ASSERT(gemm(layer, Pass::kForward, samples).macs() == layer.macs() * samples);
  RC_ASSERT(gemm(layer, Pass::kInputGradient, samples).macs() == layer.macs() * samples);
  RC_ASSERT(gemm(layer, Pass::kWeightGradient, samples).macs() == layer.macs() * samples);
}

// The input gradient's product has one row per input patch. Its result is the input of col2im, so it has as
// many values as the output of im2col.
RC_GTEST_PROP(Layer, InputGradientHasAValuePerInputOfEveryPatch, ()) {
  const Layer layer = any_convolution();
  const std::int64_t samples = *rc::gen::inRange(1, 8);
  const Gemm forward = gemm(layer, Pass::kForward, samples);
  const Gemm gradient = gemm(layer, Pass::kInputGradient, samples);
  RC_ASSERT(gradient.m * gradient.n * gradient.count == forward.m * forward.k * forward.count);
  RC_ASSERT(gradient.k == forward.n);
}

RC_GTEST_PROP(Layer, WeightGradientHasAValuePerWeight, ()) {
  const Layer layer = any_convolution();
  const Gemm product = gemm(layer, Pass::kWeightGradient, 1);
  RC_ASSERT(product.m * product.n * product.count == layer.parameters());
  RC_ASSERT(product.macs() == layer.macs());
}

}  // namespace
}  // namespace coppice::workload
