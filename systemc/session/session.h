#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "session/coppice.h"

// A C++ interface for using Coppice inside another simulator. It has the same contract as session/coppice.h,
// except that errors are values, callbacks are function objects, and sessions close themselves. It needs only
// the standard library.
namespace coppice::session {

struct Error {
  coppice_status status = COPPICE_OK;
  std::string text;
};

// A value, or an error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : outcome_(std::move(value)) {}
  Result(Error error) : outcome_(std::move(error)) {}

  explicit operator bool() const { return outcome_.index() == 0; }
  // value() may be called only if there is a value, and error() only if there is an error.
  T& value() { return std::get<0>(outcome_); }
  const Error& error() const { return std::get<1>(outcome_); }

 private:
  std::variant<T, Error> outcome_;
};

// Success, or an error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Done = coppice_done;
using Callback = std::function<void(const Done& done)>;

struct Collective {
  std::string op;                     // as in coppice_collective_spec
  std::int64_t bytes = 0;             // as in collective.size
  std::vector<std::int32_t> group{};  // empty: all accelerators
  std::int32_t root = 0;
  std::int32_t priority = 0;
};

class Session {
 public:
  // Opens a session for a configuration file with overrides of the form "key=value".
  static Result<Session> open(const std::string& path, const std::vector<std::string>& overrides = {}) {
    std::vector<const char*> keys;
    for (const std::string& key : overrides) keys.push_back(key.c_str());
    coppice_session* opened = nullptr;
    const coppice_status status = coppice_open(path.c_str(), keys.data(), keys.size(), &opened);
    Session session(opened);
    if (status != COPPICE_OK) return session.error(status);
    return session;
  }

  // From a callback, only send(), collective() and stop() are permitted. If a callback throws, advance() or
  // drain() rethrows the exception before it returns.
  Result<void> send(std::int32_t src, std::int32_t dst, std::int64_t bytes, std::uint64_t tag = 0,
                    Callback callback = {}) {
    return request(std::move(callback), [&](coppice_callback call, void* user) {
      return coppice_send(session_.get(), src, dst, bytes, tag, call, user);
    });
  }
  Result<void> collective(const Collective& wanted, std::uint64_t tag = 0, Callback callback = {}) {
    const coppice_collective_spec spec{
        wanted.op.c_str(),   wanted.bytes, wanted.group.empty() ? nullptr : wanted.group.data(),
        wanted.group.size(), wanted.root,  wanted.priority};
    return request(std::move(callback), [&](coppice_callback call, void* user) {
      return coppice_collective(session_.get(), &spec, tag, call, user);
    });
  }
  Result<void> advance(std::int64_t until_ps) { return simulated(coppice_advance(session_.get(), until_ps)); }
  Result<void> drain() { return simulated(coppice_drain(session_.get())); }

  Result<void> stop() { return checked(coppice_stop(session_.get())); }

  std::int64_t now_ps() const { return coppice_now(session_.get()); }
  std::int64_t next_ps() const { return coppice_next(session_.get()); }
  std::int64_t in_flight() const { return coppice_in_flight(session_.get()); }
  std::int32_t accelerators() const { return coppice_accelerators(session_.get()); }

  // Ends the session, as its destructor does.
  Result<void> close() {
    coppice_session* const closed = session_.release();
    const coppice_status status = coppice_close(closed);
    if (status == COPPICE_OK) return {};
    session_.reset(closed);
    return error(status);
  }

 private:
  struct Close {
    void operator()(coppice_session* session) const { coppice_close(session); }
  };
  struct Callbacks;
  struct Waiting {
    Callbacks* all = nullptr;
    Callback call{};
  };
  // The callbacks of requests in flight.
  struct Callbacks {
    std::deque<Waiting> waiting{};
    std::vector<Waiting*> free{};
    std::exception_ptr thrown{};
  };

  explicit Session(coppice_session* session) : session_(session) {}

  static void arrived(coppice_session* /*session*/, const coppice_done* done, void* user) {
    auto& waiting = *static_cast<Waiting*>(user);
    Callbacks& all = *waiting.all;
    const Callback call = std::exchange(waiting.call, {});
    all.free.push_back(&waiting);
    try {
      call(*done);
    } catch (...) {
      if (!all.thrown) all.thrown = std::current_exception();
    }
  }

  template <typename Ask>
  Result<void> request(Callback callback, Ask ask) {
    if (!callback) return checked(ask(nullptr, nullptr));
    Callbacks& all = *callbacks_;
    if (all.free.empty()) all.free.push_back(&all.waiting.emplace_back(Waiting{&all}));
    Waiting& waiting = *all.free.back();
    const coppice_status status = ask(&Session::arrived, &waiting);
    if (status != COPPICE_OK) return error(status);
    waiting.call = std::move(callback);
    all.free.pop_back();
    return {};
  }

  Result<void> simulated(coppice_status status) {
    if (const auto thrown = std::exchange(callbacks_->thrown, nullptr)) std::rethrow_exception(thrown);
    return checked(status);
  }
  Result<void> checked(coppice_status status) const {
    if (status == COPPICE_OK) return {};
    return error(status);
  }
  Error error(coppice_status status) const { return {status, coppice_error(session_.get())}; }

  std::unique_ptr<Callbacks> callbacks_ = std::make_unique<Callbacks>();
  std::unique_ptr<coppice_session, Close> session_;
};

}  // namespace coppice::session
