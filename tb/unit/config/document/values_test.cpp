#include "config/document/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"

namespace coppice::config {
namespace {

using ::testing::ElementsAre;

Node scalar(const std::string& text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.place = {"f", 3, 7};
  node.text = text;
  return node;
}

Node list(const std::vector<std::string>& items) {
  Node node = scalar("");
  node.kind = Node::Kind::kList;
  for (const auto& item : items) node.children.push_back(scalar(item));
  return node;
}

template <typename Read>
std::string complaint(Read read) {
  try {
    read();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReadInteger, AcceptsWholeNumbersInRange) {
  EXPECT_EQ(read_integer(scalar("4"), "k", 1, 8), 4);
  EXPECT_EQ(read_integer(scalar("-4"), "k", -8, 8), -4);
  for (const char* text : {"four", "4.5", "0", "9", "-1", "", "4 ", "0x4", "99999999999999999999", "1e1"}) {
    EXPECT_EQ(complaint([&] { read_integer(scalar(text), "k", 1, 8); }),
              std::string("f:3:7: k must be a whole number from 1 to 8, not '") + text + "'");
  }
  EXPECT_EQ(complaint([&] { read_integer(list({"4"}), "k", 1, 8); }),
            "f:3:7: k must be a whole number from 1 to 8, not a list");
}

TEST(ReadUnsigned, AcceptsAll64Bits) {
  EXPECT_EQ(read_unsigned(scalar("18446744073709551615"), "k"), 18446744073709551615ULL);
  EXPECT_NE(complaint([&] { read_unsigned(scalar("18446744073709551616"), "k"); }), "accepted");
  EXPECT_NE(complaint([&] { read_unsigned(scalar("-1"), "k"); }), "accepted");
}

TEST(ReadNumber, AcceptsFiniteNumbersInRange) {
  EXPECT_EQ(read_number(scalar("0.5"), "k", 0, 1), 0.5);
  for (const char* text : {"nan", "inf", "1.1", "-0.1", "half", ""}) {
    EXPECT_EQ(complaint([&] { read_number(scalar(text), "k", 0, 1); }),
              std::string("f:3:7: k must be a number from 0 to 1, not '") + text + "'");
  }
}

TEST(ReadFlag, AcceptsTheWordsOfYaml) {
  EXPECT_TRUE(read_flag(scalar("true"), "k"));
  EXPECT_TRUE(read_flag(scalar("on"), "k"));
  EXPECT_FALSE(read_flag(scalar("false"), "k"));
  EXPECT_FALSE(read_flag(scalar("no"), "k"));
  EXPECT_EQ(complaint([&] { read_flag(scalar("1"), "k"); }), "f:3:7: k must be true or false, not '1'");
}

TEST(ReadName, SuggestsTheNearest) {
  const std::vector<std::string> names{"torus", "mesh"};
  EXPECT_EQ(read_name(scalar("mesh"), "k", names), "mesh");
  EXPECT_EQ(complaint([&] { read_name(scalar("tours"), "k", names); }),
            "f:3:7: k must be torus or mesh, not 'tours'; did you mean 'torus'?");
  EXPECT_EQ(complaint([&] { read_name(scalar("hypercube"), "k", names); }),
            "f:3:7: k must be torus or mesh, not 'hypercube'");
}

TEST(ReadDims, AcceptsAListOrOneWord) {
  EXPECT_THAT(read_dims(list({"4", "8"}), "k", 1, 64, 4), ElementsAre(4, 8));
  EXPECT_THAT(read_dims(scalar("4x8x2"), "k", 1, 64, 4), ElementsAre(4, 8, 2));
  EXPECT_THAT(read_dims(scalar("7"), "k", 1, 64, 4), ElementsAre(7));
  EXPECT_THAT(read_dims(scalar("8x2x0"), "k", 0, 64, 4), ElementsAre(8, 2, 0));
  EXPECT_THAT(read_dims(list({"8", "2", "0"}), "k", 0, 64, 4), ElementsAre(8, 2, 0));
  for (const char* text : {"", "x", "4x", "x4", "4x0", "4x-1", "4 x 4", "4X4", "4x65"}) {
    EXPECT_EQ(
        complaint([&] { read_dims(scalar(text), "k", 1, 64, 4); }),
        std::string(
            "f:3:7: k must be the width of each dimension, from 1 to 64, for example [8, 8] or 8x8, not '") +
            text + "'");
  }
  EXPECT_EQ(complaint([&] {
              read_dims(list({"4", "0"}), "k", 1, 64, 4);
            }),
            "f:3:7: k[1] must be a whole number from 1 to 64, not '0'");
  EXPECT_EQ(complaint([&] { read_dims(list({}), "k", 1, 64, 4); }),
            "f:3:7: k must be the width of each dimension, from 1 to 64, for example [8, 8] or 8x8, not an "
            "empty list");
  EXPECT_EQ(complaint([&] { read_dims(scalar("1x1x1x1x1"), "k", 1, 64, 4); }),
            "f:3:7: k has 5 dimensions: at most 4 are possible");
}

TEST(ReadQuantity, ChecksUnitAndRange) {
  const auto read = [](const std::string& text) {
    return read_quantity(scalar(text), "k", parse_duration, format_duration, Femtoseconds{1'000'000},
                         kFemtosecondsPerSecond);
  };
  EXPECT_EQ(read("150 ns"), 150'000'000);
  EXPECT_EQ(complaint([&] { read("0 ns"); }), "f:3:7: k must be from 1 ns to 1 s, not '0 ns'");
  EXPECT_EQ(complaint([&] { read("2 s"); }), "f:3:7: k must be from 1 ns to 1 s, not '2 s'");
  EXPECT_EQ(
      complaint([&] { read("150 GB"); }),
      "f:3:7: k: '150 GB' is not a duration: its unit 'GB' is not one of fs, ps, ns, us, \u00b5s, ms, s; "
      "for example "
      "'150 ns'");
}

}  // namespace
}  // namespace coppice::config
