#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "ni/gradient_queue.h"
#include "ni/message_record.h"
#include "schedule/tables/schedule.h"
#include "system/collective/run.h"

namespace coppice::system {

// When the chunks of an all-reduce become final, accelerator by accelerator: the gradient turnaround time,
// whether chunks come in order, and when a forward pass that is chained to the all-reduce runs (C-Cube, Sec.
// III-D).
//
// A chunk is a flow's part of the buffer. It is final at an accelerator when the last of its messages there
// has been reduced or stored. Every accelerator has a gradient queue; its layers begin as soon as the queue
// lets them and the layer before has been computed.
class GradientProgress final : public ni::MessageObserver {
 public:
  // Whether the flows of `schedule` are chunks: an all-reduce among accelerators, of flows that share no
  // address. (Larger schedules than the limit are not followed, to spare memory.)
  static bool applies(const schedule::Schedule& schedule);

  // Requires applies(). `layers` may be empty; otherwise they cover the buffer but for padding at its end.
  // `forward_factor`: per accelerator, what its computation takes over the nominal; empty: 1.
  GradientProgress(const schedule::Schedule& schedule, const std::vector<ForwardLayer>& layers,
                   std::vector<double> forward_factor, Femtoseconds period);

  void message_completed(const ni::MessageRecord& message) override;

  // {chunks, turnaround_ns, in_order, early_chunks}, and with layers `forward`: {end_ns, stalled_ns,
  // accelerators:
  // [{end_ns, stalled_ns}], layers: [{ready_ns, begin_ns}]}. Times from the begin of the collective; the
  // latest over the accelerators, or of the accelerator named. Early chunks: the most that were final at an
  // accelerator while one before them was not; in order: none, anywhere. Stalled: waiting for gradients after
  // the first layer began.
  nlohmann::ordered_json to_json();

 private:
  struct Node {
    ni::GradientQueue queue;
    std::vector<std::uint8_t> final;  // [chunk]
    std::size_t semaphore = 0;        // chunks before the first that is not final
    std::size_t finished = 0;         // chunks
    std::size_t early = 0;            // the most that were final behind one that was not
    Femtoseconds busy_until = 0;
    Femtoseconds stalled = 0;
    std::vector<Femtoseconds> ready{};  // [layer]
    std::vector<Femtoseconds> begin{};  // [layer]
  };

  void enqueue(Node& node, std::size_t chunk);
  void compute(std::size_t node, Femtoseconds now);
  void mark_ready(Node& node, Femtoseconds now);
  std::vector<std::int64_t> layer_chunks(const schedule::Schedule& schedule,
                                         const std::vector<ForwardLayer>& layers) const;
  nlohmann::ordered_json forward_json();

  std::vector<ForwardLayer> layers_;
  std::vector<std::int64_t> layer_chunks_;  // [layer]: chunks that have its gradients and all before
  std::vector<double> forward_factor_;
  Femtoseconds period_;
  std::size_t flows_;
  std::vector<std::int32_t> chunk_of_;  // [flow]: its number by address, -1 without data
  std::vector<Bytes> chunk_end_;        // [chunk]
  std::vector<std::int32_t> missing_;   // [accelerator * flows + flow]: messages still to come
  std::vector<Node> nodes_;
  Femtoseconds turnaround_ = 0;
};

}  // namespace coppice::system
