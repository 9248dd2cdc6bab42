#include "coppice_network.h"

#include <cmath>
#include <limits>
#include <stdexcept>

void CoppiceNetwork::schedule(std::int64_t delta_ps, Handler handler, void* argument) {
  events_.push({now_ps() + delta_ps, scheduled_++, handler, argument});
  // The session must not advance past the new event, so it stops here.
  if (advancing_) session_.stop();
}

CoppiceNetwork::Receive& CoppiceNetwork::Stream::at(std::uint64_t number) {
  while (number >= first + waiting.size()) waiting.emplace_back();
  return waiting[number - first];
}

void CoppiceNetwork::Stream::forget() {
  while (!waiting.empty() && waiting.front().arrived && waiting.front().handler != nullptr) {
    waiting.pop_front();
    ++first;
  }
}

void CoppiceNetwork::arrived(Stream& stream, std::uint64_t number, Handler handler, void* argument) {
  if (handler != nullptr) schedule(0, handler, argument);
  Receive& receive = stream.at(number);
  receive.arrived = true;
  if (receive.handler != nullptr) schedule(0, receive.handler, receive.argument);
  stream.forget();
}

void CoppiceNetwork::send(int src, int dst, std::uint64_t bytes, int tag, Handler handler, void* argument) {
  Stream& stream = streams_[{src, dst, bytes, tag}];
  const std::uint64_t number = stream.sent++;
  if (src == dst) {
    arrived(stream, number, handler, argument);
    return;
  }
  check(session_.send(src, dst, static_cast<std::int64_t>(bytes), static_cast<std::uint64_t>(tag),
                      [this, &stream, number, handler, argument](const coppice::session::Done&) {
                        arrived(stream, number, handler, argument);
                      }));
}

void CoppiceNetwork::receive(int src, int dst, std::uint64_t bytes, int tag, Handler handler,
                             void* argument) {
  Stream& stream = streams_[{src, dst, bytes, tag}];
  Receive& receive = stream.at(stream.received++);
  receive.handler = handler;
  receive.argument = argument;
  if (receive.arrived) schedule(0, handler, argument);
  stream.forget();
}

void CoppiceNetwork::run() {
  while (!events_.empty() || session_.in_flight() > 0) {
    // If an arrival schedules an event, schedule() stops the session.
    advancing_ = true;
    const auto advanced = events_.empty() ? session_.drain() : session_.advance(events_.top().at_ps);
    advancing_ = false;
    check(advanced);
    while (!events_.empty() && events_.top().at_ps <= now_ps()) {
      const Event event = events_.top();
      events_.pop();
      event.handler(event.argument);
    }
  }
}

void CoppiceNetwork::check(const coppice::session::Result<void>& result) const {
  if (!result) throw std::runtime_error(result.error().text);
}

int CoppiceNetworkApi::sim_send(void* /*buffer*/, uint64_t count, int /*type*/, int dst, int tag,
                                AstraSim::sim_request* /*request*/, void (*msg_handler)(void*),
                                void* fun_arg) {
  network_.send(rank, dst, count, tag, msg_handler, fun_arg);
  return 0;
}

int CoppiceNetworkApi::sim_recv(void* /*buffer*/, uint64_t count, int /*type*/, int src, int tag,
                                AstraSim::sim_request* /*request*/, void (*msg_handler)(void*),
                                void* fun_arg) {
  network_.receive(src, rank, count, tag, msg_handler, fun_arg);
  return 0;
}

void CoppiceNetworkApi::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void*), void* fun_arg) {
  if (delta.time_res != AstraSim::NS) throw std::runtime_error("ASTRA-sim counts in nanoseconds");
  network_.schedule(std::llround(delta.time_val * 1000), fun_ptr, fun_arg);
}

// ASTRA-sim counts whole nanoseconds, so times are rounded up.
AstraSim::timespec_t CoppiceNetworkApi::sim_get_time() {
  return {AstraSim::NS, std::ceil(static_cast<long double>(network_.now_ps()) / 1000)};
}
