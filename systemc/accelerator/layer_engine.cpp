#include "accelerator/layer_engine.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::accelerator {

// The tiles of a TileSequence. They are only timed and carry no values.
class LayerEngine::Run final : public TileProgram {
 public:
  explicit Run(const TileSequence& run) : run_(run) {}

  std::int64_t tiles() const override { return std::ssize(run_.tiles) * run_.repeats; }
  TileDemand demand(std::int64_t tile) const override {
    return run_.tiles[static_cast<std::size_t>(tile) % run_.tiles.size()];
  }
  bool output_stays() const override { return run_.output_stays; }
  bool carries_values() const override { return false; }

 private:
  const TileSequence& run_;
};

LayerEngine::LayerEngine(const sc_core::sc_module_name& name, Frequency clock)
    : sc_module(name), tiles_("tiles", clock) {
  tiles_.memory.bind(memory);
  SC_HAS_PROCESS(LayerEngine);
  SC_METHOD(advance);
  sensitive << tiles_.done();
  dont_initialize();
}

LayerEngine::~LayerEngine() = default;

void LayerEngine::start(std::shared_ptr<const PassWork> work) {
  if (busy()) throw ModelError(fmt::format("{} is already computing a layer", name()));
  work_ = std::move(work);
  next_ = 0;
  advance();
}

void LayerEngine::advance() {
  run_.reset();
  while (next_ < work_->runs.size()) {
    const TileSequence& run = work_->runs[next_++];
    if (run.tiles.empty() || run.repeats == 0) continue;
    run_ = std::make_unique<Run>(run);
    tiles_.start(*run_);
    return;
  }
  work_ = nullptr;
  done_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace coppice::accelerator
