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

// The name of a cell in error messages, such as "chunk 4 of buffer s".
std::string name_of(const MscclCell& cell);

// The sum of some GPUs' data of one chunk. Cells and messages with the same value share the set.
struct CellValue {
  int chunk = 0;
  std::shared_ptr<const std::set<NodeId>> contributions{};
};

// The values of all GPUs' buffers during a symbolic execution; at first, the inputs of the collective.
class CellValues {
 public:
  // `buffers` must outlive this.
  explicit CellValues(const MscclBuffers& buffers);

  // The value of a cell; nullptr if nothing has been written to it.
  const CellValue* find(NodeId gpu, const MscclCell& cell) const;
  void set(NodeId gpu, const MscclCell& cell, CellValue value);

  // Whether the value may be sent as a final value.
  bool complete(const CellValue& value) const;
  // Adds `other` to `sum`. Returns "", or the reason why it cannot be added.
  std::string add(CellValue& sum, const CellValue& other) const;

  // Throws BlockFault if a value is not where the collective requires it; `places` are the positions of the
  // GPUs in the file.
  void require_outputs(std::span<const std::ptrdiff_t> places) const;

 private:
  const MscclBuffers& buffers_;
  std::vector<std::map<MscclCell, CellValue>> cells_;  // [gpu]
};

}  // namespace coppice::schedule
