#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "workload/training_timeline.h"

namespace coppice::workload {

// How a model is distributed over accelerators (Themis, Sec. 5.2).
enum class Parallelism {
  kData,                   // every accelerator has all the weights
  kModel,                  // every layer is divided among all accelerators
  kDlrm,                   // MLPs are copied, embedding tables are divided, and all-to-alls connect them
  kTransformer,            // layers are divided within groups of accelerators, and data among the groups
  kTransformerRecomputed,  // kTransformer, but activations are recomputed from checkpoints for the backward
                           // pass
  kDataThenModel,          // the model is divided over the innermost dimension, and data over the others
                           // (HYBRID_DATA_MODEL)
  kModelThenData,          // data is divided over the innermost dimension, and the model over the others
  kCustomized,             // every layer specifies its own parallelism
};

enum class Exchange { kNone, kAllReduce, kAllGather, kReduceScatter, kAllToAll };
const char* to_string(Exchange exchange);

// Which accelerators take part in a communication.
enum class Group {
  kModel,       // accelerators that share a divided model
  kData,        // accelerators that have the same weights
  kExpert,      // accelerators that share the experts of a layer
  kExpertData,  // accelerators that have the weights of the same experts
};
const char* to_string(Group group);

// The meaning of an all-gather's size: the input of each accelerator, as in ASTRA-sim, or the result, as
// in files that SimAI writes.
enum class AllGatherBytes { kInput, kTotal };
const char* to_string(AllGatherBytes bytes);

// The communication of a pass over a layer. `bytes` is the size of the collective's data; for an all-gather,
// AllGatherBytes defines which data.
struct Communication {
  Exchange exchange = Exchange::kNone;
  Bytes bytes = 0;
  // The group that the file specifies (_EP, _DP_EP); otherwise the pass determines it.
  std::optional<Group> among{};
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
  Femtoseconds update = 0;  // time to update the weights after their gradient has been reduced
  Parallelism parallelism = Parallelism::kData;  // differs between layers only in a customized workload
};

// A training iteration that an ASTRA-sim text workload describes.
struct TextWorkload {
  std::string name;
  Parallelism parallelism = Parallelism::kData;
  int model_group = 0;              // for transformers: number of accelerators that share a divided model
  std::optional<int> expert_group;  // ep: (SimAI): number of accelerators that share the experts of a layer
  int pipeline = 1;                 // pp: (SimAI): number of pipeline stages
  int accumulation = 1;             // ga: (SimAI): number of micro-batches whose gradients are added
  int accelerators = 0;             // all_gpus: (SimAI); 0: not specified
  int last_bottom_layer = 0;        // for DLRM: last layer of the bottom MLP, which the top MLP follows
  std::vector<int> checkpoints;     // for recomputed transformers: layers from which to recompute
  std::vector<int> recompute_from;  // layers whose backward pass must wait for recomputation
  std::vector<TextLayer> layers;    // in the order of the forward pass
};

// Reads an ASTRA-sim text workload. The first line states the parallelism and its parameters, the second line
// the number of layers, and each further line describes a layer: its name; a reserved number of at least -1;
// for the forward pass, the input gradient and the weight gradient, the compute time (ns), the collective
// (NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL) and its bytes (0 for NONE); and the time of the
// update (ns). SimAI's parameters in the first line (ep:, pp:, vpp:, ga:, all_gpus:, pp_comm) and its
// suffixes for collectives, _EP and _DP_EP, are also read; vpp and pp_comm affect only SimAI's formula for
// the pipeline bubble and are ignored. Throws ConfigError, located at file:line:column, if the file has any
// other form.
TextWorkload import_text_workload(const std::string& path);

// The total size of a communication's data among `ranks` accelerators. `counted` states what the size of an
// all-gather refers to. Throws UnsupportedError if the total exceeds 2^50 bytes.
Bytes total_bytes(const Communication& communication, AllGatherBytes counted, int ranks);

// Returns how long a collective takes in a group if there is no other traffic on the network.
using ExchangeDuration = std::function<Femtoseconds(const Communication&, Group)>;

// The times of one iteration (Themis, Sec. 6.2): total = forward + backward + exposed_model + exposed_data.
struct TextTimeline {
  Femtoseconds forward = 0;        // includes recomputation
  Femtoseconds backward = 0;       // includes the updates of weights
  Femtoseconds exposed_model = 0;  // time in which accelerators wait for other parts of the model
  Femtoseconds exposed_data = 0;   // time in which accelerators wait for gradients
  Femtoseconds communication = 0;  // sum over all collectives
  Femtoseconds total = 0;
};

// Computes the times of an iteration in which collectives run one at a time. If a layer is split, the next
// layer waits for its communication. A DLRM's all-to-alls overlap its bottom MLP; the top MLP and the end of
// the iteration wait for them. Gradients are reduced together after the backward pass (Overlap::kNone), or
// each as soon as it is ready (kLayerWise); the end of the iteration waits for them. Throws UnsupportedError
// if the iteration takes too long for Femtoseconds.
TextTimeline make_text_timeline(const TextWorkload& workload, Overlap overlap,
                                const ExchangeDuration& duration);

}  // namespace coppice::workload
