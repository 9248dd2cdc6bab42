#include "ni/message_images.h"

#include <utility>

#include "ni/reduction_unit.h"

namespace coppice::ni {

void MessageImages::issued(std::uint64_t message, std::size_t index, MessageRecord& record) {
  UnderWay& sent = under_way(message);
  sent.index = index;
  sent.payloads.resize(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (static_cast<NodeId>(n) == origin_) continue;
    const TableEntry& image = entry(n, record.src_port, index);
    nodes_[n].memory->read_directly(image.address, image.bytes, sent.payloads[n]);
  }
  std::swap(sent.payloads[static_cast<std::size_t>(origin_)], record.payload);
}

void MessageImages::arrived(std::uint64_t message, MessageRecord& record) {
  UnderWay& came = under_way(message);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const TableEntry& image = entry(n, record.src_port, came.index);
    if (image.destination() != origin_) continue;
    came.incoming = image;
    record.entry = &came.incoming;
    record.src = static_cast<NodeId>(n);
    record.dst = origin_;
    std::swap(came.payloads[n], record.payload);
    return;
  }
}

void MessageImages::completed(std::uint64_t message, MessageRecord& record) {
  UnderWay& done = under_way(message);
  Payload own = std::move(record.payload);
  record.payload = {};
  MessageRecord told = record;
  record.payload = std::move(own);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (static_cast<NodeId>(n) == record.src) continue;
    const TableEntry& image = entry(n, record.src_port, done.index);
    const Node& node = nodes_[static_cast<std::size_t>(image.destination())];
    node.memory->write_directly(image.bytes, image.op == schedule::Op::kReduce);
    ReductionUnit::apply(image, done.payloads[n], *node.contents);
    told.src = static_cast<NodeId>(n);
    told.dst = image.destination();
    told.entry = &image;
    std::swap(told.payload, done.payloads[n]);
    log_->image_completed(told);
    std::swap(told.payload, done.payloads[n]);
  }
}

}  // namespace coppice::ni
