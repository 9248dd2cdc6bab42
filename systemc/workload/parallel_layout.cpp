#include "workload/parallel_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace coppice::workload {
namespace {

constexpr std::array kAxes{ParallelAxis::kTensor, ParallelAxis::kContext, ParallelAxis::kExpert,
                           ParallelAxis::kData, ParallelAxis::kPipeline};

std::size_t index(ParallelAxis axis) {
  return static_cast<std::size_t>(axis);
}

}  // namespace

const char* to_string(ParallelAxis axis) {
  switch (axis) {
    case ParallelAxis::kTensor:
      return "tensor";
    case ParallelAxis::kContext:
      return "context";
    case ParallelAxis::kExpert:
      return "expert";
    case ParallelAxis::kData:
      return "data";
    case ParallelAxis::kPipeline:
      return "pipeline";
  }
  return "?";
}

int ParallelSpec::ways(ParallelAxis axis) const {
  switch (axis) {
    case ParallelAxis::kTensor:
      return tensor;
    case ParallelAxis::kContext:
      return context;
    case ParallelAxis::kExpert:
      return expert;
    case ParallelAxis::kData:
      return data;
    case ParallelAxis::kPipeline:
      return pipeline;
  }
  return 1;
}

ParallelLayout::ParallelLayout(const ParallelSpec& spec) : spec_(spec) {
  for (const ParallelAxis axis : kAxes) {
    if (spec.ways(axis) < 1) {
      throw LayoutError(fmt::format("training.parallel.{}", to_string(axis)),
                        fmt::format("{} is not a possible degree of {} parallelism: write at least 1",
                                    spec.ways(axis), to_string(axis)));
    }
    if (std::ranges::count(spec.order, axis) != 1) {
      throw LayoutError("training.parallel.order",
                        fmt::format("the order of ranks lists {} {} times: list each of tensor, context, "
                                    "expert, data and pipeline once",
                                    to_string(axis), std::ranges::count(spec.order, axis)));
    }
  }
  for (const ParallelAxis axis : spec.order) {
    strides_[index(axis)] = ranks_;
    ranks_ *= spec.ways(axis);
  }
}

ParallelCoordinates ParallelLayout::coordinates(int rank) const {
  ParallelCoordinates result{};
  for (const ParallelAxis axis : kAxes) result[index(axis)] = rank / strides_[index(axis)] % spec_.ways(axis);
  return result;
}

int ParallelLayout::rank(const ParallelCoordinates& coordinates) const {
  int result = 0;
  for (const ParallelAxis axis : kAxes) result += coordinates[index(axis)] * strides_[index(axis)];
  return result;
}

std::vector<int> ParallelLayout::group(int rank, const std::vector<ParallelAxis>& axes) const {
  std::vector<int> members{rank};
  for (const ParallelAxis axis : axes) {
    std::vector<int> wider;
    for (const int member : members) {
      ParallelCoordinates at = coordinates(member);
      for (at[index(axis)] = 0; at[index(axis)] < spec_.ways(axis); ++at[index(axis)]) {
        wider.push_back(this->rank(at));
      }
    }
    members = std::move(wider);
  }
  std::ranges::sort(members);
  return members;
}

}  // namespace coppice::workload
