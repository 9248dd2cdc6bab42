#include "ni/messages/message_images.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "ni/memory/reduction_unit.h"

namespace coppice::ni {

void MessageImages::Payloads::clear() {
  ends_.clear();
  values_.clear();
  contributions_.clear();
}

void MessageImages::Payloads::add(const Payload& payload) {
  values_.insert(values_.end(), payload.values.begin(), payload.values.end());
  contributions_.insert(contributions_.end(), payload.contributions.begin(), payload.contributions.end());
  ends_.push_back(
      {static_cast<std::uint32_t>(values_.size()), static_cast<std::uint32_t>(contributions_.size())});
}

void MessageImages::Payloads::copy(std::size_t accelerator, Payload& into) const {
  const End begin = accelerator == 0 ? End{} : ends_[accelerator - 1];
  const End end = ends_[accelerator];
  into.values.assign(values_.begin() + begin.values, values_.begin() + end.values);
  into.contributions.assign(contributions_.begin() + begin.contributions,
                            contributions_.begin() + end.contributions);
}

void MessageImages::issued(std::uint64_t message, std::size_t index, MessageRecord& record) {
  InFlight& sent = in_flight(message);
  sent.index = index;
  sent.payloads.clear();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (static_cast<NodeId>(n) == origin_) {
      sent.payloads.add(record.payload);
      continue;
    }
    const TableEntry& image = entry(n, record.src_port, index);
    nodes_[n].memory->read_directly(image.address, image.bytes, payload_);
    sent.payloads.add(payload_);
  }
  record.payload.clear();
}

void MessageImages::arrived(std::uint64_t message, MessageRecord& record) {
  InFlight& came = in_flight(message);
  const auto from = static_cast<std::size_t>(tables_->moves().moved_back(origin_, record.dst));
  const TableEntry& image = entry(from, record.src_port, came.index);
  if (image.destination() != origin_) {
    throw ModelError(fmt::format("message {}->{}: its image from {} goes to {}, not to {}", record.src,
                                 record.dst, from, image.destination(), origin_));
  }
  came.incoming = image;
  record.entry = &came.incoming;
  record.src = static_cast<NodeId>(from);
  record.dst = origin_;
  came.payloads.copy(from, record.payload);
}

void MessageImages::completed(std::uint64_t message, MessageRecord& record) {
  InFlight& done = in_flight(message);
  Payload own = std::move(record.payload);
  record.payload = {};
  MessageRecord reported = record;
  record.payload = std::move(own);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (static_cast<NodeId>(n) == record.src) continue;
    const TableEntry& image = entry(n, record.src_port, done.index);
    const Node& node = nodes_[static_cast<std::size_t>(image.destination())];
    node.memory->write_directly(image.bytes, image.op == schedule::Op::kReduce);
    done.payloads.copy(n, reported.payload);
    ReductionUnit::apply(image, reported.payload, *node.contents);
    reported.src = static_cast<NodeId>(n);
    reported.dst = image.destination();
    reported.entry = &image;
    log_->image_completed(reported);
  }
}

}  // namespace coppice::ni
