// GCC 12 warns wrongly: it treats the initializer list of ParallelSpec's default member as destroyed before
// it is copied.
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#include "workload/large_training.h"

#include <map>
#include <tuple>

#include <gmock/gmock.h>

#include "list_scheduler.h"
#include "sample_transformers.h"

namespace coppice::workload {
namespace {

using ::testing::HasSubstr;

// A small decoder model with 8 layers and 4 heads.
Transformer small() {
  Transformer model;
  model.name = "small";
  model.layers = 8;
  model.width = 64;
  model.heads = model.key_value_heads = 4;
  model.head_width = 16;
  model.feed_forward = 256;
  model.vocabulary = 128;
  model.sequence = 32;
  return model;
}

LargeTraining training_of(Transformer model, ParallelSpec parallel, int micro_batches) {
  LargeTraining training;
  training.sequence = model.sequence;
  training.model = std::move(model);
  training.parallel = std::move(parallel);
  training.micro_batches = micro_batches;
  return training;
}

ParallelSpec ways(int tensor, int pipeline, int data, int expert = 1, int context = 1) {
  ParallelSpec spec;
  spec.tensor = tensor;
  spec.pipeline = pipeline;
  spec.data = data;
  spec.expert = expert;
  spec.context = context;
  return spec;
}

// The number and total bytes of a rank's collectives of one kind and operation. If `part` is given, only
// operations whose names contain it count.
struct Sum {
  int count = 0;
  Bytes bytes = 0;
};
Sum collectives_of(const Program& program, int rank, const std::string& kind, CollectiveOp op,
                   const std::string& part = "") {
  Sum sum;
  for (const Operation& operation : program.ranks[static_cast<std::size_t>(rank)].operations) {
    const auto* join = std::get_if<JoinCollective>(&operation.work);
    if (join == nullptr) continue;
    const GroupCollective& collective = program.collectives[static_cast<std::size_t>(join->collective)];
    if (collective.kind != kind || collective.op != op) continue;
    if (operation.name.find(part) == std::string::npos) continue;
    ++sum.count;
    sum.bytes += collective.bytes;
  }
  return sum;
}

double operations_of(const Program& program) {
  double sum = 0;
  for (const RankProgram& rank : program.ranks) {
    for (const Operation& operation : rank.operations) {
      if (const auto* compute = std::get_if<Compute>(&operation.work)) sum += compute->operations;
    }
  }
  return sum;
}

// A cost function in which only the operations of layers take time.
double layers_only(const Operation& operation, const Compute& compute) {
  return operation.name.find(" layer ") == std::string::npos ? 0 : compute.operations;
}

TEST(LargeTraining, IsAProgramForEveryLayout) {
  Transformer experts = small();
  experts.experts = 4;
  experts.experts_per_token = 2;
  experts.tied = true;
  experts.layers = 4;
  for (const auto schedule :
       {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward, PipelineSchedule::kInterleaved}) {
    for (int zero = 0; zero <= 3; ++zero) {
      for (const auto recompute : {Recomputation::kNone, Recomputation::kSelective, Recomputation::kFull}) {
        for (const auto exchange : {ContextExchange::kRing, ContextExchange::kAllGather}) {
          for (const bool shared : {false, true}) {
            LargeTraining training = training_of(experts, ways(2, 2, 2, 2, 2), 2);
            training.schedule = schedule;
            training.chunks = schedule == PipelineSchedule::kInterleaved ? 2 : 1;
            training.zero = zero;
            training.recompute = recompute;
            training.context_exchange = exchange;
            training.sequence_parallel = shared;
            training.overlap = !shared;
            training.bucket = 20'000;
            training.iterations = 2;
            const Program program = build_large_training(training);
            ASSERT_NO_THROW(check_program(program));
            EXPECT_EQ(program.ranks.size(), 32U);
            EXPECT_GT(ListScheduler(program, layers_only).run(), 0) << "the program never ends";
          }
        }
      }
    }
  }
}

// Narayanan et al. 2021, Sec. 3.2: for each layer and micro-batch, the forward and the backward pass each
// have two all-reduces of b s h values.
TEST(LargeTraining, ReducesActivationsFourTimesPerLayer) {
  LargeTraining training = training_of(gpt3(), ways(8, 4, 1), 3);
  training.micro_batch = 2;
  const Program program = build_large_training(training);
  const Sum sum = collectives_of(program, 9, "tensor", CollectiveOp::kAllReduce, " layer ");
  EXPECT_EQ(sum.count, 4 * 3 * 96 / 4);
  EXPECT_EQ(sum.bytes, Bytes{sum.count} * 2 * 2048 * 12288 * kHalfBytes);
}

TEST(LargeTraining, ReducesTwiceMoreIfLayersAreRecomputed) {
  LargeTraining training = training_of(gpt3(), ways(8, 4, 1), 3);
  training.recompute = Recomputation::kFull;
  EXPECT_EQ(
      collectives_of(build_large_training(training), 9, "tensor", CollectiveOp::kAllReduce, " layer ").count,
      6 * 3 * 24);
}

// Korthikanti et al. 2022, Sec. 4.2.2: sequence parallelism replaces each all-reduce by an all-gather and a
// reduce-scatter. The backward pass also all-gathers the inputs of each half of a layer to compute weight
// gradients.
TEST(LargeTraining, SharesTokensByReduceScatterAndAllGather) {
  LargeTraining training = training_of(gpt3(), ways(8, 4, 1), 3);
  training.sequence_parallel = true;
  const Program program = build_large_training(training);
  EXPECT_EQ(collectives_of(program, 9, "tensor", CollectiveOp::kAllReduce, " layer ").count, 0);
  EXPECT_EQ(collectives_of(program, 9, "tensor", CollectiveOp::kReduceScatter, " layer ").count, 4 * 3 * 24);
  EXPECT_EQ(collectives_of(program, 9, "tensor", CollectiveOp::kAllGather, " layer ").count, 6 * 3 * 24);
  EXPECT_EQ(collectives_of(program, 9, "tensor", CollectiveOp::kAllGather, "inputs").count, 2 * 3 * 24);
}

TEST(LargeTraining, SendsActivationsBetweenStages) {
  LargeTraining training = training_of(small(), ways(2, 4, 2), 3);
  for (const bool shared : {false, true}) {
    training.sequence_parallel = shared;
    const Program program = build_large_training(training);
    EXPECT_EQ(program.transfers.size(), 2U * 3 * 3 * 4);
    for (const Transfer& transfer : program.transfers) {
      EXPECT_EQ(transfer.bytes, 32 * 64 * kHalfBytes / (shared ? 2 : 1));
      EXPECT_EQ(std::abs(transfer.source - transfer.destination), 4);
    }
  }
}

TEST(LargeTraining, HasThePublishedNumberOfOperations) {
  LargeTraining training = training_of(gpt3(), ways(8, 8, 2), 4);
  training.recompute = Recomputation::kFull;
  const double b = 8;
  const double s = 2048;
  const double l = 96;
  const double h = 12288;
  const double v = 50257;
  EXPECT_NEAR(operations_of(build_large_training(training)) /
                  (96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))),
              1, 1e-12);
}

