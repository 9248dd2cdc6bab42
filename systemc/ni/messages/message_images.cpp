#include "ni/messages/message_images.h"

#include <algorithm>
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

void MessageImages::Payloads::add(std::size_t sender, const Payload& payload) {
  values_.insert(values_.end(), payload.values.begin(), payload.values.end());
  contributions_.insert(contributions_.end(), payload.contributions.begin(), payload.contributions.end());
  ends_.push_back({sender, values_.size(), contributions_.size()});
}

void MessageImages::Payloads::copy(std::size_t i, Payload& into) const {
  const auto slice = [](const auto& all, std::size_t begin, std::size_t end, auto& part) {
    part.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const End begin = i == 0 ? End{} : ends_[i - 1];
  slice(values_, begin.values, ends_[i].values, into.values);
  slice(contributions_, begin.contributions, ends_[i].contributions, into.contributions);
}

void MessageImages::Payloads::copy_of(std::size_t sender, Payload& into) const {
  const auto found = std::ranges::lower_bound(ends_, sender, {}, &End::sender);
  if (found != ends_.end() && found->sender == sender) {
    copy(static_cast<std::size_t>(found - ends_.begin()), into);
  } else {
    into.clear();
  }
}

class MessageImages::Others final : public ImagesOfMessage {
 public:
  Others(MessageImages& images, const InFlight& message, const MessageRecord& original)
      : images_(images), message_(message), original_(original) {}

  const MessageRecord& original() const override { return original_; }
  std::span<const Ends> ends() const override { return images_.ends_; }
  const MessageRecord& image(std::size_t i) override {
    if (image_.src == topology::kNoNode) image_ = original_;
    image_.src = images_.ends_[i].src;
    image_.src_port = images_.ends_[i].src_port;
    image_.dst = images_.ends_[i].dst;
    image_.dst_port = images_.routes_->ejection_port(image_.dst, original_.dst_port);
    image_.entry = &images_.entry(static_cast<std::size_t>(image_.src), message_.slot, message_.index);
    message_.payloads.copy_of(static_cast<std::size_t>(image_.src), image_.payload);
    return image_;
  }

 private:
  MessageImages& images_;
  const InFlight& message_;
  const MessageRecord& original_;
  MessageRecord image_;
};

MessageImages::MessageImages(const schedule::Schedule& schedule, const schedule::SymmetricTables& tables,
                             const fabric::RouteImages& routes, MessageLog& log)
    : schedule_(&schedule),
      tables_(&tables),
      routes_(&routes),
      origin_(tables.moves().origin()),
      log_(&log),
      accelerators_(schedule.nodes.size()) {
  for (std::size_t n = 0; n < accelerators_; ++n) {
    const auto& ports = schedule.nodes[n].ports;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (ports[port].source() == nullptr) continue;
      const std::size_t at = ports[port].slot() * accelerators_ + n;
      if (ports_.size() <= at) ports_.resize((ports[port].slot() + 1) * accelerators_, -1);
      ports_[at] = static_cast<int>(port);
    }
  }
}

void MessageImages::issued(std::uint64_t message, std::size_t index, MessageRecord& record) {
  InFlight& sent = in_flight(message);
  sent.slot = schedule_->nodes[static_cast<std::size_t>(origin_)]
                  .ports[static_cast<std::size_t>(record.src_port)]
                  .slot();
  sent.index = index;
  sent.payloads.clear();
  tables_->read_images(sent.slot, index, sent.images);
  const GradientMemory& any = *nodes_.front().contents;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Image& image = sent.images[n];
    if (static_cast<NodeId>(n) == origin_) {
      sent.payloads.add(n, record.payload);
      continue;
    }
    nodes_[n].read += image.bytes;
    if (!any.tracks(image.address, image.bytes)) continue;
    nodes_[n].contents->read(image.address, image.bytes, payload_);
    sent.payloads.add(n, payload_);
  }
  record.payload.clear();
}

void MessageImages::arrived(std::uint64_t message, MessageRecord& record) {
  InFlight& came = in_flight(message);
  const auto from = static_cast<std::size_t>(tables_->moves().moved_back(origin_, record.dst));
  const TableEntry& image = entry(from, came.slot, came.index);
  if (image.destination() != origin_) {
    throw ModelError(fmt::format("message {}->{}: its image from {} goes to {}, not to {}", record.src,
                                 record.dst, from, image.destination(), origin_));
  }
  came.incoming = image;
  record.entry = &came.incoming;
  record.src = static_cast<NodeId>(from);
  record.src_port = port_of(came.slot, from);
  record.dst = origin_;
  came.payloads.copy_of(from, record.payload);
}

void MessageImages::completed(std::uint64_t message, MessageRecord& record) {
  InFlight& done = in_flight(message);
  const bool adds = record.entry->op == schedule::Op::kReduce;
  ends_.clear();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (static_cast<NodeId>(n) == record.src) continue;
    const Image& image = done.images[n];
    Node& node = nodes_[static_cast<std::size_t>(image.dst)];
    node.written += image.bytes;
    if (adds) node.read += image.bytes;
    ends_.push_back({static_cast<NodeId>(n), port_of(done.slot, n), image.dst});
  }
  for (std::size_t i = 0; i < done.payloads.size(); ++i) {
    const std::size_t n = done.payloads.sender(i);
    if (static_cast<NodeId>(n) == record.src) continue;
    done.payloads.copy(i, payload_);
    const NodeId dst = done.images[n].dst;
    ReductionUnit::apply(entry(n, done.slot, done.index), payload_,
                         *nodes_[static_cast<std::size_t>(dst)].contents);
  }
  Others others(*this, done, record);
  log_->images_completed(others);
}

void MessageImages::count_accesses() {
  for (Node& node : nodes_)
    node.memory->count_direct(std::exchange(node.read, 0), std::exchange(node.written, 0));
}

}  // namespace coppice::ni
