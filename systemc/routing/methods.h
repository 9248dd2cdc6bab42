#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "routing/assigner.h"

namespace coppice::routing {

struct AssignerOptions {
  std::uint64_t seed = 1;   // random seed of hashes and annealing moves
  double ilp_seconds = 10;  // time limit of method ilp
};

// The method with this name; nullptr if there is none.
std::unique_ptr<PathAssigner> make_assigner(const std::string& method, const AssignerOptions& options = {});

struct MethodInfo {
  std::string name;
  std::string summary;
};
std::span<const MethodInfo> methods();

}  // namespace coppice::routing