// If communication is free and all stages take equal time, a rank is idle for (p - 1) / (m + p - 1) of an
// iteration. With v chunks per rank, m is v times as large (Narayanan et al. 2021, Sec. 2.2).
TEST(LargeTraining, HasThePublishedBubble) {
  for (const int pipeline : {1, 2, 4, 8}) {
    for (const int rounds : {1, 2, 3}) {
      for (const auto schedule : {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward,
                                  PipelineSchedule::kInterleaved}) {
        if (schedule == PipelineSchedule::kInterleaved && pipeline == 8)
          continue;  // the model has only 8 layers
        LargeTraining training = training_of(small(), ways(1, pipeline, 1), rounds * pipeline);
        training.schedule = schedule;
        training.chunks = schedule == PipelineSchedule::kInterleaved ? 2 : 1;
        const Program program = build_large_training(training);
        double busy = 0;
        for (const Operation& operation : program.ranks[0].operations) {
          if (const auto* compute = std::get_if<Compute>(&operation.work))
            busy += layers_only(operation, *compute);
        }
        const double time = ListScheduler(program, layers_only).run();
        const double m = rounds * pipeline * training.chunks;
        EXPECT_DOUBLE_EQ(1 - busy / time, (pipeline - 1) / (m + pipeline - 1))
            << to_string(schedule) << " " << pipeline << " " << rounds;
      }
    }
  }
}

