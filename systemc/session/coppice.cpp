#include "session/coppice.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <systemc>

#include "base/error.h"
#include "config/loader.h"
#include "system/open/open_run.h"

using coppice::Femtoseconds;
using coppice::system::OpenCollective;
using coppice::system::OpenRun;

struct coppice_session {
  // The callback and data of a message or collective in flight.
  struct Request {
    coppice_callback callback = nullptr;
    void* user = nullptr;
    coppice_done done{};
  };

  std::unique_ptr<OpenRun> run;     // nullptr if the session could not be opened or has failed
  std::vector<Request> requests{};  // [OpenRun::Id]
  std::string error{};
  std::int64_t ended_ps = 0;  // time of the failure
  bool busy = false;          // advance() or drain() is running
};

// The SystemC library requires the program to define this entry point; a definition by the caller takes
// precedence.
__attribute__((weak)) int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

namespace {

constexpr Femtoseconds kPicosecond = 1000;

std::int64_t picoseconds(Femtoseconds time) {
  return (time + kPicosecond - 1) / kPicosecond;
}

coppice_status refuse(coppice_session& session, coppice_status status, const char* text) {
  try {
    session.error = text;
  } catch (const std::bad_alloc&) {
    return COPPICE_NO_MEMORY;
  }
  return status;
}

// Runs `body` and converts its exceptions to a status.
template <typename Body>
coppice_status guarded(coppice_session& session, Body body) {
  try {
    body();
    return COPPICE_OK;
  } catch (const coppice::ConfigError& error) {
    return refuse(session, COPPICE_BAD_INPUT, error.what());
  } catch (const coppice::UnsupportedError& error) {
    return refuse(session, COPPICE_BAD_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return COPPICE_NO_MEMORY;
  } catch (const std::exception& error) {
    return refuse(session, COPPICE_RUN_FAILED, error.what());
  } catch (...) {
    return refuse(session, COPPICE_RUN_FAILED, "unknown exception");
  }
}

coppice_status require_open(coppice_session* session) {
  if (session == nullptr) return COPPICE_BAD_CALL;
  if (session->run != nullptr) return COPPICE_OK;
  return session->error.empty() ? refuse(*session, COPPICE_BAD_CALL, "the session is not open")
                                : COPPICE_BAD_CALL;
}

void done(coppice_session& session, OpenRun::Id id) {
  const coppice_session::Request request = session.requests[id];
  if (request.callback == nullptr) return;
  coppice_done done = request.done;
  done.time_ps = picoseconds(session.run->now());
  request.callback(&session, &done, request.user);
}

void keep(coppice_session& session, OpenRun::Id id, const coppice_session::Request& request) {
  if (id >= session.requests.size())
    session.requests.resize(std::max<std::size_t>(id + 1, 2 * std::size_t{id}));
  session.requests[id] = request;
}

OpenCollective collective_of(const coppice_collective_spec& spec) {
  OpenCollective collective;
  const std::string op = spec.op == nullptr ? "" : spec.op;
  const auto named = std::ranges::find_if(coppice::workload::kNamedCollectives,
                                          [&](auto known) { return op == to_string(known); });
  if (named == coppice::workload::kNamedCollectives.end()) {
    throw coppice::UnsupportedError(fmt::format(
        "collective: '{}' is not an operation: use all_reduce, reduce_scatter, all_gather, broadcast, "
        "reduce or all_to_all",
        op));
  }
  collective.op = *named;
  collective.bytes = spec.bytes;
  if (spec.group != nullptr) {
    collective.group.assign(spec.group, spec.group + spec.group_size);
    if (collective.group.empty()) throw coppice::UnsupportedError("collective: the group is empty");
  }
  collective.root = spec.root;
  collective.priority = spec.priority;
  return collective;
}

// Advances time by calling `body`. A failed run cannot continue.
template <typename Body>
coppice_status simulate(coppice_session* session, Body body) {
  if (const coppice_status status = require_open(session)) return status;
  if (session->busy)
    return refuse(*session, COPPICE_BAD_CALL,
                  "the session is already advancing time: return from the callback first");
  session->busy = true;
  const coppice_status status = guarded(*session, body);
  session->busy = false;
  if (status == COPPICE_RUN_FAILED || status == COPPICE_NO_MEMORY) {
    session->ended_ps = picoseconds(session->run->now());
    session->run.reset();
  }
  return status;
}

}  // namespace

coppice_status coppice_open(const char* path, const char* const* overrides, size_t count,
                            coppice_session** session) {
  if (session == nullptr) return COPPICE_BAD_CALL;
  *session = new (std::nothrow) coppice_session{};
  if (*session == nullptr) return COPPICE_NO_MEMORY;
  coppice_session& opened = **session;
  if (path == nullptr) return refuse(opened, COPPICE_BAD_INPUT, "the configuration path is missing");
  return guarded(opened, [&] {
    const std::vector<std::string> keys(overrides, overrides + count);
    opened.run =
        std::make_unique<OpenRun>(coppice::config::load(path, keys, coppice::config::Purpose::kTraffic));
    opened.run->on_done = [&opened](OpenRun::Id id) { done(opened, id); };
  });
}

coppice_status coppice_send(coppice_session* session, int32_t src, int32_t dst, int64_t bytes, uint64_t tag,
                            coppice_callback callback, void* user) {
  if (const coppice_status status = require_open(session)) return status;
  return guarded(*session, [&] {
    const OpenRun::Id id = session->run->send(src, dst, bytes);
    keep(*session, id, {callback, user, {0, picoseconds(session->run->now()), bytes, tag, src, dst}});
  });
}

coppice_status coppice_collective(coppice_session* session, const coppice_collective_spec* spec, uint64_t tag,
                                  coppice_callback callback, void* user) {
  if (const coppice_status status = require_open(session)) return status;
  if (spec == nullptr) return refuse(*session, COPPICE_BAD_INPUT, "the collective is missing");
  return guarded(*session, [&] {
    const OpenRun::Id id = session->run->collective(collective_of(*spec));
    keep(*session, id, {callback, user, {0, picoseconds(session->run->now()), spec->bytes, tag, -1, -1}});
  });
}

coppice_status coppice_advance(coppice_session* session, int64_t until_ps) {
  return simulate(session, [&] {
    if (until_ps > coppice::kLongestTime / kPicosecond) throw coppice::TimeLimitError("advance");
    session->run->advance(until_ps * kPicosecond);
  });
}

coppice_status coppice_drain(coppice_session* session) {
  return simulate(session, [&] { session->run->drain(); });
}

coppice_status coppice_stop(coppice_session* session) {
  if (const coppice_status status = require_open(session)) return status;
  if (!session->busy) return refuse(*session, COPPICE_BAD_CALL, "the session is not advancing time");
  session->run->stop();
  return COPPICE_OK;
}

int64_t coppice_now(const coppice_session* session) {
  if (session == nullptr) return 0;
  return session->run == nullptr ? session->ended_ps : picoseconds(session->run->now());
}

int64_t coppice_next(const coppice_session* session) {
  const auto next = session == nullptr || session->run == nullptr ? std::nullopt : session->run->next();
  return next ? picoseconds(*next) : std::numeric_limits<std::int64_t>::max();
}

int64_t coppice_in_flight(const coppice_session* session) {
  return session == nullptr || session->run == nullptr ? 0 : session->run->in_flight();
}

int32_t coppice_accelerators(const coppice_session* session) {
  return session == nullptr || session->run == nullptr ? 0 : session->run->accelerators();
}

const char* coppice_error(const coppice_session* session) {
  return session == nullptr ? "the session is missing" : session->error.c_str();
}

coppice_status coppice_close(coppice_session* session) {
  if (session == nullptr) return COPPICE_OK;
  if (session->busy)
    return refuse(*session, COPPICE_BAD_CALL, "the session is advancing time: close it afterwards");
  delete session;
  return COPPICE_OK;
}
