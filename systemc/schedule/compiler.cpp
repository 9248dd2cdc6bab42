#include "schedule/compiler.h"

#include "schedule/multitree.h"
#include "schedule/ring.h"

namespace coppice::schedule {
namespace {

struct Registered {
  AlgorithmInfo info;
  std::unique_ptr<Compiler> (*make)();
};

template <typename T>
std::unique_ptr<Compiler> make() {
  return std::make_unique<T>();
}

std::vector<Registered> registry() {
  return {
      {{"ring", "ring over neighbours, a chunk per accelerator"}, make<RingCompiler>},
      {{"multitree", "trees built with their link schedule, one per accelerator (ISCA 2021)"},
       make<MultiTreeCompiler>},
  };
}

}  // namespace

std::unique_ptr<Compiler> make_compiler(const std::string& algorithm) {
  for (const Registered& registered : registry()) {
    if (registered.info.name == algorithm) return registered.make();
  }
  return nullptr;
}

std::vector<AlgorithmInfo> algorithms() {
  std::vector<AlgorithmInfo> names;
  for (const Registered& registered : registry()) names.push_back(registered.info);
  return names;
}

}  // namespace coppice::schedule