// Rajbhandari et al. 2020, Sec. 7: ZeRO 0 all-reduces the gradients. ZeRO 1 and 2 move the same number of
// bytes in two halves, and ZeRO 3 moves 1.5 times as many.
TEST(LargeTraining, MovesTheBytesOfZero) {
  for (int zero = 0; zero <= 3; ++zero) {
    LargeTraining training = training_of(small(), ways(1, 1, 4), 1);
    training.zero = zero;
    training.bucket = 30'000;
    const Program program = build_large_training(training);
    const Bytes psi = small().parameters() * kHalfBytes;
    const Bytes embedding = small().embedding_parameters() * kHalfBytes;
    const auto bytes = [&](CollectiveOp op) { return collectives_of(program, 2, "data", op).bytes; };
    EXPECT_EQ(bytes(CollectiveOp::kAllReduce), zero == 0 ? psi : 0);
    EXPECT_EQ(bytes(CollectiveOp::kReduceScatter), zero == 0 ? 0 : psi);
    // An embedding looks rows up, and its gradient does not need the weights, so ZeRO 3 gathers them only
    // once.
    EXPECT_EQ(bytes(CollectiveOp::kAllGather), zero == 0 ? 0 : zero == 3 ? 2 * psi - embedding : psi);
  }
}

TEST(LargeTraining, ReducesWithEveryMicroBatchIfGradientsAreDivided) {
  LargeTraining training = training_of(small(), ways(1, 1, 4), 5);
  const Bytes psi = small().parameters() * kHalfBytes;
  for (const auto& [zero, times] : {std::pair{1, 1}, {2, 5}, {3, 5}}) {
    training.zero = zero;
    EXPECT_EQ(collectives_of(build_large_training(training), 0, "data", CollectiveOp::kReduceScatter).bytes,
              times * psi);
  }
}

TEST(LargeTraining, FillsBuckets) {
  LargeTraining training = training_of(small(), ways(1, 1, 2), 2);
  const auto count = [&] {
    return collectives_of(build_large_training(training), 0, "data", CollectiveOp::kAllReduce).count;
  };
  training.bucket = 0;
  EXPECT_EQ(count(), 8 + 2);
  training.bucket = Bytes{1} << 40;
  EXPECT_EQ(count(), 1);
  training.bucket = 2 * small().layer_parameters() * kHalfBytes;
  EXPECT_EQ(count(), 5);
  training.bucket = 0;
  training.overlap = false;
  EXPECT_EQ(count(), 1);
}

// The gradients of the last layers are reduced while the first layers are still computing.
TEST(LargeTraining, ReducesWhileItComputes) {
  LargeTraining training = training_of(small(), ways(1, 1, 2), 1);
  training.bucket = 0;
  const Program program = build_large_training(training);
  const auto& operations = program.ranks[0].operations;
  const auto first = std::ranges::find(operations, "gradients", &Operation::name);
  ASSERT_NE(first, operations.end());
  for (const std::int32_t before : first->after) {
    EXPECT_EQ(operations[static_cast<std::size_t>(before)].name, "backward 0 output weights");
  }
}

