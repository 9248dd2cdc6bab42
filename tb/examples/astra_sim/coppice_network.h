#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <astra-sim/common/AstraNetworkAPI.hh>

#include "session/session.h"

// Implements ASTRA-sim's network by a Coppice session: its clock, its events, and the messages between ranks,
// which are Coppice's accelerators.
class CoppiceNetwork {
 public:
  using Handler = void (*)(void* argument);

  explicit CoppiceNetwork(coppice::session::Session session) : session_(std::move(session)) {}

  std::int64_t now_ps() const { return session_.now_ps(); }
  int ranks() const { return session_.accelerators(); }

  // Calls `handler` after `delta_ps`. Handlers for the same time are called in the order in which they were
  // scheduled.
  void schedule(std::int64_t delta_ps, Handler handler, void* argument);
  // Sends and receives of the same size and tag between two ranks match in the order of their calls. The
  // handler of a send is called when the message arrives. The handler of a receive is called when the message
  // has arrived and receive() has been called.
  void send(int src, int dst, std::uint64_t bytes, int tag, Handler handler, void* argument);
  void receive(int src, int dst, std::uint64_t bytes, int tag, Handler handler, void* argument);

  // Runs until no events remain. Throws std::runtime_error with Coppice's message if the simulation fails.
  void run();

 private:
  struct Event {
    std::int64_t at_ps;
    std::uint64_t number;
    Handler handler;
    void* argument;
    bool operator>(const Event& other) const {
      return std::tie(at_ps, number) > std::tie(other.at_ps, other.number);
    }
  };
  struct Receive {
    bool arrived = false;
    Handler handler = nullptr;
    void* argument = nullptr;
  };
  // The messages of one size and tag between two ranks. `first` is the number of the first element of
  // `waiting`.
  struct Stream {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t first = 0;
    std::deque<Receive> waiting{};
    Receive& at(std::uint64_t number);
    void forget();
  };

  void arrived(Stream& stream, std::uint64_t number, Handler handler, void* argument);
  void check(const coppice::session::Result<void>& result) const;

  coppice::session::Session session_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t scheduled_ = 0;
  bool advancing_ = false;
  std::map<std::tuple<int, int, std::uint64_t, int>, Stream> streams_;
};

// The interface through which one rank uses the network.
class CoppiceNetworkApi final : public AstraSim::AstraNetworkAPI {
 public:
  CoppiceNetworkApi(int rank, CoppiceNetwork& network) : AstraNetworkAPI(rank), network_(network) {}

  int sim_send(void* buffer, uint64_t count, int type, int dst, int tag, AstraSim::sim_request* request,
               void (*msg_handler)(void*), void* fun_arg) override;
  int sim_recv(void* buffer, uint64_t count, int type, int src, int tag, AstraSim::sim_request* request,
               void (*msg_handler)(void*), void* fun_arg) override;
  void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void*), void* fun_arg) override;
  AstraSim::timespec_t sim_get_time() override;

 private:
  CoppiceNetwork& network_;
};
