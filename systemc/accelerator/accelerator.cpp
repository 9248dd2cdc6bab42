#include "accelerator/accelerator.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "accelerator/array/product_check.h"
#include "accelerator/buffers/tile_planner.h"
#include "accelerator/buffers/tile_walk.h"
#include "accelerator/value_work.h"
#include "base/error.h"

namespace coppice::accelerator {
namespace {

using workload::Layer;
using workload::LayerKind;
using workload::Pass;

__extension__ using Wide = __int128;

constexpr Bytes kElement = workload::kElementBytes;
constexpr std::int64_t kMostPieces = 4096;  // maximum number of pieces into which streaming work is divided

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// Distributes `total` over consecutive parts of `whole`. Each call returns the share of the next part.
class Spread {
 public:
  Spread(Bytes total, Bytes whole) : total_(total), whole_(whole) {}

  Bytes next(Bytes part) {
    if (whole_ == 0 || part == 0) return 0;
    so_far_ += part;
    // A 64-bit division is nearly always sufficient, and four times as fast as a 128-bit division.
    Bytes product = 0;
    const Bytes given = __builtin_mul_overflow(so_far_, total_, &product)
                            ? static_cast<Bytes>(static_cast<Wide>(so_far_) * total_ / whole_)
                            : product / whole_;
    return given - std::exchange(given_, given);
  }