TEST(LargeTraining, ExchangesTokensBetweenExperts) {
  Transformer model = small();
  model.experts = 8;
  model.experts_per_token = 2;
  LargeTraining training = training_of(model, ways(1, 1, 2, 4), 3);
  const Program program = build_large_training(training);
  // Tokens travel to the experts and back, in both the forward and the backward pass.
  const Sum sum = collectives_of(program, 5, "expert", CollectiveOp::kAllToAll);
  EXPECT_EQ(sum.count, 4 * 8 * 3);
  EXPECT_EQ(sum.bytes, sum.count * 32 * 64 * 2 * kHalfBytes);
  // Each expert has 2 copies, whereas all other weights have 8.
  std::map<std::size_t, Bytes> reduced;
  for (const GroupCollective& collective : program.collectives) {
    const RankGroup& group = program.groups[static_cast<std::size_t>(collective.group)];
    if (collective.op == CollectiveOp::kAllReduce && std::ranges::count(group.ranks, 0) > 0) {
      reduced[group.ranks.size()] += collective.bytes;
    }
  }
  EXPECT_EQ(reduced[2], 8 * 2 * model.expert_parameters() * kHalfBytes);
  EXPECT_EQ(reduced[8], (model.parameters() - 8 * 8 * model.expert_parameters()) * kHalfBytes);
}

// Ranks that share tokens each send only their own half to the experts; the ranks of an expert then gather
// all tokens.
TEST(LargeTraining, SendsEveryTokenOnceToItsExperts) {
  Transformer model = small();
  model.experts = 8;
  model.experts_per_token = 2;
  LargeTraining training = training_of(model, ways(2, 1, 1, 4), 3);
  const Bytes routed = 32 * 64 * 2 * kHalfBytes;
  for (const bool shared : {false, true}) {
    training.sequence_parallel = shared;
    const Program program = build_large_training(training);
    const Sum sum = collectives_of(program, 5, "expert", CollectiveOp::kAllToAll);
    EXPECT_EQ(sum.count, 4 * 8 * 3);
    EXPECT_EQ(sum.bytes, sum.count * routed / (shared ? 2 : 1));
    const Sum gathered = collectives_of(program, 5, "tensor", CollectiveOp::kAllGather, " mlp");
    EXPECT_EQ(gathered.bytes, shared ? 3 * 8 * 3 * routed : 0);
    const Sum scattered = collectives_of(program, 5, "tensor", CollectiveOp::kReduceScatter, " mlp");
    EXPECT_EQ(scattered.bytes, shared ? 2 * 8 * 3 * routed : 0);
  }
}

TEST(LargeTraining, PassesKeysAndValuesAroundARing) {
  LargeTraining training = training_of(small(), ways(1, 1, 1, 1, 4), 1);
  const Program program = build_large_training(training);
  const Bytes block = 32 / 4 * 2 * 64 * kHalfBytes;
  std::map<Bytes, int> sizes;
  for (const Transfer& transfer : program.transfers) {
    if (transfer.source == 1) ++sizes[transfer.bytes];
  }
  // In the forward pass, a rank sends 3 blocks. In the backward pass, it sends 3 blocks with their gradients,
  // and finally the last gradient.
  EXPECT_EQ(sizes, (std::map<Bytes, int>{{block, 8 * (3 + 1)}, {2 * block, 8 * 3}}));
  EXPECT_EQ(ListScheduler(program, layers_only).run() * 4,
            ListScheduler(build_large_training(training_of(small(), ways(1, 1, 1), 1)), layers_only).run());
}

TEST(LargeTraining, GathersKeysAndValues) {
  LargeTraining training = training_of(small(), ways(1, 1, 1, 1, 4), 1);
  training.context_exchange = ContextExchange::kAllGather;
  const Program program = build_large_training(training);
  EXPECT_TRUE(program.transfers.empty());
  const Sum gathered = collectives_of(program, 1, "context", CollectiveOp::kAllGather);
  EXPECT_EQ(gathered.count, 2 * 8);
  EXPECT_EQ(gathered.bytes, 2 * 8 * 32 * 2 * 64 * kHalfBytes);
  EXPECT_EQ(collectives_of(program, 1, "context", CollectiveOp::kReduceScatter).bytes,
            8 * 32 * 2 * 64 * kHalfBytes);
}

