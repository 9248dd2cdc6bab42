#include "workload/text_workload.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "base/error.h"

namespace coppice::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;

// A temporary file with a text workload.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("coppice_text_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ".txt");
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TextWorkload import(const std::string& text) {
  const TextFile file(text);
  return import_text_workload(file.path());
}

// The error message for `text` as "line:column: message", or "" if the text is accepted.
std::string complaint(const std::string& text) {
  const TextFile file(text);
  try {
    import_text_workload(file.path());
  } catch (const ConfigError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "accepted";
}

constexpr const char* kDlrm =
    "HYBRID_DLRM\t2\t\t\n"
    "4\t\n"
    "tables\t-1\t30\tALLTOALL\t9\t30\tALLTOALL\t9\t0\tNONE\t0\t0\n"
    "bottom_0 -1 100 NONE 0 100 NONE 0 100 ALLREDUCE 4 0\r\n"
    "bottom_1 -1 100 NONE 0 100 NONE 0 100 ALLREDUCE 4 0\n"
    "\n"
    "top -1 200 NONE 0 200 NONE 0 200 ALLREDUCE 8 50\n";

// The timeline if an all-to-all takes `all_to_all` ns and other collectives take 10 ns per byte.
TextTimeline run(const TextWorkload& workload, Overlap overlap, Femtoseconds all_to_all = 0) {
  return make_text_timeline(workload, overlap, [=](const Communication& what, Group) {
    return what.exchange == Exchange::kAllToAll ? all_to_all * kNs : 10 * kNs * what.bytes;
  });
}

TEST(TextWorkload, ReadsCommonFiles) {
  const TextWorkload workload = import(kDlrm);
  EXPECT_EQ(workload.parallelism, Parallelism::kDlrm);
  EXPECT_EQ(workload.last_bottom_layer, 2);
  ASSERT_EQ(workload.layers.size(), 4U);
  EXPECT_EQ(workload.layers[0].forward.communication, (Communication{Exchange::kAllToAll, 9}));
  EXPECT_EQ(workload.layers[3].weight_gradient.communication, (Communication{Exchange::kAllReduce, 8}));
  EXPECT_EQ(workload.layers[3].weight_gradient.compute, 200 * kNs);
  EXPECT_EQ(workload.layers[3].update, 50 * kNs);

  const TextWorkload recomputed = import(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 checkpoints: 1 0 checkpoint_initiates: 1 "
      "1\n"
      "2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n");
  EXPECT_EQ(recomputed.model_group, 4);
  EXPECT_THAT(recomputed.checkpoints, ElementsAre(0));
  EXPECT_THAT(recomputed.recompute_from, ElementsAre(1));
}

TEST(TextWorkload, ReadsSimAisHeaderAndSuffixes) {
  const TextWorkload workload = import(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 4 pp: 3 vpp: 36 ga: 5 all_gpus: 24 "
      "checkpoints: 0 checkpoint_initiates: 0 pp_comm 4096\n"
      "2\na\t-1\t1\tALLGATHER\t8\t1\tALLTOALL_EP\t9\t1\tREDUCESCATTER_DP_EP\t7\t0\n"
      "b -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 6 0\n");
  EXPECT_EQ(workload.model_group, 2);
  EXPECT_EQ(workload.expert_group, 4);
  EXPECT_EQ(workload.pipeline, 3);
  EXPECT_EQ(workload.accumulation, 5);
  EXPECT_EQ(workload.accelerators, 24);
  const TextLayer& layer = workload.layers.at(0);
  EXPECT_EQ(layer.forward.communication, (Communication{Exchange::kAllGather, 8, std::nullopt}));
  EXPECT_EQ(layer.input_gradient.communication, (Communication{Exchange::kAllToAll, 9, Group::kExpert}));
  EXPECT_EQ(layer.weight_gradient.communication,
            (Communication{Exchange::kReduceScatter, 7, Group::kExpertData}));
  const std::string layers = "\n1\na -1 1 ALLTOALL_EP 8 1 NONE 0 1 NONE 0 0\n";
  EXPECT_THAT(complaint("HYBRID_TRANSFORMER model_parallel_NPU_group: 1" + layers),
              HasSubstr("3:8: ALLTOALL_EP needs the size of the groups that share experts"));
  EXPECT_THAT(complaint("DATA ep: 8" + layers), HasSubstr("3:8: ALLTOALL_EP needs the size"));
  EXPECT_THAT(complaint("DATA\n1\na -1 1 NONE_EP 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("3:8: unknown collective 'NONE_EP'"));
  EXPECT_THAT(complaint("DATA ep: 0" + layers), HasSubstr("1:10: '0' is not a valid number"));
}

TEST(TextWorkload, LocatesMistakes) {
  EXPECT_THAT(complaint("CONSTANT\n1\n"),
              HasSubstr("1:1: unknown parallelism 'CONSTANT': write one of DATA, MODEL"));
  EXPECT_THAT(complaint("DATA\n"), HasSubstr("a text workload needs a line with its parallelism"));
  EXPECT_THAT(complaint("DATA\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("2:1: the number of layers is 2, but the file has 1"));
  EXPECT_THAT(complaint("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n"),
              HasSubstr("3:1: layer 'a' has 11 columns"));
  EXPECT_THAT(complaint("DATA\n1\na -1 1 GOSSIP 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("3:8: unknown collective 'GOSSIP': write one of NONE, ALLREDUCE"));
  EXPECT_THAT(complaint("DATA\n1\na -1 -5 NONE 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("3:6: '-5' is not a valid time"));
  EXPECT_THAT(complaint("HYBRID_TRANSFORMER\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("1:1: HYBRID_TRANSFORMER needs the size of its groups"));
  EXPECT_THAT(complaint("HYBRID_DLRM 3\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("the last layer of the bottom MLP is layer 3, but the layers are numbered 0 to 0"));
  EXPECT_THAT(complaint("HYBRID_TRANSFORMER checkpoint\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("1:20: unknown parameter 'checkpoint'"));
}

TEST(TextWorkload, AcceptsOnlyWhatItReads) {
  const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n";
  EXPECT_EQ(complaint("DATA\n1\n" + layer), "accepted");
  EXPECT_THAT(complaint("DATA\n1 junk 7\n" + layer), HasSubstr("2:3: 'junk' follows the number of layers"));
  EXPECT_THAT(complaint("DATA\n1\na zzz 1 NONE 0 1 NONE 0 1 NONE 0 0\n"),
              HasSubstr("3:3: 'zzz' is not a valid reserved number (-1): write a whole number from -1"));
  EXPECT_THAT(complaint("DATA\n1\na -2 1 NONE 0 1 NONE 0 1 NONE 0 0\n"), HasSubstr("3:3: '-2' is no"));
  EXPECT_THAT(complaint("DATA\n1\na -1 1 NONE 0 1 NONE 4096 1 NONE 0 0\n"),
              HasSubstr("3:22: NONE sends no data, but has 4096 bytes"));
}

TEST(TextWorkload, CountsTheBytesOfAnAllGatherAsConfigured) {
  const Communication gathered{Exchange::kAllGather, 100};
  EXPECT_EQ(total_bytes(gathered, AllGatherBytes::kInput, 8), 800);
  EXPECT_EQ(total_bytes(gathered, AllGatherBytes::kTotal, 8), 100);
  EXPECT_EQ(total_bytes({Exchange::kReduceScatter, 100}, AllGatherBytes::kInput, 8), 100);
  EXPECT_THROW(total_bytes({Exchange::kAllGather, Bytes{1} << 49}, AllGatherBytes::kInput, 4),
               UnsupportedError);
}

TEST(TextTimeline, ReducesAllGradientsAfterTheBackwardPass) {
  const TextWorkload workload = import(
      "DATA\n2\na -1 10 NONE 0 10 NONE 0 10 ALLREDUCE 3 0\nb -1 20 NONE 0 20 NONE 0 20 ALLREDUCE 5 7\n");
  const TextTimeline together = run(workload, Overlap::kNone);
  EXPECT_EQ(together.forward, 30 * kNs);
  EXPECT_EQ(together.backward, 67 * kNs);
  EXPECT_EQ(together.exposed_data, 80 * kNs);
  EXPECT_EQ(together.total, 177 * kNs);
  // In ns: b's all-reduce runs from 50 to 100. a's gradients are ready at 80, so a's all-reduce runs from 100
  // to 130. It ends 40 after the computation.
  const TextTimeline each = run(workload, Overlap::kLayerWise);
  EXPECT_EQ(each.exposed_data, 40 * kNs);
  EXPECT_EQ(each.communication, 80 * kNs);
  EXPECT_EQ(each.total, 137 * kNs);
}

// The gradients of experts are reduced in the experts' own group.
TEST(TextTimeline, RequestsTheGroupInTheFile) {
  TextWorkload workload = import(
      "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 2\n2\n"
      "a -1 1 ALLTOALL_EP 3 1 NONE 0 1 ALLREDUCE_DP_EP 5 0\nb -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 7 0\n");
  std::vector<std::pair<Group, Bytes>> asked;
  make_text_timeline(workload, Overlap::kNone, [&](const Communication& what, Group group) {
    asked.emplace_back(group, what.bytes);
    return Femtoseconds{1};
  });
  EXPECT_THAT(asked, ElementsAre(std::pair{Group::kExpert, 3}, std::pair{Group::kData, 7},
                                 std::pair{Group::kExpertData, 5}));
}

TEST(TextTimeline, RunsAllToAllsDuringTheBottomMlp) {
  // Times in ns. Forward: tables 30, bottom MLP 200, top MLP 200. Backward: top 400, bottom 400, tables 30.
  // All-reduces: 160. Update of the top MLP: 50.
  const TextTimeline hidden = run(import(kDlrm), Overlap::kNone, 200);
  EXPECT_EQ(hidden.exposed_model, 0);
  EXPECT_EQ(hidden.total, (430 + 830 + 160 + 50) * kNs);
  const TextTimeline shown = run(import(kDlrm), Overlap::kNone, 450);
  EXPECT_EQ(shown.exposed_model, (250 + 50) * kNs);
  EXPECT_EQ(shown.total, hidden.total + 300 * kNs);
}

TEST(TextTimeline, WaitsForOtherPartsOfAModelAndRecomputesForwardPasses) {
  const std::string layers =
      "2\na -1 10 ALLREDUCE 1 10 ALLREDUCE 1 10 ALLREDUCE 3 0\nb -1 10 ALLREDUCE 1 10 NONE 0 10 NONE 0 0\n";
  const TextTimeline once =
      run(import("HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n" + layers), Overlap::kNone);
  EXPECT_EQ(once.exposed_model, 30 * kNs);
  EXPECT_EQ(once.exposed_data, 30 * kNs);
  EXPECT_EQ(once.total, (20 + 40 + 30 + 30) * kNs);
  const TextTimeline again =
      run(import("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 checkpoints: 1 0 "
                 "checkpoint_initiates: 1 1\n" +
                 layers),
          Overlap::kNone);
  EXPECT_EQ(again.forward, 40 * kNs);
  EXPECT_EQ(again.total, once.total + 40 * kNs);
}

}  // namespace
}  // namespace coppice::workload
