#include "schedule/hierarchical/turn_order.h"

#include <compare>
#include <functional>
#include <limits>
#include <queue>

#include "base/time_limit.h"

namespace coppice::schedule {
namespace {

class Pipeline {
 public:
  Pipeline(std::span<const std::vector<PipelineStep>> chunks, int ports)
      : chunks_(chunks),
        progress_(chunks.size()),
        waiting_(static_cast<std::size_t>(ports)),
        busy_(static_cast<std::size_t>(ports), false),
        turns_(static_cast<std::size_t>(ports)) {}

  std::vector<std::vector<PipelineTurn>> run() {
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) begin_step(chunk, 0);
    serve_ports();
    while (!events_.empty()) {
      const Femtoseconds now = events_.top().at;
      // All events of an instant are processed before the next messages are chosen.
      for (; !events_.empty() && events_.top().at == now; events_.pop()) process(events_.top());
      now_ = now;
      serve_ports();
    }
    return std::move(turns_);
  }

 private:
  static constexpr std::size_t kNotBegun = std::numeric_limits<std::size_t>::max();

  struct Progress {
    std::size_t step = 0;
    std::size_t missing = 0;          // number of messages of the current step that have not arrived
    Femtoseconds operation_came = 0;  // when the first step of the current operation became ready
    std::size_t place = kNotBegun;    // index of the current operation among all operations that have begun
  };
  struct Waiting {
    std::size_t place;
    Bytes rank;
    Femtoseconds came;
    PipelineTurn turn;
    auto operator<=>(const Waiting& other) const = default;
  };
  struct Event {
    Femtoseconds at;
    std::int32_t port;   // port that becomes free; -1 if a message arrives
    std::int32_t chunk;  // chunk of the message
    auto operator<=>(const Event& other) const = default;
  };
  template <typename T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  void process(const Event& event) {
    now_ = event.at;
    if (event.port >= 0) {
      busy_[static_cast<std::size_t>(event.port)] = false;
      return;
    }
    Progress& progress = progress_[static_cast<std::size_t>(event.chunk)];
    if (--progress.missing == 0) begin_step(static_cast<std::size_t>(event.chunk), progress.step + 1);
  }

  void begin_step(std::size_t chunk, std::size_t step) {
    if (step == chunks_[chunk].size()) return;
    const PipelineStep& next = chunks_[chunk][step];
    Progress& progress = progress_[chunk];
    progress.step = step;
    progress.missing = next.messages.size();
    if (next.starts_operation) {
      progress.operation_came = now_;
      progress.place = kNotBegun;
    }
    for (std::size_t m = 0; m < next.messages.size(); ++m) {
      waiting_[static_cast<std::size_t>(next.messages[m].port)].push(
          {progress.place,
           next.rank,
           progress.operation_came,
           {static_cast<std::int32_t>(chunk), static_cast<std::int32_t>(step),
            static_cast<std::int32_t>(m)}});
    }
  }

  void serve_ports() {
    for (std::size_t port = 0; port < waiting_.size(); ++port) {
      if (busy_[port] || waiting_[port].empty()) continue;
      const PipelineTurn turn = waiting_[port].top().turn;
      waiting_[port].pop();
      turns_[port].push_back(turn);
      busy_[port] = true;
      std::size_t& place = progress_[static_cast<std::size_t>(turn.chunk)].place;
      if (place == kNotBegun) place = begun_++;
      const PipelineStep& step =
          chunks_[static_cast<std::size_t>(turn.chunk)][static_cast<std::size_t>(turn.step)];
      const Femtoseconds sent =
          checked_sum(now_, step.messages[static_cast<std::size_t>(turn.message)].serialization);
      events_.push({sent, static_cast<std::int32_t>(port), turn.chunk});
      events_.push({sent + step.latency, -1, turn.chunk});
    }
  }

  std::span<const std::vector<PipelineStep>> chunks_;
  std::vector<Progress> progress_;
  std::vector<Earliest<Waiting>> waiting_;  // [port]
  std::vector<bool> busy_;                  // [port]
  std::vector<std::vector<PipelineTurn>> turns_;
  Earliest<Event> events_;
  Femtoseconds now_ = 0;
  std::size_t begun_ = 0;  // number of operations that have begun
};

}  // namespace

std::vector<std::vector<PipelineTurn>> order_turns(std::span<const std::vector<PipelineStep>> chunks,
                                                   int ports) {
  return Pipeline(chunks, ports).run();
}

}  // namespace coppice::schedule