TEST(LargeTraining, ReducesTiedEmbeddingsBetweenTheFirstAndLastStages) {
  Transformer model = small();
  model.tied = true;
  const Program program = build_large_training(training_of(model, ways(2, 4, 1), 2));
  for (const int rank : {0, 1, 6, 7}) {
    EXPECT_EQ(collectives_of(program, rank, "pipeline", CollectiveOp::kAllReduce).bytes,
              128 / 2 * 64 * kHalfBytes);
  }
  EXPECT_EQ(collectives_of(program, 2, "pipeline", CollectiveOp::kAllReduce).count, 0);
}

TEST(LargeTraining, KeepsTheOrderOfAxes) {
  ParallelSpec spec = ways(2, 4, 3);
  EXPECT_EQ(ParallelLayout(spec).group(7, {ParallelAxis::kTensor}), (std::vector{6, 7}));
  EXPECT_EQ(ParallelLayout(spec).group(7, {ParallelAxis::kData}), (std::vector{7, 9, 11}));
  EXPECT_EQ(ParallelLayout(spec).group(7, {ParallelAxis::kPipeline}), (std::vector{1, 7, 13, 19}));
  std::swap(spec.order.front(), spec.order.back());
  EXPECT_EQ(ParallelLayout(spec).group(7, {ParallelAxis::kPipeline}), (std::vector{4, 5, 6, 7}));
  EXPECT_EQ(ParallelLayout(spec).group(7, {ParallelAxis::kTensor}), (std::vector{7, 19}));
  for (int rank = 0; rank < 24; ++rank) {
    const ParallelLayout layout(spec);
    EXPECT_EQ(layout.rank(layout.coordinates(rank)), rank);
  }
}

// Rajbhandari et al. 2020, Sec. 5: a rank stores (2 + 2 + 12) Psi bytes. Each further ZeRO stage divides
// another of these terms by the number of copies.
TEST(LargeTraining, NeedsTheMemoryOfZero) {
  LargeTraining training = training_of(small(), ways(1, 1, 64), 1);
  const Bytes psi = small().parameters();
  ASSERT_EQ(psi % 64, 0);
  const auto kept = [&](int zero) {
    training.zero = zero;
    const TrainingMemory memory = training_memory(training, 0);
    return memory.weights + memory.gradients + memory.optimizer;
  };
  EXPECT_EQ(kept(0), 16 * psi);
  EXPECT_EQ(kept(1), 4 * psi + 12 * psi / 64);
  // With a bucket that never fills, the bucket holds all gradients.
  EXPECT_EQ(kept(2), 2 * psi + 14 * psi / 64 + 2 * psi);
  training.overlap = false;
  EXPECT_EQ(kept(2), 2 * psi + 14 * psi / 64 + 2 * psi);
}

// ZeRO 3 gathers the weights of the next layer while a layer is in use, and reduces gradients while the next
// ones are computed. Both therefore need space for two neighbours among the embedding, the layers and the
// output layer.
TEST(LargeTraining, NeedsMemoryForTheLargestAdjacentLayersThatZeroGathers) {
  LargeTraining training = training_of(small(), ways(1, 1, 64), 2);
  training.bucket = 0;
  training.zero = 3;
  const auto kept = [&](Transformer model) {
    training.model = std::move(model);
    const TrainingMemory memory = training_memory(training, 0);
    const Bytes shares = 4 * ((training.model.parameters() + 63) / 64);
    return memory.weights + memory.gradients - shares;
  };
  Transformer model = small();
  const Bytes layer = model.layer_parameters();
  ASSERT_GT(layer, model.output_parameters());
  EXPECT_EQ(kept(model), 2 * 2 * layer + 2 * 2 * layer);
  model.vocabulary *= 100;
  const Bytes output = model.output_parameters();
  ASSERT_GT(output, layer);
  ASSERT_GT(output, model.embedding_parameters());
  EXPECT_EQ(kept(model), 2 * (output + layer) + 2 * (output + layer));
  // If forward passes follow each other, the embedding for the next one is gathered while the output layer is
  // still in use.
  training.schedule = PipelineSchedule::kGpipe;
  EXPECT_EQ(kept(model), 2 * (output + model.embedding_parameters()) + 2 * (output + layer));
  // If a layer is used twice in a row, it is gathered only once.
  training.micro_batches = 1;
  EXPECT_EQ(kept(model), 2 * (output + layer) + 2 * (output + layer));
  // With a single rank, all weights stay in memory.
  training.parallel = ways(1, 1, 1);
  const TrainingMemory alone = training_memory(training, 0);
  EXPECT_EQ(alone.weights + alone.gradients, 4 * model.parameters());
}

