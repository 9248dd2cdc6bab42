#pragma once

#include <string>
#include <utility>

#include "machine.h"

namespace coppice::schedule {

// A machine and an algorithm with the same tables at all accelerators: a ring on a torus or mesh with an even
// side, or MultiTree on a torus. All accelerators have the same amount of data.
struct Symmetric {
  Machine machine;
  CompileRequest request;
  std::string algorithm;

  Schedule compile() const { return make_compiler(algorithm)->compile(machine.topology, request); }
};

inline Symmetric ring_on(Machine machine, Collective collective) {
  Symmetric symmetric{std::move(machine), {}, "ring"};
  const int n = symmetric.machine.topology.num_accelerators();
  symmetric.request = symmetric.machine.request(collective, Bytes{8} * n);
  symmetric.request.pattern_beyond = 1;
  return symmetric;
}

inline Symmetric trees_on(Machine machine, Collective collective, int pieces) {
  Symmetric symmetric{std::move(machine), {}, "multitree_optimal"};
  const int n = symmetric.machine.topology.num_accelerators();
  symmetric.request = symmetric.machine.request(collective, Bytes{8} * n * pieces);
  symmetric.request.chunks = pieces;
  symmetric.request.pattern_beyond = 1;
  return symmetric;
}

}  // namespace coppice::schedule
