#include "config/files/transformer_file.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "scratch_file.h"
#include "support/shipped_config.h"

namespace coppice::config {
namespace {

using ::testing::HasSubstr;

struct Published {
  const char* name;
  std::int64_t parameters;
};

class PublishedTransformer : public ::testing::TestWithParam<Published> {};

// The expected parameter counts were published in papers or with checkpoints.
TEST_P(PublishedTransformer, HasItsParameters) {
  const std::string path = testing::shipped_config(std::string("workloads/") + GetParam().name + ".yaml");
  EXPECT_EQ(read_transformer(path).parameters(), GetParam().parameters);
  EXPECT_EQ(read_transformer(path).name, GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(
    Files, PublishedTransformer,
    ::testing::Values(Published{"gpt3_175b", 174'604'259'328}, Published{"llama2_7b", 6'738'415'616},
                      Published{"llama2_70b", 68'976'648'192}, Published{"llama3_8b", 8'030'261'248},
                      Published{"llama3_405b", 405'853'388'800}, Published{"mixtral_8x7b", 46'702'792'704},
                      Published{"bloom_176b", 176'247'271'424}),
    [](const auto& tested) { return tested.param.name; });

constexpr const char* kPlain =
    "layers: 2\nwidth: 64\nheads: 4\nfeed_forward: 256\nvocabulary: 100\nsequence: 32\n";

std::string complaint(const std::string& text) {
  const ScratchFile file(text);
  try {
    read_transformer(file.path());
  } catch (const ConfigError& error) {
    return std::string(error.what()).substr(file.path().size());
  }
  return "";
}

TEST(TransformerFile, AssumesAPlainDecoder) {
  const ScratchFile file(kPlain);
  const workload::Transformer model = read_transformer(file.path());
  EXPECT_EQ(model.key_value_heads, 4);
  EXPECT_EQ(model.head_width, 16);
  EXPECT_EQ(model.experts, 1);
  EXPECT_FALSE(model.gated || model.tied || model.biases || model.learned_positions || model.dropout);
}

TEST(TransformerFile, LocatesMistakes) {
  EXPECT_EQ(complaint(kPlain), "");
  EXPECT_THAT(complaint(std::string(kPlain) + "key_value_head: 2\n"),
              HasSubstr(":7:1: a transformer has no key 'key_value_head'; did you mean 'key_value_heads'?"));
  EXPECT_THAT(complaint("layers: 2\nwidth: 64\n"), HasSubstr(":1:1: heads is missing"));
  EXPECT_THAT(complaint(std::string(kPlain) + "key_value_heads: 3\n"),
              HasSubstr(":7:18: key_value_heads is 3"));
  EXPECT_THAT(complaint(std::string(kPlain) + "experts_per_token: 2\n"),
              HasSubstr(":7:20: experts_per_token"));
  EXPECT_THAT(complaint(std::string(kPlain) + "layers: 0\n"), HasSubstr("layers"));
  EXPECT_THAT(complaint("layers: 2\nwidth: 64\nheads: 5\nfeed_forward: 1\nvocabulary: 1\nsequence: 1\n"),
              HasSubstr(":3:8: heads is 5"));
  EXPECT_THAT(complaint("layers: 16384\nwidth: 1048576\nheads: 4\nfeed_forward: 4194304\nvocabulary: "
                        "1\nsequence: 1\nexperts: 16384\n"),
              HasSubstr("more than"));
}

}  // namespace
}  // namespace coppice::config
