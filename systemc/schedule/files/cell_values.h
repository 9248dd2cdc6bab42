#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "schedule/files/msccl_buffers.h"

namespace coppice::schedule {

// Returns the name of a cell in error messages, such as "chunk 4 of buffer s".
std::string name_of(const MscclCell& cell);

// The sum of one chunk's data over some of the GPUs. Cells and messages with the same value share the set of
// contributions.
struct CellValue {
  int chunk = 0;
  std::shared_ptr<const std::set<NodeId>> contributions{};
};

// The values of all GPUs' buffers during a symbolic execution. Initially, these are the inputs of the
// collective.
class CellValues {
 public:
  // `buffers` must outlive this object.
  explicit CellValues(const MscclBuffers& buffers);

  // Returns the value of a cell; nullptr if nothing has been written to the cell.
  const CellValue* find(NodeId gpu, const MscclCell& cell) const;
  void set(NodeId gpu, const MscclCell& cell, CellValue value);

  // Whether the value is final, so that it may be sent by a gather.
  bool complete(const CellValue& value) const;
  // Adds `other` to `sum`. Returns "" or, if this is not possible, the reason.
  std::string add(CellValue& sum, const CellValue& other) const;

  // Throws BlockFault if a value that the collective requires is missing or wrong. `places` contains the
  // positions of the GPUs in the file.
  void require_outputs(std::span<const std::ptrdiff_t> places) const;

 private:
  const MscclBuffers& buffers_;
  std::vector<std::map<MscclCell, CellValue>> cells_;  // [gpu]
};

}  // namespace coppice::schedule
