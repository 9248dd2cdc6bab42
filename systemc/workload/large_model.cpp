#include "workload/large_model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace coppice::workload {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr Femtoseconds kMicrosecond = 1000 * kFemtosecondsPerNanosecond;

const std::array<LargeModel, 3>& all_models() {
  // Tokens per batch: 2048 sequences of 2048 tokens for BLOOM, 3.2 million for GPT-3, and 4 million for LLaMA
  // 2.
  static const std::array<LargeModel, 3> models{{
      {"bloom", 176 * kBillion, 4, 12, 1'238'800 * kMicrosecond, 2048 * 2048},
      {"gpt3", 175 * kBillion, 8, 8, 1'009'600 * kMicrosecond, 3'200'000},
      {"llama2_70b", 70 * kBillion, 8, 16, 2'692'300 * kMicrosecond, 4'000'000},
  }};
  return models;
}

}  // namespace

std::span<const LargeModel> large_models() {
  return all_models();
}

std::optional<LargeModel> find_large_model(std::string_view name) {
  const auto models = large_models();
  const auto found = std::ranges::find(models, name, &LargeModel::name);
  if (found == models.end()) return std::nullopt;
  return *found;
}

Femtoseconds physical_compute(const LargeModel& model, int accelerators, double utilization) {
  constexpr double kFlops = 312e12;
  const double operations =
      6.0 * static_cast<double>(model.parameters) * static_cast<double>(model.batch_tokens);
  const double seconds = operations / (kFlops * utilization * accelerators);
  return static_cast<Femtoseconds>(std::llround(seconds * 1e9)) * kFemtosecondsPerNanosecond;
}

}  // namespace coppice::workload
