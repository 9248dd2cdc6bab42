#include "schedule/tables/dimension_algorithm.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace coppice::schedule {

using topology::DimensionKind;

namespace {

bool power_of_two(int size) {
  return std::has_single_bit(static_cast<unsigned>(size));
}

// Reverses the order of the bits of `number`, which is less than the power of two `size`.
int bit_reversed(int number, int size) {
  int reversed = 0;
  for (int bit = 1; bit < size; bit *= 2) {
    if ((number & bit) != 0) reversed += size / 2 / bit;
  }
  return reversed;
}

// The kind of network whose usual algorithm is `method`. Throws UnsupportedError if a dimension of `kind`
// cannot run the method.
DimensionKind kind_of_method(std::size_t dimension, DimensionKind kind, int size, DimensionMethod method) {
  const bool ring = topology::is_ring(kind);
  switch (method) {
    case DimensionMethod::kRing:
      return ring ? kind : DimensionKind::kOneWayRing;
    case DimensionMethod::kDirect:
      if (!ring) return DimensionKind::kFullyConnected;
      break;
    case DimensionMethod::kHalvingDoubling:
      if (kind == DimensionKind::kSwitch && power_of_two(size)) return kind;
      if (kind != DimensionKind::kSwitch) break;
      throw UnsupportedError(fmt::format(
          "dimension {} is a switch of {} accelerators, but halving_doubling needs a power of two: write "
          "{} or {} accelerators, or use direct or ring",
          dimension, size, std::bit_floor(static_cast<unsigned>(size)),
          std::bit_ceil(static_cast<unsigned>(size))));
  }
  throw UnsupportedError(
      fmt::format("dimension {} is a {}, which cannot run {}: a ring can run ring, a fully connected group "
                  "can run direct or ring, and a switch can run halving_doubling, direct or ring",
                  dimension, topology::to_string(kind), to_string(method)));
}

}  // namespace

DimensionAlgorithm::DimensionAlgorithm(std::size_t dimension, DimensionKind kind, int size, bool in_network,
                                       std::optional<DimensionMethod> method)
    : kind_(kind), one_port_(kind == DimensionKind::kSwitch), size_(size), in_network_(in_network) {
  if (in_network) return;
  if (method) {
    kind_ = kind_of_method(dimension, kind, size, *method);
  } else if (kind == DimensionKind::kSwitch && !power_of_two(size)) {
    kind_ = DimensionKind::kFullyConnected;
  }
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

bool DimensionAlgorithm::exchanges() const {
  if (kind_ == DimensionKind::kFullyConnected) return one_port_ && power_of_two(size_);
  return kind_ == DimensionKind::kSwitch;
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
      const int peer = exchanges() ? self ^ bit_reversed(message + 1, size_) : around(self + message + 1);
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
