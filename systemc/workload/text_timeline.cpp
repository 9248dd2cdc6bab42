#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "workload/text_workload.h"

namespace coppice::workload {
namespace {

constexpr Femtoseconds kLongest = Femtoseconds{1} << 61;

class Iteration {
 public:
  Iteration(const TextWorkload& workload, Overlap overlap, const ExchangeDuration& duration)
      : workload_(workload), overlap_(overlap), duration_(duration) {}

  TextTimeline run() {
    const auto count = static_cast<int>(workload_.layers.size());
    for (int i = 0; i < count; ++i) forward(i);
    for (int i = count - 1; i >= 0; --i) {
      recompute_before(i);
      backward(i);
    }
    finish();
    result_.total = now_;
    return result_;
  }

 private:
  bool dlrm() const { return workload_.parallelism == Parallelism::kDlrm; }
  // Whether a layer stands for the embedding tables, whose all-to-alls overlap the bottom MLP.
  bool is_embedding(int layer) const { return dlrm() && layer == 0; }
  const TextLayer& layer(int i) const { return workload_.layers[static_cast<std::size_t>(i)]; }

  void forward(int i) {
    if (dlrm() && i == workload_.last_bottom_layer + 1) wait(embedding_done_, result_.exposed_model);
    compute(layer(i).forward.compute, result_.forward);
    const Femtoseconds done = issue(layer(i).forward.communication, Group::kModel);
    if (is_embedding(i)) {
      embedding_done_ = done;
    } else {
      wait(done, result_.exposed_model);
    }
  }

  void recompute_before(int i) {
    if (std::ranges::find(workload_.recompute_from, i) == workload_.recompute_from.end()) return;
    int from = 0;
    for (const int checkpoint : workload_.checkpoints) {
      if (checkpoint <= i) from = std::max(from, checkpoint);
    }
    for (int again = from; again <= i; ++again) forward(again);
  }

  void backward(int i) {
    if (dlrm() && i == workload_.last_bottom_layer) {
      embedding_done_ = issue(layer(0).input_gradient.communication, Group::kModel);
    }
    if (is_embedding(i)) wait(embedding_done_, result_.exposed_model);
    compute(layer(i).weight_gradient.compute, result_.backward);
    reduce(i);
    compute(layer(i).input_gradient.compute, result_.backward);
    if (!is_embedding(i)) {
      wait(issue(layer(i).input_gradient.communication, Group::kModel), result_.exposed_model);
    }
  }

  void reduce(int i) {
    const Communication& gradient = layer(i).weight_gradient.communication;
    if (overlap_ == Overlap::kNone && gradient.exchange == Exchange::kAllReduce) {
      gradients_[gradient.among] += gradient.bytes;
    } else {
      gradients_done_ = std::max(gradients_done_, issue(gradient, Group::kData));
    }
  }

  void finish() {
    for (const auto& [among, bytes] : gradients_) {
      gradients_done_ = std::max(gradients_done_, issue({Exchange::kAllReduce, bytes, among}, Group::kData));
    }
    wait(gradients_done_, result_.exposed_data);
    for (const TextLayer& layer : workload_.layers) compute(layer.update, result_.backward);
  }

  void compute(Femtoseconds time, Femtoseconds& part) {
    now_ = sum(now_, time);
    part += time;
  }

  // Runs a collective after all earlier ones, and returns the time at which it completes.
  Femtoseconds issue(const Communication& communication, Group group) {
    if (communication.exchange == Exchange::kNone || communication.bytes == 0) return now_;
    const Femtoseconds time = duration_(communication, communication.among.value_or(group));
    network_free_ = sum(std::max(network_free_, now_), time);
    result_.communication += time;
    return network_free_;
  }

  void wait(Femtoseconds until, Femtoseconds& exposed) {
    if (until <= now_) return;
    exposed += until - now_;
    now_ = until;
  }

  static Femtoseconds sum(Femtoseconds a, Femtoseconds b) {
    if (b <= kLongest - a) return a + b;
    throw UnsupportedError("the iteration takes too long: the limit is 38 minutes");
  }

  const TextWorkload& workload_;
  Overlap overlap_;
  const ExchangeDuration& duration_;
  TextTimeline result_;
  Femtoseconds now_ = 0;
  Femtoseconds network_free_ = 0;
  Femtoseconds embedding_done_ = 0;
  Femtoseconds gradients_done_ = 0;
  std::map<std::optional<Group>, Bytes> gradients_;  // [group]: size of the gradients to reduce together
};

}  // namespace

TextTimeline make_text_timeline(const TextWorkload& workload, Overlap overlap,
                                const ExchangeDuration& duration) {
  return Iteration(workload, overlap, duration).run();
}

}  // namespace coppice::workload
