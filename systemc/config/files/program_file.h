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
// An operation stands for one of every rank that it names: compute, read and write for `rank` (all if left
// out), a collective for its group's, a send for `from` and `to`. `after` names operations of the list: what
// a rank does starts when its own part in all of them has ended. Of several iterations, operations come
// after the same rank's of the iteration before, by name where `carry` lists names, else after all of them.
// Throws ConfigError at the value at fault.
workload::Program read_program_file(const std::string& path);

}  // namespace coppice::config