 private:
  Bytes total_;
  Bytes whole_;
  Bytes so_far_ = 0;
  Bytes given_ = 0;
};

// Rejects layers whose number of cycles or bytes might not fit into 64 bits.
void require_countable(const Layer& layer, Pass pass, std::int64_t batch) {
  constexpr Wide kMostMacs = std::int64_t{1} << 59;
  const workload::Gemm product = gemm(layer, pass, batch);
  if (product.count == 0 || Wide{product.m} * product.k * product.n * product.count <= kMostMacs) return;
  throw UnsupportedError(fmt::format(
      "layer {} needs more than 2^59 multiply-accumulates for a mini-batch of {}: use a smaller mini-batch",
      layer.name, batch));
}

// Converts the tiles of a PE to tiles of the accelerator. `traffic` is the data that all PEs together move
// while each of them computes one product.
std::vector<TileDemand> demands(const TileWalk& walk, const Traffic& traffic) {
  Spread input(traffic.input, walk.traffic.input);
  Spread weight(traffic.weight, walk.traffic.weight);
  Spread output(traffic.output, walk.traffic.output);
  std::vector<TileDemand> list;
  list.reserve(walk.steps.size());
  for (const TileStep& step : walk.steps) {
    const Bytes operands = input.next(step.input) + weight.next(step.weight);
    const Bytes sums = output.next(step.sums_in);
    list.push_back(
        {step.compute, operands + sums, output.next(step.sums_out), step.new_output, step.takes_half});
  }
  return list;
}

}  // namespace

// A way to split a pass over the PEs, before an order of tiles has been chosen.
struct Accelerator::Division {
  Split split = Split::kBatch;
  Share share;
  workload::Gemm product;  // product of a PE with a full share; the count is 0 if the layer has no product
  std::optional<TilePlanner> planner;  // set if the layer has a product
};

struct Accelerator::Candidate {
  const Division* division = nullptr;
  TilePlan plan;
  Traffic traffic;      // traffic for the products of all PEs
  PeCycles cycles = 0;  // cycles without waiting for the memory
};

Timing parse_timing(const std::string& name) {
  if (name == "formula") return Timing::kFormula;
  if (name == "array") return Timing::kArray;
  throw std::invalid_argument(fmt::format("'{}' is not a timing: write formula or array", name));
}

Accelerator::Accelerator(const AcceleratorSpec& spec) : spec_(spec) {
  if (spec.pes < 1) throw std::invalid_argument("an accelerator needs at least one PE");
  if (spec.clock.hertz < 1) throw std::invalid_argument("an accelerator's clock must be at least 1 Hz");
  if (spec.memory_bandwidth && spec.memory_bandwidth->bytes_per_second < 1) {
    throw std::invalid_argument("an accelerator's memory bandwidth must be at least 1 B/s");
  }
  if (spec.timing == Timing::kArray && spec.array.convention() == Convention::kScaleSim) {
    throw std::invalid_argument(
        "timing array cannot reproduce SCALE-Sim's cycle count: use convention causal");
  }
}

// Activations and their gradients are stored in the operand type, because other passes use them as operands.
// Weight gradients are stored as sums, because they are exchanged and update fp32 weights.
ValueBytes Accelerator::bytes(Pass pass) const {
  const Bytes operand = element_bytes(spec_.operands);
  return {.operand = operand, .result = pass == Pass::kWeightGradient ? kElement : operand, .sum = kElement};
}

// The product of a PE with a full share and, if such PEs exist, the product of a PE with a smaller share.
// Each product comes with the number of times that the memory moves its operands.
std::vector<CountedProduct> Accelerator::counted(const Share& share, Pass pass) const {
  const auto product = [&](const Layer& layer, std::int64_t samples, std::int64_t pes, std::int64_t copies) {
    const std::int64_t count = gemm(layer, pass, samples).count;
    return CountedProduct{.operands = operands_of(layer, pass, samples),
                          .inputs = count * (share.shares_input ? copies : pes),
                          .weights = count * (share.shares_weight ? copies : pes),
                          .outputs = count * pes};
  };
  std::vector<CountedProduct> products = {product(share.layer, share.samples, share.full, share.copies)};
  if (share.smaller > 0) {
    products.push_back(product(share.smaller_layer, share.smaller_samples, share.smaller, 0));
  }
  return products;
}

// All splits of a pass that the specification allows.
std::vector<Accelerator::Division> Accelerator::divisions(const Layer& layer, Pass pass,
                                                          std::int64_t batch) const {
  std::vector<Division> list;
  for (const Split allowed : splits()) {
    if (spec_.split != Split::kBest && spec_.split != allowed) continue;
    // A softmax cannot be split by filters, because it needs all channels of a pixel.
    const bool whole = layer.kind == LayerKind::kSoftmax && allowed == Split::kFilters;
    Division division;
    division.split = whole ? Split::kBatch : allowed;
    division.share = share(layer, pass, batch, spec_.pes, division.split);
    division.product = gemm(division.share.layer, pass, division.share.samples);
    if (division.product.count > 0) {
      division.planner.emplace(counted(division.share, pass), spec_.array, spec_.buffers, bytes(pass));
    }
    list.push_back(std::move(division));
  }
  return list;
}

Accelerator::Candidate Accelerator::candidate(Division& division, const Layer& layer, Pass pass,
                                              std::int64_t batch, Tiling order) const {
  Candidate made;
  made.division = &division;
  if (!division.planner) {
    made.cycles = value_work_of(division, layer, pass, batch).cost.cycles;
    return made;
  }
  const Share& share = division.share;
  made.plan = division.planner->plan(order);
  made.traffic = division.planner->traffic(made.plan);
  const bool whole = made.plan.input_stays && made.plan.weight_stays && made.plan.output_stays;
  made.cycles = whole ? spec_.array.cycles(division.product)
                      : tiles_compute(operands_of(share.layer, pass, share.samples), spec_.array, made.plan) *
                            division.product.count;
  if (share.partial_sums) made.cycles += aggregation(layer, batch, share.active()).cost.cycles;
  return made;
}

PassCost Accelerator::cost(const Layer& layer, Pass pass, std::int64_t batch) const {
  return best(layer, pass, batch).cost;
}

PassWork Accelerator::work(const Layer& layer, Pass pass, std::int64_t batch) const {
  return whole(best(layer, pass, batch));
}

PassWork Accelerator::best(const Layer& layer, Pass pass, std::int64_t batch) const {
  require_countable(layer, pass, batch);
  std::vector<Division> list = divisions(layer, pass, batch);
  const bool named = spec_.tiling != Tiling::kLeastTraffic;
  // Passes without tiles have no order of tiles to choose.
  if (named || !list.front().planner) {
    return fastest(list, layer, pass, batch, named ? spec_.tiling : Tiling::kOutputReuse);
  }
  std::optional<PassWork> least;
  const auto measure = [](const PassWork& work) {
    return std::pair(work.cost.traffic.total(), work.cost.total());
  };
  for (const Tiling order : kTileOrders) {
    PassWork work = fastest(list, layer, pass, batch, order);
    if (!least || measure(work) < measure(*least)) least = std::move(work);
  }
  return std::move(*least);
}

// Returns the work with the fastest split if the tiles are executed in `order`.
PassWork Accelerator::fastest(std::vector<Division>& divisions, const Layer& layer, Pass pass,
                              std::int64_t batch, Tiling order) const {
  std::vector<Candidate> list;
  for (Division& division : divisions) list.push_back(candidate(division, layer, pass, batch, order));
  std::stable_sort(list.begin(), list.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cycles < b.cycles; });
  PassWork best = finished(list.front(), layer, pass, batch);
  if (!spec_.memory_bandwidth) return best;
  for (std::size_t i = 1; i < list.size() && list[i].cycles < best.cost.total(); ++i) {
    PassWork other = finished(list[i], layer, pass, batch);
    if (other.cost.total() < best.cost.total()) best = std::move(other);
  }
  return best;
}

