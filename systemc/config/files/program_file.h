#pragma once

#include <string>

#include "workload/program.h"

namespace coppice::config {

// Reads a program in YAML (docs/guide/programs.md):
//
//   name: two rows
//   ranks: 8
//   groups: {row: [0, 1, 2, 3], all: all}
//   iterations: 2
//   operations:
//     - {rank: all, name: forward, compute: 10 us, purpose: forward}
//     - {rank: [0, 1], name: matrix, compute: {operations: 1e12, bytes: 2 GB}, after: forward}
//     - {name: sum, all_reduce: 64 KiB, group: row, after: [forward], kind: data, priority: 1}
//     - {name: hidden, send: 1 MiB, from: 0, to: 1, after: matrix}
//     - {rank: 3, name: load, read: 1 GiB}
//     - {name: meet, barrier: all}
//
// An entry specifies one operation on each of its ranks. These are given by `rank` for compute, read and
// write (default: all), by `group` for a collective, and by `from` and `to` for a send. `after` names earlier
// entries: on each rank, the operation starts when the rank's own operations from all these entries have
// ended. From the second iteration on, it also waits for operations of the same rank in the previous
// iteration: for those from the entries named in `carry`, or for all if there is no `carry`. Throws
// ConfigError if a value is invalid.
workload::Program read_program_file(const std::string& path);

}  // namespace coppice::config
