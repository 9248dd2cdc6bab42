#include "topology/files/graph_lexer.h"

#include <gmock/gmock.h>

#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::StrEq;
using testing::ThrowsMessage;

std::vector<std::string> texts(const Line& line) {
  std::vector<std::string> result;
  for (const Word& word : line) result.push_back(word.text);
  return result;
}

TEST(GraphLexer, SplitsWordsArrowsQuotesAndComments) {
  const auto lines =
      split_lines("link 0--s1 latency \"150 ns\" x2# two\n\n  # nothing\r\nchannel 3 -> 4\r\n", "f");
  ASSERT_EQ(lines.size(), 2);
  EXPECT_THAT(texts(lines[0]), ElementsAre("link", "0", "--", "s1", "latency", "150 ns", "x2"));
  EXPECT_THAT(texts(lines[1]), ElementsAre("channel", "3", "->", "4"));
  EXPECT_EQ(lines[0][5].where.column, 20);
  EXPECT_EQ(lines[1][3].where.line, 4);
  EXPECT_EQ(lines[1][3].where.column, 14);
  EXPECT_EQ(end_of(lines[1]).column, 15);
}

TEST(GraphLexer, SkipsAByteOrderMark) {
  const auto lines = split_lines("\xEF\xBB\xBFrouter 0", "f");
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0][0].text, "router");
  EXPECT_THAT(split_lines("", "f"), IsEmpty());
}

TEST(GraphLexer, LocatesAnOpenQuote) {
  EXPECT_THAT(
      [] { split_lines("a\nb \"c\n", "f.graph"); },
      ThrowsMessage<ConfigError>(StrEq("f.graph:2:3: this quotation mark is not closed on its line")));
}

TEST(GraphLexer, ReadsWholeNumbersInRange) {
  const auto parse = [](const std::string& text) {
    return [text] { return parse_number({text, {"f", 3, 9}}, "a node", 0, 7); };
  };
  EXPECT_EQ(parse("7")(), 7);
  EXPECT_THAT(parse("8"), ThrowsMessage<ConfigError>(StrEq("f:3:9: a node cannot be 8: it must be 0 to 7")));
  EXPECT_THAT(parse("-1"),
              ThrowsMessage<ConfigError>(StrEq("f:3:9: a node cannot be -1: it must be 0 to 7")));
  EXPECT_THAT(parse("1.5"),
              ThrowsMessage<ConfigError>(StrEq("f:3:9: '1.5' is not a node: write a whole number")));
  EXPECT_THAT(parse(""), ThrowsMessage<ConfigError>(StrEq("f:3:9: '' is not a node: write a whole number")));
  EXPECT_THAT(
      parse("99999999999999999999"),
      ThrowsMessage<ConfigError>(StrEq("f:3:9: a node cannot be 99999999999999999999: it must be 0 to 7")));
}

TEST(RequireUsable, LocatesTheAcceleratorAtFault) {
  const std::vector<SourceLocation> places{{"f", 1, 1}, {"f", 2, 1}, {"f", 3, 1}};
  Topology topology(Kind::kFile, {}, 3, 0);
  topology.add_channel(0, 1, {1}, 0);
  topology.add_channel(1, 0, {1}, 0);
  const auto check = [&] { require_usable(topology, places); };
  EXPECT_THAT(check, ThrowsMessage<ConfigError>(
                         StrEq("f:3:1: accelerator 2 has no channel: it needs a channel in each direction")));
  topology.add_channel(1, 2, {1}, 0);
  EXPECT_THAT(check,
              ThrowsMessage<ConfigError>(StrEq(
                  "f:3:1: accelerator 2 has no channel out of it: it needs a channel in each direction")));
  topology.add_channel(2, 0, {1}, 0);
  EXPECT_NO_THROW(check());
  EXPECT_NO_THROW(require_usable(Topology(Kind::kFile, {}, 1, 0), places));
}

}  // namespace
}  // namespace coppice::topology