PassWork Accelerator::finished(const Candidate& candidate, const Layer& layer, Pass pass,
                               std::int64_t batch) const {
  const Division& division = *candidate.division;
  PassWork work =
      division.planner ? product_work(candidate, pass) : value_work_of(division, layer, pass, batch);
  PassCost& cost = work.cost;
  cost.split = division.split;
  cost.plan = candidate.plan;
  cost.product = gemm(layer, pass, batch);
  if (division.share.partial_sums) {
    PassWork sums = aggregation(layer, batch, division.share.active());
    cost.cycles += sums.cost.cycles;
    cost.stall_cycles += sums.cost.stall_cycles;
    cost.memory_cycles += sums.cost.memory_cycles;
    cost.traffic += sums.cost.traffic;
    cost.aggregation = sums.cost.total();
    cost.partial_sums = tensors(layer, batch).weights * kElement * division.share.active();
    for (TileSequence& run : sums.runs) work.runs.push_back(std::move(run));
  }
  if (cost.cycles > 0) {
    cost.utilization =
        static_cast<double>(cost.product.macs()) /
        (static_cast<double>(cost.cycles) * spec_.pes * spec_.array.rows() * spec_.array.columns());
  }
  return work;
}

// Simulates all independent products of a PE on the array, each with different operands.
TileWalk Accelerator::walk(const Candidate& candidate, const ProductOperands& operands,
                           const ValueBytes& bytes) const {
  if (spec_.timing == Timing::kFormula) {
    return walk_tiles(operands, spec_.array, candidate.plan, nullptr, bytes);
  }
  const workload::Gemm& shape = candidate.division->product;
  TileWalk first;
  for (std::int64_t number = 0; number < shape.count; ++number) {
    CheckedProduct product(spec_.array, spec_.operands, shape.m, shape.k, shape.n, number);
    const auto run_tile = [&](const TilePosition& tile) {
      return product.compute(tile.m, tile.height, tile.k, tile.depth, tile.n, tile.width);
    };
    TileWalk walk = walk_tiles(operands, spec_.array, candidate.plan, run_tile, bytes);
    product.check();
    if (number == 0) {
      first = std::move(walk);
    } else if (walk.compute != first.compute) {
      throw ModelError(
          fmt::format("two products of {} x {} x {} took different numbers of cycles on the array: {} and {}",
                      shape.m, shape.k, shape.n, first.compute, walk.compute));
    }
  }
  return first;
}

PassWork Accelerator::product_work(const Candidate& candidate, Pass pass) const {
  const Share& share = candidate.division->share;
  const workload::Gemm& product = candidate.division->product;
  const ProductOperands operands = operands_of(share.layer, pass, share.samples);
  PassWork work;
  PassCost& cost = work.cost;
  cost.traffic = candidate.traffic;
  cost.mapping_efficiency = spec_.array.mapping_efficiency(product);
  if (!spec_.memory_bandwidth && spec_.timing == Timing::kFormula) {
    cost.cycles = tiles_compute(operands, spec_.array, candidate.plan) * product.count;
    return work;
  }
  const TileWalk full = walk(candidate, operands, bytes(pass));
  cost.cycles = full.compute * product.count;
  if (!spec_.memory_bandwidth) return work;
  const Traffic once{cost.traffic.input / product.count, cost.traffic.weight / product.count,
                     cost.traffic.output / product.count};
  run(work, {demands(full, once), product.count, full.output_stays});
  return work;
}

PassWork Accelerator::value_work_of(const Division& division, const Layer& layer, Pass pass,
                                    std::int64_t batch) const {
  const Share& share = division.share;
  const ValueWork values = value_work(layer, pass, batch);
  const Layer& part = share.layer;
  const std::int64_t pixels = share.samples * part.batch * part.output_height() * part.output_width();
  PassWork work;
  PassCost& cost = work.cost;
  cost.cycles = values.sweeps * pixels * divide_up(part.filters, spec_.array.columns());
  const ValueBytes of_value = bytes(pass);
  cost.traffic = {values.input * of_value.operand, values.weight * of_value.result,
                  values.output * of_value.result};
  stream(work, pixels * part.filters, cost.traffic.input + cost.traffic.weight, cost.traffic.output);
  return work;
}

PassWork Accelerator::aggregation(const Layer& layer, std::int64_t batch, std::int64_t partial_sums) const {
  const std::int64_t weights = tensors(layer, batch).weights;
  const std::int64_t of_a_pe = divide_up(weights, partial_sums);
  PassWork work;
  work.cost.cycles = divide_up(of_a_pe * (partial_sums - 1), spec_.array.columns());
  work.cost.traffic.output = weights * (partial_sums + 1) * kElement;
  stream(work, of_a_pe, weights * partial_sums * kElement, weights * kElement);
  return work;
}

