#include "system/output/vcd_file.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(VcdFile, WritesScopesAndChanges) {
  const TemporaryDirectory directory;
  VcdFile file("--vcd", directory.file("w.vcd"));
  const std::size_t a = file.add("x.p.a", 8);
  const std::size_t b = file.add("x.p.b", 1);
  const std::size_t c = file.add("x.q.c", 1);
  file.set(a, 5, 0);
  file.set(b, 0, 0);
  file.set(c, 1, 0);
  file.set(a, 5, 2'000'000);
  file.set(b, 1, 2'000'000);
  file.set(a, 0, 3'000'000);
  file.set(a, 0, 4'000'000);
  file.finish();
  EXPECT_EQ(read_text(directory.file("w.vcd")), "$version coppice " COPPICE_VERSION
                                                " $end\n"
                                                "$timescale 1 ps $end\n"
                                                "$scope module x $end\n"
                                                "$scope module p $end\n"
                                                "$var wire 8 ! a [7:0] $end\n"
                                                "$var wire 1 \" b $end\n"
                                                "$upscope $end\n"
                                                "$scope module q $end\n"
                                                "$var wire 1 # c $end\n"
                                                "$upscope $end\n"
                                                "$upscope $end\n"
                                                "$enddefinitions $end\n"
                                                "#0\n"
                                                "$dumpvars\n"
                                                "b101 !\n"
                                                "0\"\n"
                                                "0#\n"
                                                "$end\n"
                                                "1#\n"
                                                "#2000\n"
                                                "1\"\n"
                                                "#3000\n"
                                                "b0 !\n"
                                                "#4000\n");
}

TEST(VcdFile, GivesManySignalsDifferentNames) {
  const TemporaryDirectory directory;
  VcdFile file("--vcd", directory.file("w.vcd"));
  for (int i = 0; i < 9000; ++i) file.add("s" + std::to_string(i), 1);
  file.finish();
  std::istringstream text(read_text(directory.file("w.vcd")));
  std::set<std::string> identifiers;
  for (std::string word; text >> word;) {
    if (word != "$var") continue;
    std::string type, width, identifier;
    text >> type >> width >> identifier;
    identifiers.insert(identifier);
  }
  EXPECT_EQ(identifiers.size(), 9000U);
}

TEST(VcdFile, ReportsAFullDisk) {
  VcdFile file("--vcd", "/dev/full");
  file.add("a", 1);
  EXPECT_THAT([&] { file.finish(); }, ThrowsMessage<ModelError>(HasSubstr("--vcd: '/dev/full' cannot")));
}

TEST(VcdFile, LeavesNothingUnfinished) {
  const TemporaryDirectory directory;
  {
    VcdFile file("--vcd", directory.file("w.vcd"));
    file.set(file.add("a", 1), 1, 0);
  }
  EXPECT_THAT(directory.names(), IsEmpty());
}

}  // namespace
}  // namespace coppice::system