TEST(LargeTraining, AlsoGathersTiedWeightsForTheOutputLayer) {
  Transformer model = small();
  model.tied = true;
  LargeTraining training = training_of(model, ways(1, 1, 2), 1);
  training.zero = 3;
  Bytes gathered = 0;
  const Program program = build_large_training(training);
  for (const GroupCollective& collective : program.collectives) {
    if (collective.name == "forward 0 output weights") gathered = collective.bytes;
  }
  EXPECT_EQ(gathered, (model.vocabulary * model.width + model.normalization_parameters()) * kHalfBytes);
}

// Korthikanti et al. 2022, Table 2 and Sec. 4.3, give the bytes of a layer's activations. With 1F1B, the
// first rank has as many micro-batches in flight as the pipeline has ranks.
TEST(LargeTraining, NeedsThePublishedMemoryForActivations) {
  const double s = 2048;
  const double b = 1;
  const double h = 12288;
  const double a = 96;
  const double t = 8;
  LargeTraining training = training_of(gpt3(), ways(8, 8, 1), 16);
  const auto kept = [&](Recomputation recompute, bool shared) {
    training.recompute = recompute;
    training.sequence_parallel = shared;
    return static_cast<double>(training_memory(training, 0).activations);
  };
  const double whole = s * b * h * (10 + 24 / t + 5 * a * s / (h * t));
  const double scores = 5 * a * s * s * b / t;
  EXPECT_DOUBLE_EQ(kept(Recomputation::kNone, false), 96 * whole);
  EXPECT_DOUBLE_EQ(kept(Recomputation::kNone, true), 96 * s * b * h / t * (34 + 5 * a * s / h));
  EXPECT_DOUBLE_EQ(kept(Recomputation::kSelective, true), 96 * s * b * h * 34 / t + scores);
  EXPECT_DOUBLE_EQ(kept(Recomputation::kFull, false), 96 * 2 * s * b * h + whole);
}

TEST(LargeTraining, NeedsMemoryForTheMicroBatchesInFlight) {
  LargeTraining training = training_of(small(), ways(1, 4, 1), 8);
  const auto kept = [&](PipelineSchedule schedule, int chunks, int rank) {
    training.schedule = schedule;
    training.chunks = chunks;
    return training_memory(training, rank).activations;
  };
  const Bytes first = kept(PipelineSchedule::kOneForwardOneBackward, 1, 0);
  EXPECT_EQ(kept(PipelineSchedule::kOneForwardOneBackward, 1, 1) * 4, first * 3);
  EXPECT_EQ(kept(PipelineSchedule::kGpipe, 1, 0), first * 2);
  // The interleaved schedule needs 1 + (p - 1) / (p v) times as much memory (Korthikanti et al. 2022, Sec.
  // 4.2.3).
  EXPECT_EQ(kept(PipelineSchedule::kInterleaved, 2, 0) * 8, first * 11);
}

TEST(LargeTraining, ReportsTheMemoryOfEveryRank) {
  const LargeTraining training = training_of(llama2_70b(), ways(8, 4, 4), 16);
  const Program program = build_large_training(training);
  for (const int rank : {0, 31, 32, 127}) {
    EXPECT_EQ(program.ranks[static_cast<std::size_t>(rank)].memory_bytes,
              training_memory(training, rank / 32).total());
  }
}

TEST(LargeTraining, StartsAnIterationWithUpdatedWeights) {
  LargeTraining training = training_of(small(), ways(1, 1, 2), 1);
  training.iterations = 2;
  const Program program = build_large_training(training);
  const auto& operations = program.ranks[1].operations;
  const auto second = std::ranges::find(operations, 1, &Operation::iteration);
  ASSERT_NE(second, operations.end());
  ASSERT_EQ(second->after.size(), 1U);
  EXPECT_EQ(operations[static_cast<std::size_t>(second->after[0])].name, "update");
}

