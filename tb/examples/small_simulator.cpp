// A custom simulator whose messages move as flits in Coppice. The stages of a pipeline compute micro-batches
// and send activations to the next stage through the session. The end of each computation is an event in the
// simulator's own queue.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "session/session.h"

namespace {

using coppice::session::Session;

constexpr std::int32_t kStages = 8;
constexpr int kBatches = 4;
constexpr std::int64_t kCompute = 2'000'000;  // in picoseconds
constexpr std::int64_t kBytes = 64 * 1024;    // bytes of activations per message

class Pipeline {
 public:
  explicit Pipeline(Session session) : session_(std::move(session)), busy_until_(kStages, 0) {}

  // Returns the time at which the last computation ends, in picoseconds, or an error.
  coppice::session::Result<std::int64_t> run() {
    for (int batch = 0; batch < kBatches; ++batch) compute(0);
    while (!ends_.empty() || session_.in_flight() > 0) {
      auto advanced = ends_.empty() ? session_.drain() : session_.advance(ends_.top().first);
      for (; advanced && !ends_.empty() && ends_.top().first <= session_.now_ps(); ends_.pop()) {
        const std::int32_t stage = ends_.top().second;
        if (stage + 1 == kStages) continue;
        advanced =
            session_.send(stage, stage + 1, kBytes, 0, [this](const auto& done) { compute(done.dst); });
      }
      if (!advanced) return advanced.error();
    }
    return session_.now_ps();
  }

 private:
  void compute(std::int32_t stage) {
    std::int64_t& end = busy_until_[static_cast<std::size_t>(stage)];
    end = std::max(end, session_.now_ps()) + kCompute;
    ends_.emplace(end, stage);
    (void)session_.stop();  // the computation that starts now may end before any known event
  }

  using End = std::pair<std::int64_t, std::int32_t>;  // the end time of a computation and its stage
  Session session_;
  std::vector<std::int64_t> busy_until_;  // one time per stage
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_{};
};

}  // namespace

int main() {
  auto session = Session::open(COPPICE_CONFIGS "/systems/torus_4x4.yaml", {"fidelity=flit"});
  auto end = session ? Pipeline(std::move(session.value())).run() : session.error();
  if (!end) return std::fprintf(stderr, "%s\n", end.error().text.c_str()), 1;
  std::printf("%d micro-batches through %d stages: %.3f us\n", kBatches, kStages,
              1e-6 * static_cast<double>(end.value()));
  const std::int64_t least = (kStages + kBatches - 1) * kCompute;  // the duration if messages took no time
  return end.value() > least && end.value() < 4 * least ? 0 : 1;
}