PassCost Accelerator::update(const Layer& layer, const Optimizer& optimizer) const {
  return update_work(layer, optimizer).cost;
}

PassWork Accelerator::update_work(const Layer& layer, const Optimizer& optimizer) const {
  const Bytes weights = layer.parameters() * kElement;
  const std::int64_t of_a_pe = divide_up(layer.parameters(), spec_.pes);
  PassWork work;
  PassCost& cost = work.cost;
  cost.cycles = divide_up(of_a_pe, spec_.array.columns());
  const Bytes copies = copied_weights(layer.parameters(), spec_.operands);
  cost.traffic = {weights * (1 + optimizer.states), weights, weights * (1 + optimizer.states) + copies};
  stream(work, of_a_pe, cost.traffic.input + cost.traffic.weight, cost.traffic.output);
  return whole(std::move(work));
}

PassWork Accelerator::stream_work(PeCycles cycles, Bytes load, Bytes store) const {
  PassWork work;
  work.cost.cycles = cycles;
  work.cost.traffic = {load, 0, store};
  stream(work, divide_up(std::max(load, store), kElement * spec_.pes), load, store);
  return whole(std::move(work));
}

// Adds work that loads, modifies and stores `values` values per PE. The work is divided into pieces of at
// least rows() x columns() values, the number that the array of a PE can hold.
void Accelerator::stream(PassWork& work, std::int64_t values, Bytes load, Bytes store) const {
  if (!spec_.memory_bandwidth || values == 0) return;
  const std::int64_t piece = std::int64_t{spec_.array.rows()} * spec_.array.columns();
  const std::int64_t pieces = std::clamp<std::int64_t>(divide_up(values, piece), 1, kMostPieces);
  Spread compute(work.cost.cycles, pieces);
  Spread in(load, pieces);
  Spread out(store, pieces);
  TileSequence pieces_run;
  pieces_run.tiles.reserve(static_cast<std::size_t>(pieces));
  for (std::int64_t i = 0; i < pieces; ++i) {
    pieces_run.tiles.push_back({compute.next(1), in.next(1), out.next(1), true, true});
  }
  run(work, std::move(pieces_run));
}

// Adds tiles to the work, including the stalls that a slow memory causes.
void Accelerator::run(PassWork& work, TileSequence run) const {
  const PipelineTimes times = run_pipeline(run.tiles, run.repeats, run.output_stays, memory());
  work.cost.stall_cycles += times.stalls();
  work.cost.memory_cycles += times.memory_busy;
  work.runs.push_back(std::move(run));
}

// Replaces the tiles of a pass that never waits for the memory with a single piece of work.
PassWork Accelerator::whole(PassWork work) const {
  const PassCost& cost = work.cost;
  if (!work.runs.empty() || (cost.cycles == 0 && cost.traffic.total() == 0)) return work;
  TileSequence all;
  all.tiles.push_back(
      {cost.cycles, cost.traffic.input + cost.traffic.weight, cost.traffic.output, true, true});
  work.runs.push_back(std::move(all));
  return work;
}

LayerCycles Accelerator::cycles(const Layer& layer, std::int64_t batch) const {
  const PassCost weights = cost(layer, Pass::kWeightGradient, batch);
  return {cost(layer, Pass::kForward, batch).total(), cost(layer, Pass::kInputGradient, batch).total(),
          weights.total() - weights.aggregation, weights.aggregation};
}

Bytes Accelerator::partial_sums(const workload::Model& model, std::int64_t batch) const {
  Bytes most = 0;
  for (const Layer& layer : model.layers) {
    most = std::max(most, cost(layer, Pass::kWeightGradient, batch).partial_sums);
  }
  return most;
}

std::vector<workload::LayerCost> Accelerator::costs(const workload::Model& model, std::int64_t batch,
                                                    const Optimizer& optimizer) const {
  std::vector<workload::LayerCost> costs;
  costs.reserve(model.layers.size());
  for (const Layer& layer : model.layers) {
    const auto time = [&](PeCycles cycles) {
      const Femtoseconds period = spec_.clock.period();
      if (cycles > std::numeric_limits<Femtoseconds>::max() / period) {
        throw UnsupportedError(fmt::format("layer {} of {} takes more than the 9,223 s that can be simulated",
                                           layer.name, model.name));
      }
      return cycles * period;
    };
    const LayerCycles cost = cycles(layer, batch);
    costs.push_back({layer.name, time(cost.forward), time(cost.input_gradient),
                     time(cost.weight_gradient + cost.local_aggregation), layer.gradient_bytes(),
                     time(update(layer, optimizer).total())});
  }
  return costs;
}

}  // namespace coppice::accelerator
