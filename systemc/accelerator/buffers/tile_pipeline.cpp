#include "accelerator/buffers/tile_pipeline.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

__extension__ using Wide = unsigned __int128;

class Pipeline {
 public:
  Pipeline(std::span<const TileDemand> tiles, std::int64_t repeats, bool output_stays,
           const MemoryPace& memory)
      : tiles_(tiles),
        count_(static_cast<std::int64_t>(tiles.size()) * repeats),
        output_stays_(output_stays),
        memory_(memory) {}

  PipelineTimes run() {
    while (computed_ < count_ || !stores_.empty()) {
      compute();
      serve();
    }
    return times_;
  }

 private:
  struct Store {
    PeCycles ready = 0;
    Bytes bytes = 0;
    std::int64_t output = 0;  // index of the tile of sums to which the stored results belong
  };

  const TileDemand& tile(std::int64_t number) const {
    return tiles_[static_cast<std::size_t>(number) % tiles_.size()];
  }

  // Computes every tile that is ready: its load, and the stores for which it must wait, have been served.
  void compute() {
    while (computed_ < loaded_) {
      const TileDemand& next = tile(computed_);
      const std::int64_t output = output_ + (next.new_output ? 1 : 0);
      const bool waits = !output_stays_ && next.new_output && output >= 2;
      if (waits && !stores_.empty() && stores_.front().output <= output - 2) return;
      const PeCycles start =
          std::max({load_ends_.front(), last_end_, waits ? store_end_before(output - 1) : 0});
      load_ends_.pop_front();
      output_ = output;
      before_last_end_ = last_end_;
      last_end_ = start + next.compute;
      times_.compute += next.compute;
      times_.end = std::max(times_.end, last_end_);
      ++computed_;
      if (next.store > 0) stores_.push_back({last_end_, next.store, output_});
    }
  }

  // The end of the last store that belongs to a tile of sums before `output`. Stores are served in order.
  PeCycles store_end_before(std::int64_t output) const {
    return last_stored_ < output ? store_end_ : earlier_store_end_;
  }

  // Serves the transfer that was requested first.
  void serve() {
    const PeCycles load = load_ready();
    if (!stores_.empty() && stores_.front().ready <= load) {
      const Store store = stores_.front();
      stores_.pop_front();
      if (store.output != last_stored_) earlier_store_end_ = store_end_;
      last_stored_ = store.output;
      store_end_ = transfer(store.ready, store.bytes);
      times_.end = std::max(times_.end, store_end_);
    } else if (load != kNever) {
      load_end_ = transfer(load, tile(loaded_).load);
      load_ends_.push_back(load_end_);
      ++loaded_;
    }
  }

  PeCycles load_ready() const {
    if (loaded_ == count_) return kNever;
    if (!tile(loaded_).takes_half) return load_end_;
    const std::int64_t behind = loaded_ - computed_;
    if (behind > 1) return kNever;  // the tile two positions before it has not been computed yet
    return std::max(load_end_, behind == 1 ? last_end_ : before_last_end_);
  }

  PeCycles transfer(PeCycles ready, Bytes bytes) {
    if (bytes == 0) return ready;
    const PeCycles cycles = memory_.cycles(bytes);
    times_.memory_busy += cycles;
    memory_free_ = std::max(memory_free_, ready) + cycles;
    return memory_free_;
  }

  static constexpr PeCycles kNever = std::numeric_limits<PeCycles>::max();

  std::span<const TileDemand> tiles_;
  std::int64_t count_;
  bool output_stays_;
  const MemoryPace& memory_;
  std::int64_t loaded_ = 0;
  std::int64_t computed_ = 0;
  std::int64_t output_ = -1;
  std::deque<PeCycles> load_ends_;  // ends of loads of tiles that have not been computed yet
  std::deque<Store> stores_;        // stores that have not been served yet
  PeCycles load_end_ = 0;
  PeCycles last_end_ = 0;
  PeCycles before_last_end_ = 0;
  PeCycles memory_free_ = 0;
  PeCycles store_end_ = 0;  // end of the most recent store
  // The end of the last store that belongs to a different tile of sums than the most recent store.
  PeCycles earlier_store_end_ = 0;
  std::int64_t last_stored_ = -1;
  PipelineTimes times_;
};

}  // namespace

PipelineTimes run_pipeline(std::span<const TileDemand> tiles, std::int64_t repeats, bool output_stays,
                           const MemoryPace& memory) {
  if (tiles.empty() || repeats < 1) return {};
  Wide longest = 0;  // total number of cycles if nothing overlaps
  for (const TileDemand& tile : tiles) {
    longest += static_cast<Wide>(tile.compute) + static_cast<Wide>(memory.cycles(tile.load)) +
               static_cast<Wide>(memory.cycles(tile.store));
  }
  if (longest * static_cast<Wide>(repeats) > static_cast<Wide>(std::numeric_limits<PeCycles>::max() / 2)) {
    throw UnsupportedError(
        "the tiles take more cycles than can be counted: use a faster memory or fewer samples");
  }
  return Pipeline(tiles, repeats, output_stays, memory).run();
}

}  // namespace coppice::accelerator
