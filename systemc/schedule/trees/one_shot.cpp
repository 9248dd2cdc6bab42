#include "schedule/trees/one_shot.h"

#include <memory>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/compile/spread.h"
#include "schedule/trees/two_shot.h"

namespace coppice::schedule {

AlgorithmInfo OneShotCompiler::info() {
  return {.name = "one_shot",
          .summary = "all-reduce: every accelerator sends all its data to all others, as GPU libraries do"};
}

Schedule OneShotCompiler::compile(const topology::Topology& topology, const CompileRequest& request) const {
  if (request.collective != Collective::kAllReduce) {
    throw UnsupportedError(
        fmt::format("one_shot is an all-reduce, not {}: use two_shot", to_string(request.collective)));
  }
  CompileRequest of_copies = request;
  of_copies.collective = Collective::kReduceScatter;
  if (__builtin_mul_overflow(request.size, Bytes{topology.num_accelerators()}, &of_copies.size)) {
    throw UnsupportedError(
        fmt::format("one_shot cannot address one copy of {} bytes for each of {} accelerators: use two_shot",
                    request.size, topology.num_accelerators()));
  }
  AlgorithmInfo by = TwoShotCompiler::info();
  by.make = []() -> std::unique_ptr<Compiler> { return std::make_unique<TwoShotCompiler>(); };
  Schedule schedule = compile_spread(by, topology, of_copies);
  schedule.algorithm = info().name;
  schedule.copies = topology.num_accelerators();
  if (schedule.copies == 1) schedule.collective = Collective::kAllReduce;
  return schedule;
}

}  // namespace coppice::schedule
