#include "schedule/files/cell_values.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/index.h"
#include "schedule/files/thread_blocks.h"

namespace coppice::schedule {

std::string name_of(const MscclCell& cell) {
  return fmt::format("chunk {} of buffer {}", cell.offset, cell.buffer);
}

CellValues::CellValues(const MscclBuffers& buffers) : buffers_(buffers), cells_(index(buffers.gpus())) {
  for (NodeId gpu = 0; gpu < buffers.gpus(); ++gpu) {
    const auto alone = std::make_shared<const std::set<NodeId>>(std::set{gpu});
    for (const auto& [cell, chunk] : buffers.inputs(gpu)) cells_[index(gpu)][cell] = {chunk, alone};
  }
}

const CellValue* CellValues::find(NodeId gpu, const MscclCell& cell) const {
  const auto found = cells_[index(gpu)].find(cell);
  return found == cells_[index(gpu)].end() ? nullptr : &found->second;
}

void CellValues::set(NodeId gpu, const MscclCell& cell, CellValue value) {
  cells_[index(gpu)][cell] = std::move(value);
}

bool CellValues::complete(const CellValue& value) const {
  return !buffers_.sums() || value.contributions->size() == cells_.size();
}

std::string CellValues::add(CellValue& sum, const CellValue& other) const {
  if (sum.chunk != other.chunk)
    return fmt::format("adds chunk {} to chunk {}, but can add only data of the same chunk", other.chunk,
                       sum.chunk);
  std::set<NodeId> all = *sum.contributions;
  for (const NodeId contribution : *other.contributions) {
    if (all.insert(contribution).second) continue;
    return fmt::format("adds the data of GPU {} to chunk {} twice", contribution, sum.chunk);
  }
  sum.contributions = std::make_shared<const std::set<NodeId>>(std::move(all));
  return "";
}

void CellValues::require_outputs(std::span<const std::ptrdiff_t> places) const {
  for (NodeId gpu = 0; gpu < buffers_.gpus(); ++gpu) {
    for (const auto& [cell, chunk] : buffers_.outputs(gpu)) {
      const auto fail = [&, cell = cell, chunk = chunk](const std::string& what) {
        BlockFault fault(BlockFault::Kind::kOutput, gpu, -1, -1, places[index(gpu)],
                         fmt::format("GPU {}: at the end, {} {}", gpu, name_of(cell), what));
        fault.chunk = chunk;
        throw fault;
      };
      const CellValue* value = find(gpu, cell);
      if (value == nullptr) fail("was never written");
      if (value->chunk != chunk) {
        fail(fmt::format("contains {} instead of {}", buffers_.describe(value->chunk),
                         buffers_.describe(chunk)));
      }
      if (complete(*value)) continue;
      std::vector<NodeId> missing;
      for (NodeId other = 0; other < buffers_.gpus(); ++other) {
        if (!value->contributions->contains(other)) missing.push_back(other);
      }
      fail(fmt::format("is a sum that lacks the data of GPU {}", fmt::join(missing, ", ")));
    }
  }
}

}  // namespace coppice::schedule
