#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "workload/training_timeline.h"

namespace coppice::workload {

// How a model is spread over accelerators (Themis, Sec. 5.2).
enum class Parallelism {
  kData,                   // every accelerator has all weights
  kModel,                  // every layer is cut over all accelerators
  kDlrm,                   // MLPs by data, embedding tables by model, which all-to-alls join
  kTransformer,            // layers cut over groups of accelerators, groups by data
  kTransformerRecomputed,  // the same; what backward needs of forward is computed again from checkpoints
  kDataThenModel,          // model over the innermost dimension, data over the others (HYBRID_DATA_MODEL)
  kModelThenData,          // the reverse
  kCustomized,             // every layer as it says itself
};

enum class Exchange { kNone, kAllReduce, kAllGather, kReduceScatter, kAllToAll };
const char* to_string(Exchange exchange);

// Among whom.
enum class Group {
  kModel,       // those who share a model's cuts
  kData,        // those who share its weights
  kExpert,      // those who share the experts of a layer
  kExpertData,  // those who share the weights of the same experts
};
const char* to_string(Group group);

// The meaning of an all-gather's size: each accelerator's input, as in ASTRA-sim, or the result, as written
// by SimAI.
enum class AllGatherBytes { kInput, kTotal };
const char* to_string(AllGatherBytes bytes);

// The communication of a pass over a layer. The bytes are the collective's data; for an all-gather they
// follow AllGatherBytes.
struct Communication {
  Exchange exchange = Exchange::kNone;
  Bytes bytes = 0;
  std::optional<Group> among{};  // if the file gives it (_EP, _DP_EP); else that of the pass
  bool operator==(const Communication&) const = default;
};

struct TextPass {
  Femtoseconds compute = 0;
  Communication communication;
};

struct TextLayer {
  std::string name;
  TextPass forward;
  TextPass input_gradient;
  TextPass weight_gradient;
  Femtoseconds update = 0;                       // of the weights, when their gradient has been reduced
  Parallelism parallelism = Parallelism::kData;  // of a customized workload; else the workload's
};

// A training iteration as the text workloads of ASTRA-sim describe it.
struct TextWorkload {
  std::string name;
  Parallelism parallelism = Parallelism::kData;
  int model_group = 0;              // transformers: accelerators that share a cut model
  std::optional<int> expert_group;  // SimAI's ep: accelerators that share the experts of a layer
  int pipeline = 1;                 // SimAI's pp: stages
  int accumulation = 1;             // SimAI's ga: micro-batches whose gradients are added
  int accelerators = 0;             // SimAI's all_gpus; 0: as many as there are
  int last_bottom_layer = 0;        // DLRM: of the bottom MLP; what follows is the top MLP
  std::vector<int> checkpoints;     // recomputed transformers: layers to compute again from
  std::vector<int> recompute_from;  // before the backward pass of these
  std::vector<TextLayer> layers;    // in the order of the forward pass
};

// Reads a text workload of ASTRA-sim: a line with the parallelism and its parameters, one with the number of
// layers, and one for each layer: name, a reserved number from -1 on, then for forward pass, input gradient
// and weight gradient the compute time (ns), the collective (NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER,
// ALLTOALL) and its bytes (0 for NONE), and the time of the update (ns). Throws ConfigError,
// file:line:column, for anything else.
// SimAI's header (ep:, pp:, vpp:, ga:, all_gpus:, pp_comm) and its collectives' suffixes _EP and _DP_EP are
// read too; vpp and pp_comm are for its own formula of the bubble and change nothing.
TextWorkload import_text_workload(const std::string& path);

// The bytes of all data that a communication among `ranks` accelerators moves; the size of an all-gather
// counts as `counted`. Throws UnsupportedError if they exceed 2^50.
Bytes total_bytes(const Communication& communication, AllGatherBytes counted, int ranks);

// The duration of a collective among a group, alone on the network.
using ExchangeDuration = std::function<Femtoseconds(const Communication&, Group)>;

// One iteration (Themis, Sec. 6.2). total = forward + backward + exposed_model + exposed_data.
struct TextTimeline {
  Femtoseconds forward = 0;        // with what is computed again
  Femtoseconds backward = 0;       // with the updates
  Femtoseconds exposed_model = 0;  // waiting for the other parts of the model
  Femtoseconds exposed_data = 0;   // waiting for gradients
  Femtoseconds communication = 0;  // sum of all collectives
  Femtoseconds total = 0;
};

// Collectives run one at a time. What a layer of a cut model sends is waited for before the next layer; a
// DLRM's all-to-alls run beside its bottom MLP and are waited for before the top MLP and at the end.
// Gradients are reduced together after the backward pass (Overlap::kNone) or each as soon as it is there
// (kLayerWise), and waited for at the end. Throws UnsupportedError if the iteration is longer than
// Femtoseconds can hold.
TextTimeline make_text_timeline(const TextWorkload& workload, Overlap overlap,
                                const ExchangeDuration& duration);

}  // namespace coppice::workload
