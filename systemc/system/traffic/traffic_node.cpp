#include "system/traffic/traffic_node.h"

#include <algorithm>

namespace coppice::system {

using fabric::Packet;
using topology::NodeId;

TrafficNode::TrafficNode(const sc_core::sc_module_name& name, const TrafficPosition& place)
    : sc_module(name),
      node_(place.node),
      tie_mask_((std::uint64_t{1} << place.tie_bits) - 1),
      random_(place.seed, static_cast<std::uint64_t>(place.node)),
      measurement_(&place.measurement),
      terminal_("terminal", place.node, 1, place.flits) {
  terminal_.in[0].bind(in[0]);
  terminal_.out[0].bind(out[0]);
  network.bind(terminal_.network_port(0));
}

void TrafficNode::end_of_elaboration() {
  network->connect(*this, *this);
  network->wake(0);
}

void TrafficNode::fill(Packet& packet, NodeId dst, int flits, Cycles created) {
  packet.src = node_;
  packet.dst = dst;
  packet.route_state.tie_bits = tie_mask_ == 0 ? 0 : static_cast<std::uint32_t>(random_.next() & tie_mask_);
  packet.flits = static_cast<std::uint32_t>(flits);
  packet.created = created;
}

void TrafficNode::count_created(Cycles created, int flits) {
  if (!measurement_->covers(created)) return;
  ++measurement_->created;
  measurement_->created_flits += flits;
}

void TrafficNode::packet_ejected(const Packet& packet, Cycles now) {
  measurement_->last_ejection = std::max(measurement_->last_ejection, now);
  if (!measurement_->covers(packet.created)) return;
  ++measurement_->finished;
  measurement_->finished_flits += packet.flits;
  measurement_->packet_latency += now - packet.created;
  measurement_->flit_latency += packet.flit_cycles();
  measurement_->hops += packet.hops;
}

SyntheticNode::SyntheticNode(const sc_core::sc_module_name& name, const TrafficPosition& place,
                             const TrafficOptions& options, const TrafficPattern& pattern)
    : TrafficNode(name, place),
      packet_flits_(options.packet_flits),
      request_reply_(options.request_reply),
      process_(
          options.rate / (options.request_reply ? options.request_reply->mean_flits() : options.packet_flits),
          options.bursts),
      pattern_(&pattern) {}

void SyntheticNode::fill_request(Packet& packet, Cycles created) {
  int flits = packet_flits_;
  std::uint64_t tag = kRead;
  if (request_reply_) {
    const bool writes = random().bernoulli(request_reply_->writes);
    flits = writes ? request_reply_->write_request : request_reply_->read_request;
    if (writes) tag = kWrite;
  }
  const NodeId dst = pattern_->destination(node(), random());
  fill(packet, dst, flits, created);
  packet.tag = static_cast<std::uint64_t>(created) << kTagBits | tag;
  count_created(created, flits);
}

fabric::Injector::Answer SyntheticNode::next_packet(Cycles now, Packet& packet) {
  if (!replies_.empty()) {
    const Reply& reply = replies_.front();
    fill(packet, reply.to, reply.flits, reply.created);
    packet.tag = reply.tag;
    replies_.pop_front();
    return Answer::kPacket;
  }
  while (!next_.has_value() && drawn_until_ <= now + kHorizon) draw();
  if (!next_.has_value() || *next_ > now) {
    wake(next_.value_or(drawn_until_));
    return Answer::kSleep;
  }
  const Cycles created = *next_;
  next_.reset();
  fill_request(packet, created);
  return Answer::kPacket;
}

void SyntheticNode::packet_ejected(const Packet& packet, Cycles now) {
  TrafficNode::packet_ejected(packet, now);
  if (!request_reply_) return;
  const auto tag = packet.tag & ((1U << kTagBits) - 1);
  const auto requested = static_cast<Cycles>(packet.tag >> kTagBits);
  if (tag == kReply) {
    if (!measurement().covers(requested)) return;
    ++measurement().transactions;
    measurement().transaction_latency += now - requested;
    return;
  }
  const int flits = tag == kWrite ? request_reply_->write_reply : request_reply_->read_reply;
  replies_.push_back({packet.src, flits, now, static_cast<std::uint64_t>(requested) << kTagBits | kReply});
  count_created(now, flits);
  wake(now);
}

void TraceNode::release(std::size_t packet, Cycles at) {
  expect(packet, at);
  wake(at);
}

fabric::Injector::Answer TraceNode::next_packet(Cycles now, Packet& packet) {
  if (ready_.empty()) return Answer::kSleep;
  const auto [at, index] = ready_.top();
  if (at > now) {
    wake(at);
    return Answer::kSleep;
  }
  ready_.pop();
  const TracePacket& traced = trace_->packets[index];
  fill(packet, traced.dst, traced.flits, at);
  packet.tag = index;
  count_created(at, traced.flits);
  return Answer::kPacket;
}

void TraceNode::packet_ejected(const Packet& packet, Cycles now) {
  TrafficNode::packet_ejected(packet, now);
  ++trace_->arrived;
  for (const std::size_t next : trace_->packets[packet.tag].releases) {
    if (--trace_->missing[next] > 0) continue;
    const TracePacket& waiting = trace_->packets[next];
    trace_->nodes[static_cast<std::size_t>(waiting.src)]->release(next, std::max(waiting.at, now + 1));
  }
}

}  // namespace coppice::system
