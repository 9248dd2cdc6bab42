#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "workload/training_timeline.h"

namespace coppice::workload {

// The distribution of a model over accelerators (Themis, Sec. 5.2).
enum class Parallelism {
  kData,                   // every accelerator has all weights
  kModel,                  // every layer is split over all accelerators
  kDlrm,                   // MLPs are replicated, embedding tables are divided, and all-to-alls connect them
  kTransformer,            // layers are split within groups of accelerators, and data over the groups
  kTransformerRecomputed,  // kTransformer with activations recomputed from checkpoints for the backward pass
  kDataThenModel,          // the model is split over the innermost dimension, and data over the others
                           // (HYBRID_DATA_MODEL)
  kModelThenData,          // data is split over the innermost dimension, and the model over the others
  kCustomized,             // each layer specifies its own parallelism
};

enum class Exchange { kNone, kAllReduce, kAllGather, kReduceScatter, kAllToAll };
const char* to_string(Exchange exchange);

// The accelerators that participate in a communication.
enum class Group {
  kModel,       // accelerators that share a split model
  kData,        // accelerators that have the same weights
  kExpert,      // accelerators that share the experts of a layer
  kExpertData,  // accelerators that have the weights of the same experts
};
const char* to_string(Group group);

// The meaning of an all-gather's size: each accelerator's input, as in ASTRA-sim, or the result, as written
// by SimAI.
enum class AllGatherBytes { kInput, kTotal };
const char* to_string(AllGatherBytes bytes);

// The communication of a pass over a layer. The bytes are those of the collective's data; for an all-gather,
// AllGatherBytes defines their meaning.
struct Communication {
  Exchange exchange = Exchange::kNone;
  Bytes bytes = 0;
  std::optional<Group> among{};  // if the file specifies it (_EP, _DP_EP); otherwise the default of the pass
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
  Femtoseconds update = 0;  // time to update the weights once their gradient has been reduced
  Parallelism parallelism = Parallelism::kData;  // per layer in a customized workload
};

// A training iteration as described by an ASTRA-sim text workload.
struct TextWorkload {
  std::string name;
  Parallelism parallelism = Parallelism::kData;
  int model_group = 0;              // transformers: accelerators that share a split model
  std::optional<int> expert_group;  // SimAI's ep: accelerators that share the experts of a layer
  int pipeline = 1;                 // SimAI's pp: stages
  int accumulation = 1;             // SimAI's ga: micro-batches whose gradients are added
  int accelerators = 0;             // SimAI's all_gpus; 0: not specified
  int last_bottom_layer = 0;        // DLRM: last layer of the bottom MLP; the top MLP follows
  std::vector<int> checkpoints;     // recomputed transformers: layers from which to recompute
  std::vector<int> recompute_from;  // layers before whose backward pass to recompute
  std::vector<TextLayer> layers;    // in the order of the forward pass
};

// Reads an ASTRA-sim text workload: a line with the parallelism and its parameters, a line with the number of
// layers, and a line per layer: name, a reserved number of at least -1, then for forward pass, input gradient
// and weight gradient the compute time (ns), the collective (NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER,
// ALLTOALL) and its bytes (0 for NONE), and the time of the update (ns). SimAI's header (ep:, pp:, vpp:, ga:,
// all_gpus:, pp_comm) and its collective suffixes _EP and _DP_EP are also read; vpp and pp_comm affect only
// SimAI's formula for the pipeline bubble and are ignored here. Throws ConfigError, located at
// file:line:column, for anything else.
TextWorkload import_text_workload(const std::string& path);

// Total bytes of a communication's data among `ranks` accelerators; `counted` states whether an all-gather's
// size means its input or its total. Throws UnsupportedError if the total exceeds 2^50.
Bytes total_bytes(const Communication& communication, AllGatherBytes counted, int ranks);

// Returns the duration of a collective in a group without other traffic on the network.
using ExchangeDuration = std::function<Femtoseconds(const Communication&, Group)>;

// One iteration (Themis, Sec. 6.2). total = forward + backward + exposed_model + exposed_data.
struct TextTimeline {
  Femtoseconds forward = 0;        // including recomputation
  Femtoseconds backward = 0;       // including the updates
  Femtoseconds exposed_model = 0;  // waiting for other parts of the model
  Femtoseconds exposed_data = 0;   // waiting for gradients
  Femtoseconds communication = 0;  // sum of all collectives
  Femtoseconds total = 0;
};

// Lays out an iteration in which collectives run one at a time. The next layer waits for the communication of
// a split layer; a DLRM's all-to-alls overlap its bottom MLP, and the top MLP and the end of the iteration
// wait for them. Gradients are reduced together after the backward pass (Overlap::kNone) or each as soon as
// it is ready (kLayerWise), and the end of the iteration waits for them. Throws UnsupportedError if the
// iteration is longer than Femtoseconds can hold.
TextTimeline make_text_timeline(const TextWorkload& workload, Overlap overlap,
                                const ExchangeDuration& duration);

}  // namespace coppice::workload
