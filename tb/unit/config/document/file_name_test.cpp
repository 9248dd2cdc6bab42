#include "config/document/file_name.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/error.h"
#include "config/loader.h"
#include "config/schema.h"

namespace coppice::config {
namespace {

// A temporary folder whose files are not in the working directory.
class FileName : public ::testing::Test {
 protected:
  FileName()
      : folder_(std::filesystem::temp_directory_path() /
                ("coppice_file_name_" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~FileName() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string beside(const std::string& name) const { return (folder_ / name).string(); }
  // A value as read from a configuration file in the temporary folder.
  Node value(const std::string& text) const {
    Node node;
    node.kind = Node::Kind::kScalar;
    node.text = text;
    node.place = {beside("run.yaml"), 1, 1};
    return node;
  }
  Config load_with(const std::string& text) const {
    return load(write("run.yaml", text), {}, Purpose::kRun).config;
  }

  std::filesystem::path folder_;
};

TEST_F(FileName, IsBesideTheConfigurationIfNotInTheWorkingDirectory) {
  EXPECT_EQ(read_file_name(value("a.csv"), "key", "a file"), "a.csv");
  write("a.csv", "");
  EXPECT_EQ(read_file_name(value("a.csv"), "key", "a file"), beside("a.csv"));
  EXPECT_EQ(read_file_name(value(beside("a.csv")), "key", "a file"), beside("a.csv"));
  EXPECT_EQ(read_file_name(value("t.{rank}.et"), "key", "a file"), "t.{rank}.et");
  write("t.0.et", "");
  EXPECT_EQ(read_file_name(value("t.{rank}.et"), "key", "a file"), beside("t.{rank}.et"));
}

TEST_F(FileName, KeepsWordsThatMayBeOtherNames) {
  write("resnet50", "");
  write("own.csv", "");
  EXPECT_EQ(read_name_or_file(value("resnet50"), "key", "a model"), "resnet50");
  EXPECT_EQ(read_name_or_file(value("own.csv"), "key", "a model"), beside("own.csv"));
  EXPECT_EQ(read_name_or_file(value("./resnet50"), "key", "a model"), beside("./resnet50"));
}

// Every key that names a file resolves relative names in the same way.
TEST_F(FileName, AppliesToEveryKey) {
  const std::string system = "system: {topology: {kind: ring, dims: [4]}}\n";
  for (const std::string name : {"m.csv", "m.txt"}) {
    write(name, "");
    EXPECT_EQ(load_with(system + "collective: {algorithm: ring}\ntraining: {model: " + name +
                        ", batch_per_accelerator: 1, overlap: none}\n")
                  .training.model,
              beside(name));
  }
  write("p.yaml", "");
  EXPECT_EQ(load_with(system + "program: {file: p.yaml}\n").program.file, beside("p.yaml"));
  write("t.0.et", "");
  write("g.json", "{}");
  const Config trace = load_with(system + "program: {trace: \"t.{rank}.et\", groups: g.json}\n");
  EXPECT_EQ(trace.program.trace, beside("t.{rank}.et"));
  EXPECT_EQ(trace.program.groups, beside("g.json"));
  write("net.yml", "topology: [ Switch ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
  write("sys.json", R"({"all-reduce-implementation": ["ring"]})");
  const std::string rest =
      "}}\ncollective: {op: all_reduce, algorithm: hierarchical, size: 64 KiB, dimension_algorithms: "
      "sys.json}\n";
  for (const std::string dimensions : {"net.yml", "{file: net.yml}"}) {
    const Config read = load_with("system: {topology: {kind: hierarchy, dimensions: " + dimensions + rest);
    EXPECT_EQ(read.system.topology.dimensions.at(0).size, 4);
    EXPECT_THAT(read.collective.chunk_policy.methods,
                ::testing::ElementsAre(schedule::DimensionMethod::kRing));
  }
  write("s.json", "{}");
  EXPECT_EQ(load_with(system + "collective: {op: all_reduce, algorithm: file, size: 1 KiB, file: s.json}\n")
                .collective.file,
            beside("s.json"));
}

TEST_F(FileName, OfAnyKeyIsLookedUpBesideTheConfiguration) {
  write("own.yaml", "");
  int found = 0;
  for (const Key& key : keys()) {
    const bool names_file = key.path == "training.model" || key.path == "workload.inference.model" ||
                            key.path == "system.accelerator.kernels" || key.path == "program.trace" ||
                            key.path == "hardware.energies" || key.path.ends_with(".file");
    if (!names_file) continue;
    Config config;
    key.read(value("own.yaml"), config);
    EXPECT_EQ(key.write(config).get<std::string>(), beside("own.yaml")) << key.path;
    ++found;
  }
  EXPECT_GE(found, 7);
}

}  // namespace
}  // namespace coppice::config
