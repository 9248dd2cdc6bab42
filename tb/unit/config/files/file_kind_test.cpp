#include "config/files/file_kind.h"

#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "config/files/program_file.h"
#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using testing::HasSubstr;

struct Sample {
  const char* text;
  std::optional<FileKind> kind;
};

std::ostream& operator<<(std::ostream& out, const Sample& sample) {
  return out << sample.text;
}

class RecognisedTest : public testing::TestWithParam<Sample> {};

TEST_P(RecognisedTest, ByItsBeginning) {
  EXPECT_EQ(recognise_file(GetParam().text), GetParam().kind);
}

constexpr Sample kSamples[] = {
    {"# a comment\nsystem:\n  topology: {kind: ring}\n", FileKind::kConfiguration},
    {"{collective: {op: all_reduce}}", FileKind::kConfiguration},
    {"{\n  \"schema\": \"coppice.result/1\", \"config\": {}}", FileKind::kResult},
    {"{\"schema\":\"coppice.schedule/1\"}", FileKind::kSchedule},
    {"ranks: 2\noperations:\n  - {compute: 1 us}\n", FileKind::kProgram},
    {"{ranks: 2, operations: [{compute: 1 us}]}", FileKind::kProgram},
    {"accelerators 4\nlink 0 -- 1\n", FileKind::kNetwork},
    {"// from Graphviz\ndigraph g { 0 -> 1; }", FileKind::kNetwork},
    {"<?xml version=\"1.0\"?>\n<graphml/>", FileKind::kNetwork},
    {"<system version=\"1\"><cpu/></system>", FileKind::kNetwork},
    {"4 2 1 1 4 H100\n3\n0 3 200Gbps 0.0005ms 0\n", FileKind::kNetwork},
    {"4\nSrc,Dest,Latency (ns),Bandwidth (GB/s)\n", FileKind::kNetwork},
    {"router 0 node 0 router 1\n", FileKind::kNetwork},
    {"name: net\ninstances:\n  - {name: gpu}\n", FileKind::kNetwork},
    {"topology: [Ring]\nnpus_count: [8]\n", FileKind::kAstraNetwork},
    {"{\"scheduling-policy\": \"LIFO\"}", FileKind::kAstraSystem},
    {"<algo name=\"ring\" ngpus=\"2\"/>", FileKind::kSchedule},
    {"{\"name\": \"plan\", \"gpus\": [{\"id\": 0}]}", FileKind::kSchedule},
    {"NPUs Count,4\nLinks Count,8\n", FileKind::kSchedule},
    {"\x07\x0a\x05"
     "0.0.4",
     FileKind::kTrace},
    {"{\"workload_graph\": []}", FileKind::kTrace},
    {"Layer name, IFMAP Height, IFMAP Width,\nconv, 8, 8,\n", FileKind::kLayers},
    {"HYBRID_DLRM 8\n21\n", FileKind::kTextWorkload},
    {"layers: 32\nwidth: 4096\nvocabulary: 32000\n", FileKind::kTransformer},
    {"[general]\nrun_name = small\n[architecture_presets]\nArrayHeight: 32\n", FileKind::kArchitecture},
    {"// of BookSim2\ntopology = mesh;\n", FileKind::kBooksim},
    {"operation,bytes,time_us,busbw_gb_s\nall_reduce,8,1,2\n", FileKind::kMeasured},
    {"base: machines/a100_hgx8\nspace: {}\n", FileKind::kSpace},
    {"area:\n  nanometres: 180\nenergy:\n  volts: 1\n", FileKind::kHardware},
    {"", std::nullopt},
    {"sistem: {topology: {kind: ring}}\n", std::nullopt},
    {"{\"name: unclosed", std::nullopt},
    {"42", std::nullopt},
};

INSTANTIATE_TEST_SUITE_P(FileKind, RecognisedTest, testing::ValuesIn(kSamples));

std::string complaint(const std::string& path) {
  try {
    load(path, {}, Purpose::kRun);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FileKind, OfAProgramGivenAsAConfigurationIsStated) {
  const ScratchFile program("ranks: 2\noperations: [{compute: 1 us}]\n");
  EXPECT_EQ(complaint(program.path()), program.path() +
                                           ":1:1: this is a program, not a configuration: write " +
                                           "'program: {file: " + program.path() + "}' in a configuration");
}

TEST(FileKind, OfAConfigurationGivenAsAProgramIsStated) {
  const ScratchFile config("system: {topology: {kind: ring, dims: [4]}}\n");
  EXPECT_THAT([&] { read_program_file(config.path()); },
              testing::ThrowsMessage<ConfigError>(
                  HasSubstr("this is a configuration, not a program: pass it to coppice run")));
}

TEST(FileKind, KeepsTheComplaintAboutAFileOfTheExpectedOrOfNoKnownKind) {
  const ScratchFile wrong("system: {topologi: {kind: ring}}\n");
  EXPECT_THAT(complaint(wrong.path()), HasSubstr("unknown key 'system.topologi'"));
  const ScratchFile unknown("sistem: {topology: {kind: ring}}\n");
  EXPECT_THAT(complaint(unknown.path()), HasSubstr("unknown key 'sistem'; did you mean 'system'?"));
  EXPECT_THAT(complaint("absent.yaml"), HasSubstr("No such file"));
}

}  // namespace
}  // namespace coppice::config
