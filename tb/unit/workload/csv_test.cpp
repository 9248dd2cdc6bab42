#include "workload/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_table.h"

namespace coppice::workload {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::vector<std::string>> texts(const std::string& content) {
  const SampleTable table(content);
  std::vector<std::vector<std::string>> result;
  for (const auto& row : read_csv(table.path())) {
    result.emplace_back();
    for (const Cell& cell : row) result.back().push_back(cell.text);
  }
  return result;
}

using Rows = std::vector<std::vector<std::string>>;

TEST(Csv, SplitsRowsIntoTrimmedCells) {
  EXPECT_EQ(texts("a, b c ,\td\n1,2,3\n"), (Rows{{"a", "b c", "d"}, {"1", "2", "3"}}));
}

TEST(Csv, SplitsRowsWithoutCommasAtTabs) {
  EXPECT_EQ(texts("a \t b\t\t c d\t \n1\t2,\t3\n"), (Rows{{"a", "b", "", "c d"}, {"1\t2", "3"}}));
}

TEST(Csv, DropsBlankRowsAndBlankCellsAtTheEnd) {
  EXPECT_EQ(texts("\n  \na,b,\n, ,\n\nc,,d, ,\n"), (Rows{{"a", "b"}, {"c", "", "d"}}));
}

TEST(Csv, AcceptsAnyLineEndAndAMissingLastOne) {
  EXPECT_EQ(texts("a\r\nb\nc"), (Rows{{"a"}, {"b"}, {"c"}}));
  EXPECT_EQ(texts(""), Rows{});
}

TEST(Csv, SkipsAByteOrderMark) {
  EXPECT_EQ(texts("\xEF\xBB\xBF"
                  "a\n"),
            (Rows{{"a"}}));
}

TEST(Csv, KeepsTheLocationOfEveryCell) {
  const SampleTable table("\nab,  cd\n");
  const auto rows = read_csv(table.path());
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].size(), 2U);
  EXPECT_EQ(rows[0][1].place.file, table.path());
  EXPECT_EQ(rows[0][1].place.line, 2);
  EXPECT_EQ(rows[0][1].place.column, 6);
}

TEST(Csv, RejectsFilesThatItCannotRead) {
  EXPECT_THAT([] { read_csv("/nonexistent/table.csv"); },
              ThrowsMessage<ConfigError>(HasSubstr("/nonexistent/table.csv:1:1: cannot read")));
  EXPECT_THAT([] { read_csv("/"); }, ThrowsMessage<ConfigError>(HasSubstr("is a folder")));
}

TEST(Csv, RefusesBinaryContent) {
  const SampleTable table(std::string("a,b\nc\0d", 7));
  EXPECT_THAT(
      [&] { read_csv(table.path()); },
      ThrowsMessage<ConfigError>(EndsWith(":2:2: this byte is zero, so the file is not a text file")));
}

}  // namespace
}  // namespace coppice::workload
