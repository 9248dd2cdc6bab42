#include "session/coppice.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/shipped_config.h"

namespace {

using ::testing::HasSubstr;

// A session with a shipped system. The destructor closes the session.
class Opened {
 public:
  explicit Opened(std::vector<const char*> overrides = {}, const std::string& system = "torus_4x4") {
    status = coppice_open(coppice::testing::shipped_config("systems/" + system + ".yaml").c_str(),
                          overrides.data(), overrides.size(), &session);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { coppice_close(session); }

  std::string error() const { return coppice_error(session); }

  coppice_session* session = nullptr;
  coppice_status status = COPPICE_OK;
};

// Records the calls of a session's callbacks.
struct Log {
  std::vector<coppice_done> done{};
  static void note(coppice_session*, const coppice_done* done, void* user) {
    static_cast<Log*>(user)->done.push_back(*done);
  }
};

TEST(Session, SendsAMessage) {
  const Opened one;
  ASSERT_EQ(one.status, COPPICE_OK) << one.error();
  EXPECT_EQ(coppice_accelerators(one.session), 16);
  Log log;
  ASSERT_EQ(coppice_advance(one.session, 5'000), COPPICE_OK);
  ASSERT_EQ(coppice_send(one.session, 3, 12, 4096, 99, Log::note, &log), COPPICE_OK) << one.error();
  EXPECT_EQ(coppice_in_flight(one.session), 1);
  ASSERT_EQ(coppice_drain(one.session), COPPICE_OK) << one.error();
  EXPECT_EQ(coppice_in_flight(one.session), 0);
  ASSERT_EQ(log.done.size(), 1U);
  const coppice_done& done = log.done.front();
  EXPECT_EQ(done.src, 3);
  EXPECT_EQ(done.dst, 12);
  EXPECT_EQ(done.bytes, 4096);
  EXPECT_EQ(done.tag, 99U);
  EXPECT_EQ(done.begun_ps, 5'000);
  EXPECT_EQ(done.time_ps, coppice_now(one.session));
  // The link carries 16 B per nanosecond, so the payload alone takes this long.
  EXPECT_GT(done.time_ps - done.begun_ps, 4096 / 16 * 1000);
}

TEST(Session, RepeatsOneAfterAnotherAndInParallel) {
  const auto time = [](coppice_session* session, Log& log) {
    coppice_send(session, 0, 5, 1000, 0, Log::note, &log);
    coppice_drain(session);
    return log.done.back().time_ps - log.done.back().begun_ps;
  };
  Log log;
  std::vector<std::int64_t> times;
  const Opened beside;
  for (int i = 0; i < 3; ++i) {
    const Opened one;
    times.push_back(time(one.session, log));
    times.push_back(time(beside.session, log));
  }
  EXPECT_THAT(times, ::testing::Each(times.front()));
}

// Contexts and buffers of finished messages are reused for messages between other accelerators and of other
// sizes.
TEST(Session, RepeatsMessagesWithinASession) {
  const Opened one({"check=contributions"});
  Log log;
  // One message after another, so that the state of arbiters has no effect.
  const auto round = [&] {
    std::vector<std::int64_t> times;
    for (int rank = 0; rank < 16; ++rank) {
      coppice_advance(one.session, (coppice_now(one.session) / 1'000 + 10) * 1'000);
      coppice_send(one.session, rank, (rank * 7 + 5) % 16, 64 + 1'000 * (rank % 4), 0, Log::note, &log);
      EXPECT_EQ(coppice_drain(one.session), COPPICE_OK) << one.error();
      times.push_back(log.done.back().time_ps - log.done.back().begun_ps);
    }
    return times;
  };
  const std::vector<std::int64_t> first = round();
  coppice_send(one.session, 3, 12, 100'000, 0, nullptr, nullptr);
  const coppice_collective_spec spec{"all_reduce", 4096, nullptr, 0, 0, 0};
  ASSERT_EQ(coppice_collective(one.session, &spec, 0, nullptr, nullptr), COPPICE_OK);
  ASSERT_EQ(coppice_drain(one.session), COPPICE_OK) << one.error();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(round(), first);
}

// Forwards each message in the picosecond of its arrival.
struct Relay {
  int hops = 0;
  std::vector<std::int64_t> times{};
  static void pass(coppice_session* session, const coppice_done* done, void* user) {
    auto& relay = *static_cast<Relay*>(user);
    EXPECT_EQ(coppice_now(session), done->time_ps);
    EXPECT_EQ(coppice_advance(session, done->time_ps + 1), COPPICE_BAD_CALL);
    EXPECT_EQ(coppice_close(session), COPPICE_BAD_CALL);
    relay.times.push_back(done->time_ps);
    if (relay.hops-- > 0) {
      EXPECT_EQ(coppice_send(session, done->dst, (done->dst + 1) % 16, 64, 0, pass, user), COPPICE_OK);
    }
  }
};

TEST(Session, SendsFromCallbacks) {
  const Opened one;
  Relay relay{3};
  coppice_send(one.session, 0, 1, 64, 0, Relay::pass, &relay);
  ASSERT_EQ(coppice_drain(one.session), COPPICE_OK) << one.error();
  ASSERT_EQ(relay.times.size(), 4U);
  // The message takes the same time for each hop between neighbouring columns.
  EXPECT_EQ(relay.times[1] - relay.times[0], relay.times[0]);
  EXPECT_EQ(relay.times[2] - relay.times[1], relay.times[0]);
}

TEST(Session, StopsWhenACallbackRequestsIt) {
  const Opened one;
  Log log;
  coppice_send(
      one.session, 0, 1, 64, 0,
      [](coppice_session* session, const coppice_done*, void*) {
        EXPECT_EQ(coppice_stop(session), COPPICE_OK);
      },
      nullptr);
  coppice_send(one.session, 0, 10, 64'000, 0, Log::note, &log);
  ASSERT_EQ(coppice_advance(one.session, 100'000'000), COPPICE_OK);
  EXPECT_LT(coppice_now(one.session), 10'000'000);
  EXPECT_TRUE(log.done.empty());
  ASSERT_EQ(coppice_advance(one.session, 100'000'000), COPPICE_OK);
  EXPECT_EQ(coppice_now(one.session), 100'000'000);
  EXPECT_EQ(log.done.size(), 1U);
  EXPECT_EQ(coppice_stop(one.session), COPPICE_BAD_CALL);
}

TEST(Session, RunsCollectives) {
  const Opened one({"collective.algorithm=multitree"});
  Log log;
  coppice_collective_spec spec{};
  spec.op = "all_reduce";
  spec.bytes = 65'536;
  ASSERT_EQ(coppice_collective(one.session, &spec, 5, Log::note, &log), COPPICE_OK) << one.error();
  const std::vector<std::int32_t> row{4, 5, 6, 7};
  spec.op = "broadcast";
  spec.group = row.data();
  spec.group_size = row.size();
  spec.root = 6;
  ASSERT_EQ(coppice_collective(one.session, &spec, 6, Log::note, &log), COPPICE_OK) << one.error();
  // A collective among one accelerator is done immediately, but its callback must not run within the call.
  spec.group_size = 1;
  spec.root = 4;
  ASSERT_EQ(coppice_collective(one.session, &spec, 7, Log::note, &log), COPPICE_OK) << one.error();
  EXPECT_TRUE(log.done.empty());
  ASSERT_EQ(coppice_drain(one.session), COPPICE_OK) << one.error();
  ASSERT_EQ(log.done.size(), 3U);
  EXPECT_EQ(log.done[0].tag, 7U);
  EXPECT_EQ(log.done[0].time_ps, 0);
  EXPECT_EQ(log.done[0].src, -1);
  EXPECT_GT(log.done[1].time_ps, 0);
}

TEST(Session, RejectsRequestsWithoutEffect) {
  const Opened one;
  EXPECT_EQ(coppice_send(one.session, 0, 16, 1, 0, nullptr, nullptr), COPPICE_BAD_INPUT);
  EXPECT_EQ(one.error(), "destination: accelerator 16 does not exist: the accelerators are 0 to 15");
  EXPECT_EQ(coppice_send(one.session, 2, 2, 1, 0, nullptr, nullptr), COPPICE_BAD_INPUT);
  EXPECT_EQ(coppice_send(one.session, 0, 2, -1, 0, nullptr, nullptr), COPPICE_BAD_INPUT);
  coppice_collective_spec spec{};
  spec.op = "all_redcue";
  spec.bytes = 64;
  EXPECT_EQ(coppice_collective(one.session, &spec, 0, nullptr, nullptr), COPPICE_BAD_INPUT);
  EXPECT_THAT(one.error(), HasSubstr("'all_redcue' is not an operation"));
  spec.op = "reduce";
  const std::vector<std::int32_t> twice{1, 2, 1};
  spec.group = twice.data();
  spec.group_size = twice.size();
  EXPECT_EQ(coppice_collective(one.session, &spec, 0, nullptr, nullptr), COPPICE_BAD_INPUT);
  EXPECT_THAT(one.error(), HasSubstr("accelerator 1 is in the group twice"));
  spec.group_size = 2;
  EXPECT_EQ(coppice_collective(one.session, &spec, 0, nullptr, nullptr), COPPICE_BAD_INPUT);
  EXPECT_THAT(one.error(), HasSubstr("the root, accelerator 0, is not in the group"));
  EXPECT_EQ(coppice_advance(one.session, INT64_MAX), COPPICE_BAD_INPUT);
  EXPECT_EQ(coppice_in_flight(one.session), 0);
  EXPECT_EQ(coppice_send(one.session, 0, 1, 1, 0, nullptr, nullptr), COPPICE_OK);
  EXPECT_EQ(coppice_drain(one.session), COPPICE_OK);
}

TEST(Session, ReportsWhyItDoesNotOpen) {
  const Opened misspelt({"system.lnik.bandwidth=1 GB/s"});
  EXPECT_EQ(misspelt.status, COPPICE_BAD_INPUT);
  EXPECT_THAT(misspelt.error(), HasSubstr("lnik"));
  EXPECT_EQ(coppice_send(misspelt.session, 0, 1, 1, 0, nullptr, nullptr), COPPICE_BAD_CALL);
  // A session that failed to open, or is null, has no accelerators, messages or pending events.
  for (const coppice_session* session : {static_cast<const coppice_session*>(misspelt.session),
                                         static_cast<const coppice_session*>(nullptr)}) {
    EXPECT_EQ(coppice_now(session), 0);
    EXPECT_EQ(coppice_next(session), INT64_MAX);
    EXPECT_EQ(coppice_in_flight(session), 0);
    EXPECT_EQ(coppice_accelerators(session), 0);
    EXPECT_STRNE(coppice_error(session), "");
  }
  const Opened missing({}, "no_such_system");
  EXPECT_EQ(missing.status, COPPICE_BAD_INPUT);
  const Opened leaps({"fidelity=leap"});
  EXPECT_EQ(leaps.status, COPPICE_BAD_INPUT);
  EXPECT_THAT(leaps.error(), HasSubstr("write flit, train or fluid"));
  EXPECT_EQ(coppice_open("x", nullptr, 0, nullptr), COPPICE_BAD_CALL);
  EXPECT_EQ(coppice_advance(nullptr, 1), COPPICE_BAD_CALL);
  EXPECT_EQ(coppice_drain(nullptr), COPPICE_BAD_CALL);
  EXPECT_EQ(coppice_stop(nullptr), COPPICE_BAD_CALL);
  EXPECT_EQ(coppice_close(nullptr), COPPICE_OK);
}

// Trains are exact only without contention, so two messages on the same channel end the session with an
// error.
TEST(Session, EndsIfTrainsContend) {
  const Opened one({"fidelity=train"});
  ASSERT_EQ(one.status, COPPICE_OK) << one.error();
  coppice_send(one.session, 0, 2, 40'000, 0, nullptr, nullptr);
  coppice_send(one.session, 1, 2, 40'000, 0, nullptr, nullptr);
  EXPECT_EQ(coppice_drain(one.session), COPPICE_RUN_FAILED);
  EXPECT_THAT(one.error(), HasSubstr("contention on channel 1->2"));
  EXPECT_EQ(coppice_send(one.session, 0, 1, 1, 0, nullptr, nullptr), COPPICE_BAD_CALL);
  EXPECT_THAT(one.error(), HasSubstr("contention on channel 1->2"));
  EXPECT_EQ(coppice_accelerators(one.session), 0);
  EXPECT_EQ(coppice_in_flight(one.session), 0);
}

}  // namespace
