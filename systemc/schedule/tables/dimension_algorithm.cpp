#include "schedule/tables/dimension_algorithm.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace coppice::schedule {

using topology::DimensionKind;

namespace {

// The kind of network whose usual algorithm is `method`. Throws UnsupportedError if a dimension of `kind`
// cannot run the method.
DimensionKind kind_of_method(std::size_t dimension, DimensionKind kind, DimensionMethod method) {
  const bool ring = topology::is_ring(kind);
  switch (method) {
    case DimensionMethod::kRing:
      return ring ? kind : DimensionKind::kOneWayRing;
    case DimensionMethod::kDirect:
      if (!ring) return DimensionKind::kFullyConnected;
      break;
    case DimensionMethod::kHalvingDoubling:
      if (kind == DimensionKind::kSwitch) return kind;
      break;
  }
  throw UnsupportedError(
      fmt::format("dimension {} is a {}, which cannot run {}: a ring can run ring, a fully connected group "
                  "can run direct or ring, and a switch can run halving_doubling, direct or ring",
                  dimension, topology::to_string(kind), to_string(method)));
}

}  // namespace

DimensionAlgorithm::DimensionAlgorithm(std::size_t dimension, DimensionKind kind, int size, bool in_network,
                                       std::optional<DimensionMethod> method)
    : kind_(method && !in_network ? kind_of_method(dimension, kind, *method) : kind),
      one_port_(kind == DimensionKind::kSwitch),
      size_(size),
      in_network_(in_network) {
  const auto width = static_cast<unsigned>(size);
  if (kind_ != DimensionKind::kSwitch || in_network || std::has_single_bit(width)) return;
  throw UnsupportedError(fmt::format(
      "dimension {} is a switch of {} accelerators, but halving-doubling needs a power of two: write {} or "
      "{}, make the dimension fully_connected (direct) or a ring, or let its switches reduce (in_network)",
      dimension, size, std::bit_floor(width), std::bit_ceil(width)));
}

int DimensionAlgorithm::steps() const {
  if (in_network_) return 1;
  switch (kind_) {
    case DimensionKind::kRing:
    case DimensionKind::kOneWayRing:
      return size_ - 1;
    case DimensionKind::kFullyConnected:
      return 1;
    case DimensionKind::kSwitch:
      break;
  }
  return std::countr_zero(static_cast<unsigned>(size_));
}

int DimensionAlgorithm::messages() const {
  switch (kind_) {
    case DimensionKind::kRing:
      return 2;
    case DimensionKind::kFullyConnected:
      return size_ - 1;
    case DimensionKind::kOneWayRing:
    case DimensionKind::kSwitch:
      break;
  }
  return 1;
}

int DimensionAlgorithm::ports() const {
  return one_port_ ? 1 : messages();
}

DimensionAlgorithm::Move DimensionAlgorithm::move(Op op, int step, int message, int self) const {
  const bool reduces = op == Op::kReduce;
  const auto around = [this](int coordinate) { return (coordinate % size_ + size_) % size_; };
  switch (kind_) {
    case DimensionKind::kRing:
    case DimensionKind::kOneWayRing: {
      // Message 0 travels towards higher coordinates and message 1 towards lower ones. The part that arrives
      // last is the accelerator's own.
      const int way = message == 0 ? 1 : -1;
      const int behind = reduces ? step + 1 : step;
      return {.peer = around(self + way), .port = message, .first_part = around(self - way * behind)};
    }
    case DimensionKind::kFullyConnected: {
      const int peer = around(self + message + 1);
      return {.peer = peer, .port = one_port_ ? 0 : message, .first_part = reduces ? peer : self};
    }
    case DimensionKind::kSwitch:
      break;
  }
  const int distance = reduces ? size_ >> (step + 1) : 1 << step;
  const int peer = self ^ distance;
  const int held_by = reduces ? peer : self;
  return {.peer = peer, .port = 0, .first_part = held_by / distance * distance, .parts = distance};
}

}  // namespace coppice::schedule
