#pragma once

#include <utility>

#include "machine.h"

namespace coppice::schedule {

// A MultiTree schedule on a random torus or mesh, once with shared TreeTables and once with stored entries.
struct PackedTrees {
  Machine machine;
  CompileRequest request;
  Schedule packed;
  Schedule stored;
};

inline PackedTrees random_packed_trees(int most = 5) {
  PackedTrees made{random_machine(most), {}, {}, {}};
  const int n = made.machine.topology.num_accelerators();
  RC_PRE(n > 1);
  // On tori, equal chunks would be stored as a pattern.
  Bytes size = 4 * n + random_size();
  if (size % (4 * n) == 0) size += 4;
  made.request = made.machine.request(random_collective(), size);
  made.request.ni_ports += *rc::gen::inRange(0, 2);
  made.request.pattern_beyond = 1;
  const auto compiler = make_compiler("multitree");
  made.packed = compiler->compile(made.machine.topology, made.request);
  made.request.pattern_beyond = 1 << 20;
  made.stored = compiler->compile(made.machine.topology, made.request);
  return made;
}

}  // namespace coppice::schedule
