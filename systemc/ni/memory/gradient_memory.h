#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "ni/memory/contribution_sets.h"
#include "topology/topology.h"

namespace coppice::ni {

using topology::NodeId;

// The data of a message: a copy of a part of a gradient buffer, in the representation of the memory from
// which it was read. Empty if data is not checked.
struct Payload {
  std::vector<float> values;
  std::vector<std::uint64_t> contributions;

  // Removes the data but keeps the allocated memory.
  void clear() {
    values.clear();
    contributions.clear();
  }
};

// Thrown if data is provably wrong. what() names the memory or accelerator, and the address or element.
class WrongDataError : public ModelError {
 public:
  using ModelError::ModelError;
};

// The gradient buffer of an accelerator, as accessed by its network interface.
class GradientMemory {
 public:
  virtual ~GradientMemory() = default;
  // The addresses of the checked elements in ascending order, which are the same in the memories of all
  // accelerators of the run; nullopt if all data is checked.
  virtual std::optional<std::span<const Bytes>> checked() const { return std::nullopt; }
  // Copies data to `into` and reuses the memory allocated there, because a payload object serves many
  // messages.
  virtual void read(Bytes address, Bytes bytes, Payload& into) const = 0;
  Payload copy(Bytes address, Bytes bytes) const {
    Payload data;
    read(address, bytes, data);
    return data;
  }
  // Adds an arriving partial sum to the buffer. Throws WrongDataError if the sum is provably wrong.
  virtual void reduce(Bytes address, Bytes bytes, const Payload& payload) = 0;
  // Overwrites a part of the buffer with an arriving final value.
  virtual void store(Bytes address, Bytes bytes, const Payload& payload) = 0;
};

// A memory that stores nothing (`check: off`).
class NullMemory final : public GradientMemory {
 public:
  std::optional<std::span<const Bytes>> checked() const override { return std::span<const Bytes>(); }
  void read(Bytes, Bytes, Payload& into) const override { into.clear(); }
  void reduce(Bytes, Bytes, const Payload&) override {}
  void store(Bytes, Bytes, const Payload&) override {}
};

// A memory of real fp32 values (`check: values`).
class ValueMemory final : public GradientMemory {
 public:
  explicit ValueMemory(std::vector<float> values) : values_(std::move(values)) {}
  void read(Bytes address, Bytes bytes, Payload& into) const override;
  void reduce(Bytes address, Bytes bytes, const Payload& payload) override;
  void store(Bytes address, Bytes bytes, const Payload& payload) override;
  std::span<const float> values() const { return values_; }
  std::span<float> values() { return values_; }

 private:
  std::vector<float> values_;
};

// A memory that stores, for every segment of the buffer, the set of accelerators whose gradients are in the
// segment's sum (`check: contributions`). Segments either extend between adjacent addresses at which messages
// begin or end, so that every message covers whole segments, or are single sampled elements.
class ContributionMemory final : public GradientMemory {
 public:
  enum class Segments { kBetweenBoundaries, kSampledElements };
  // `addresses` contains either the boundaries of all segments, from 0 to the size of the buffer, or the
  // sampled elements. Addresses are in ascending order and are shared by all memories of a run. Initially,
  // every segment contains only the contribution of its own accelerator.
  ContributionMemory(std::shared_ptr<const std::vector<Bytes>> addresses, int accelerators, NodeId self,
                     Segments segments = Segments::kBetweenBoundaries);

  std::optional<std::span<const Bytes>> checked() const override {
    return sampled_ ? std::optional<std::span<const Bytes>>(*addresses_) : std::nullopt;
  }
  void read(Bytes address, Bytes bytes, Payload& into) const override;
  void reduce(Bytes address, Bytes bytes, const Payload& payload) override;
  void store(Bytes address, Bytes bytes, const Payload& payload) override;

  std::size_t segments() const { return sets_.segments(); }
  // Returns the accelerators whose gradients are in the segment's sum: bit a % 64 of word a / 64 stands for
  // accelerator a.
  std::vector<std::uint64_t> contributions(std::size_t segment) const;
  // Whether the sum of the segment contains the gradients of all accelerators.
  bool is_full(std::size_t segment) const { return sets_.is_full(segment); }
  // Marks all gradients as present in a segment. Used by all-gathers, which start from final values.
  void set_all(std::size_t segment) { sets_.fill(segment); }
  void clear(std::size_t segment) { sets_.clear(segment); }

 private:
  std::size_t place_of(Bytes at) const;
  std::pair<std::size_t, std::size_t> range(Bytes address, Bytes bytes) const;  // segments [first, last)

  std::shared_ptr<const std::vector<Bytes>> addresses_;
  bool sampled_;
  NodeId self_;
  Bytes spacing_;  // typical distance between adjacent addresses
  ContributionSets sets_;
};

}  // namespace coppice::ni
