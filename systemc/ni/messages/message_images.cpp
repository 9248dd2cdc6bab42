#include "ni/messages/message_images.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "ni/memory/reduction_unit.h"

namespace coppice::ni {

void MessageImages::Payloads::clear() {
  ends_.clear();
  values_.clear();
  runs_.clear();
}

void MessageImages::Payloads::add(std::size_t sender, const Payload& payload) {
  values_.insert(values_.end(), payload.values.begin(), payload.values.end());
  for (auto word = payload.contributions.begin(); word != payload.contributions.end();) {
    const auto end =
        std::find_if(word, payload.contributions.end(), [&](std::uint64_t other) { return other != *word; });
    runs_.push_back({*word, static_cast<std::uint32_t>(end - word)});
    word = end;
  }
  ends_.push_back({sender, values_.size(), runs_.size()});
}

void MessageImages::Payloads::copy(std::size_t i, Payload& into) const {
  const End begin = i == 0 ? End{} : ends_[i - 1];
  const auto values = std::span(values_).subspan(begin.values, ends_[i].values - begin.values);
  into.values.assign(values.begin(), values.end());
  into.contributions.clear();
  for (const Run& run : std::span(runs_).subspan(begin.runs, ends_[i].runs - begin.runs)) {
    into.contributions.insert(into.contributions.end(), run.count, run.word);
  }
}

void MessageImages::Payloads::copy_of(std::size_t sender, Payload& into) const {
  const auto found = std::ranges::lower_bound(ends_, sender, {}, &End::sender);
  if (found != ends_.end() && found->sender == sender) {
    copy(static_cast<std::size_t>(found - ends_.begin()), into);
  } else {
    into.clear();
  }
}

class MessageImages::Reported final : public ImagesOfMessage {
 public:
  Reported(MessageImages& images, const InFlight& message, const MessageRecord& original)
      : images_(images), message_(message), original_(original) {}

  const MessageRecord& original() const override { return original_; }
  std::size_t slot() const override { return message_.slot; }
  std::span<const int> ports() const override { return images_.ports_of(message_.slot); }
  const MessageRecord& image(NodeId src) override {
    if (src == original_.src) return original_;
    if (image_.src == topology::kNoNode) image_ = original_;
    image_.src = src;
    image_.src_port = ports()[static_cast<std::size_t>(src)];
    image_.entry = &images_.entry(static_cast<std::size_t>(src), message_.slot, message_.index);
    image_.dst = image_.entry->destination();
    image_.dst_port = images_.routes_->ejection_port(image_.dst, original_.dst_port);
    message_.payloads.copy_of(static_cast<std::size_t>(src), image_.payload);
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
      pattern_(tables.pattern()),
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

void MessageImages::add(GradientMemory& contents) {
  nodes_.push_back({&contents, {}});
  if (nodes_.size() < tables_->moves().nodes()) return;
  checked_ = contents.checked();
  if (pattern_ != nullptr) find_checked_owners();
}

bool MessageImages::is_checked(Bytes address, Bytes bytes) const {
  if (!checked_) return true;
  const auto next = std::ranges::lower_bound(*checked_, address);
  return next != checked_->end() && *next < address + bytes;
}

void MessageImages::find_checked_owners() {
  const int pieces = pattern_->pieces();
  checked_owners_.resize(static_cast<std::size_t>(pieces));
  for (int flow = 0; flow < pattern_->flows(); ++flow) {
    if (is_checked(flow * pattern_->bytes(), pattern_->bytes()))
      checked_owners_[static_cast<std::size_t>(flow % pieces)].push_back(flow / pieces);
  }
}

void MessageImages::read_images(const InFlight& sent, bool adds) {
  const auto count = [adds](Accesses& sender, Accesses& receiver, Bytes bytes) {
    sender.read += bytes;
    receiver.written += bytes;
    if (adds) receiver.read += bytes;
  };
  senders_.clear();
  if (pattern_ != nullptr) {
    const TableEntry& entry = pattern_->entries(sent.slot)[sent.index];
    count(common_, common_, entry.bytes);
    const auto piece = static_cast<std::size_t>(entry.flow % pattern_->pieces());
    // The sender of the image whose data belongs to the origin. The move that maps the origin to another
    // owner maps this accelerator to the sender of that owner's data.
    const schedule::Translations& moves = pattern_->moves();
    const NodeId sender = moves.moved_back(origin_, entry.flow / pattern_->pieces());
    for (const NodeId owner : checked_owners_[piece]) senders_.push_back(moves.moved(sender, owner));
    std::ranges::sort(senders_);
    return;
  }
  tables_->read_images(sent.slot, sent.index, images_);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Image& image = images_[n];
    count(nodes_[n].own, nodes_[static_cast<std::size_t>(image.dst)].own, image.bytes);
    if (is_checked(image.address, image.bytes)) senders_.push_back(static_cast<NodeId>(n));
  }
}

void MessageImages::issued(std::uint64_t message, std::size_t index, MessageRecord& record) {
  InFlight& sent = in_flight(message);
  sent.slot = schedule_->nodes[static_cast<std::size_t>(origin_)]
                  .ports[static_cast<std::size_t>(record.src_port)]
                  .slot();
  sent.index = index;
  sent.payloads.clear();
  read_images(sent, record.entry->op == schedule::Op::kReduce);
  for (const NodeId sender : senders_) {
    const auto n = static_cast<std::size_t>(sender);
    if (sender == origin_) {
      sent.payloads.add(n, record.payload);
      continue;
    }
    const TableEntry& image = entry(n, sent.slot, sent.index);
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
  record.src_port = ports_of(came.slot)[from];
  record.dst = origin_;
  came.payloads.copy_of(from, record.payload);
}

void MessageImages::completed(std::uint64_t message, MessageRecord& record) {
  InFlight& done = in_flight(message);
  for (std::size_t i = 0; i < done.payloads.size(); ++i) {
    const std::size_t n = done.payloads.sender(i);
    if (static_cast<NodeId>(n) == record.src) continue;
    done.payloads.copy(i, payload_);
    const TableEntry& image = entry(n, done.slot, done.index);
    ReductionUnit::apply(image, payload_, *nodes_[static_cast<std::size_t>(image.destination())].contents);
  }
  Reported reported(*this, done, record);
  log_->close(message, reported);
}

MemoryModule::Moved MessageImages::moved(NodeId accelerator) const {
  const Accesses& own = nodes_[static_cast<std::size_t>(accelerator)].own;
  const Bytes read = common_.read + own.read;
  const Bytes written = common_.written + own.written;
  return {.read = read, .written = written, .dma = read + written};
}

}  // namespace coppice::ni