// The key to which the error refers and the error message; both are empty if the training is accepted.
std::pair<std::string, std::string> fault(const std::function<void(LargeTraining&)>& change) {
  LargeTraining training = training_of(small(), ways(2, 2, 2), 4);
  change(training);
  try {
    check_training(training);
  } catch (const LayoutError& error) {
    return {error.key(), error.what()};
  }
  return {};
}

TEST(LargeTraining, ReportsLayoutsThatAreImpossible) {
  const auto is = [](const std::string& key, const std::string& text) {
    return ::testing::Pair(key, HasSubstr(text));
  };
  EXPECT_THAT(fault([](LargeTraining& t) { t.parallel.tensor = 3; }),
              is("training.parallel.tensor", "4 heads cannot be divided by 3"));
  EXPECT_THAT(fault([](LargeTraining& t) { t.parallel.pipeline = 16; }),
              is("training.parallel.pipeline", "8 layers cannot form 16 stages"));
  EXPECT_THAT(fault([](LargeTraining& t) { t.parallel.expert = 2; }),
              is("training.parallel.expert", "1 experts cannot be divided by 2"));
  EXPECT_THAT(fault([](LargeTraining& t) { t.parallel.context = 5; }),
              is("training.parallel.context", "32 tokens per sample cannot be divided by 5"));
  EXPECT_THAT(fault([](LargeTraining& t) { t.chunks = 2; }), is("training.interleave", "interleaved"));
  EXPECT_THAT(fault([](LargeTraining& t) {
                t.schedule = PipelineSchedule::kInterleaved;
                t.micro_batches = 5;
              }),
              is("training.micro_batches", "a multiple of 2"));
  EXPECT_THAT(fault([](LargeTraining& t) { t.parallel.order.pop_back(); }),
              is("training.parallel.order", "pipeline 0 times"));
  EXPECT_THAT(fault([](LargeTraining& t) { t.parallel.data = 0; }),
              is("training.parallel.data", "write at least 1"));
}

// The operation without the number of its collective or transfer, which differs between copies.
Operation without_number(Operation operation) {
  if (auto* join = std::get_if<JoinCollective>(&operation.work)) join->collective = 0;
  if (auto* send = std::get_if<Send>(&operation.work)) send->transfer = 0;
  if (auto* receive = std::get_if<Receive>(&operation.work)) receive->transfer = 0;
  return operation;
}

TEST(LargeTraining, HasIdenticalCopies) {
  for (const int zero : {0, 1, 2, 3}) {
    for (const PipelineSchedule schedule :
         {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward}) {
      LargeTraining training = training_of(small(), ways(2, 2, 3, 1, 2), 4);
      training.zero = zero;
      training.schedule = schedule;
      training.iterations = 2;
      const Program whole = build_large_training(training);
      const ReplicatedProgram replicated = build_replicated_training(training);
      ASSERT_EQ(replicated.copies.size(), 3U);
      const auto& kept = replicated.copies.front();
      for (std::size_t role = 0; role < kept.size(); ++role) {
        const RankProgram& own = replicated.program.ranks[static_cast<std::size_t>(kept[role])];
        for (const auto& copy : replicated.copies) {
          const RankProgram& other = whole.ranks[static_cast<std::size_t>(copy[role])];
          EXPECT_EQ(own.memory_bytes, other.memory_bytes);
          ASSERT_EQ(own.operations.size(), other.operations.size());
          for (std::size_t i = 0; i < own.operations.size(); ++i) {
            EXPECT_EQ(without_number(own.operations[i]), without_number(other.operations[i]));
          }
        }
      }
      for (const int rank : replicated.copies.back()) {
        EXPECT_TRUE(replicated.program.ranks[static_cast<std::size_t>(rank)].operations.empty());
      }
    }
  }
}

}  // namespace
}  // namespace coppice::workload
