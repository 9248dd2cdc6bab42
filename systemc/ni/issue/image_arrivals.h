#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ni/memory/gradient_memory.h"
#include "schedule/tables/table.h"

namespace coppice::ni {

// The message that arrives at a receiver in place of the message of a table entry. It is used in runs in
// which one accelerator represents several accelerators that do the same in the same cycles. The destination
// of the entry is then only an image of the receiver, so the receiver gets an image of the message, which
// another accelerator sends.
struct ImageArrival {
  schedule::TableEntry entry;  // the entry of the accelerator that sends to the receiver
  // [contributor]: the contributor's image, as seen by the accelerator that sends to the receiver.
  std::shared_ptr<const std::vector<std::int32_t>> contributors;
  // [part of the arriving data]: the part of the sent data whose image it is. Empty if the order is
  // the same.
  std::vector<std::int32_t> parts;

  // Replaces the sets of contributors in the representative's data with their images.
  void replace(Payload& payload) const {
    const std::size_t words = (contributors->size() + 63) / 64;
    std::vector<std::uint64_t> image(payload.contributions.size(), 0);
    for (std::size_t part = 0; part < image.size() / words; ++part) {
      const std::size_t sent = parts.empty() ? part : static_cast<std::size_t>(parts[part]);
      for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t bits = payload.contributions[sent * words + word]; bits != 0; bits &= bits - 1) {
          const std::size_t from = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          const auto to = static_cast<std::size_t>((*contributors)[from]);
          image[part * words + to / 64] |= std::uint64_t{1} << (to % 64);
        }
      }
    }
    payload.contributions = std::move(image);
  }
};

// Indexed by [port][entry], like schedule::NodeTables.
using ImageArrivals = std::vector<std::vector<ImageArrival>>;

}  // namespace coppice::ni
