#include "system/collective/verification.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace coppice::system {
namespace {

using ni::GradientMemory;
using ni::Payload;
using schedule::Collective;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using topology::NodeId;

constexpr int kAccelerators = 4;
constexpr Bytes kSize = 64;  // 16 elements, of which each accelerator owns 4

// Tables with an entry for every chunk. Only the fields that the verification reads are set.
schedule::Schedule schedule_of(Collective collective) {
  schedule::Schedule schedule;
  schedule.collective = collective;
  schedule.size = kSize;
  schedule.flows = kAccelerators;
  schedule.nodes.resize(kAccelerators);
  for (int flow = 0; flow < kAccelerators; ++flow) {
    schedule::TableEntry entry;
    entry.op = collective == Collective::kAllGather ? schedule::Op::kGather : schedule::Op::kReduce;
    entry.flow = flow;
    entry.address = 16 * flow;
    entry.bytes = 16;
    auto& ports = schedule.nodes[static_cast<std::size_t>((flow + 1) % kAccelerators)].ports;
    ports.resize(1);
    ports[0].push_back(entry);
  }
  return schedule;
}

schedule::CheckReport report_of(int additions) {
  schedule::CheckReport report;
  report.additions.assign(kAccelerators, additions);
  return report;
}

// A collective that the test executes step by step, so that it can inject errors.
class VerificationTest : public ::testing::TestWithParam<config::Check> {
 protected:
  void start(Collective collective) {
    schedule_ = schedule_of(collective);
    report_ = report_of(collective == Collective::kAllGather ? 0 : kAccelerators - 1);
    verification_ = make_verification(GetParam(), schedule_, report_, 5);
  }
  GradientMemory& memory(NodeId a) { return verification_->memory(a); }
  void reduce(NodeId from, NodeId to, Bytes address, Bytes bytes) {
    memory(to).reduce(address, bytes, memory(from).copy(address, bytes));
  }
  void store(NodeId from, NodeId to, Bytes address, Bytes bytes) {
    memory(to).store(address, bytes, memory(from).copy(address, bytes));
  }
  void reduce_scatter() {
    for (NodeId owner = 0; owner < kAccelerators; ++owner) {
      for (NodeId a = 0; a < kAccelerators; ++a) {
        if (a != owner) reduce(a, owner, 16 * owner, 16);
      }
    }
  }
  void all_gather() {
    for (NodeId owner = 0; owner < kAccelerators; ++owner) {
      for (NodeId a = 0; a < kAccelerators; ++a) {
        if (a != owner) store(owner, a, 16 * owner, 16);
      }
    }
  }

  schedule::Schedule schedule_;
  schedule::CheckReport report_;
  std::unique_ptr<Verification> verification_;
};

TEST_P(VerificationTest, AcceptsEachCorrectCollective) {
  start(Collective::kAllReduce);
  reduce_scatter();
  all_gather();
  EXPECT_NO_THROW(verification_->verify());
  start(Collective::kReduceScatter);
  reduce_scatter();
  EXPECT_NO_THROW(verification_->verify());
  start(Collective::kAllGather);
  all_gather();
  EXPECT_NO_THROW(verification_->verify());
}

TEST_P(VerificationTest, CatchesAMissingContribution) {
  start(Collective::kReduceScatter);
  for (const NodeId a : {0, 1}) reduce(a, 2, 32, 16);  // omits accelerator 3
  for (const NodeId owner : {0, 1, 3}) {
    for (NodeId a = 0; a < kAccelerators; ++a) {
      if (a != owner) reduce(a, owner, 16 * owner, 16);
    }
  }
  EXPECT_THAT([&] { verification_->verify(); },
              ThrowsMessage<ModelError>(AllOf(HasSubstr("wrong sum"), HasSubstr("accelerator 2"))));
}

TEST_P(VerificationTest, CatchesADoubleContribution) {
  start(Collective::kReduceScatter);
  reduce_scatter();
  const auto again = [&] {
    reduce(1, 2, 32, 16);
    verification_->verify();
  };
  EXPECT_THROW(again(), ModelError);
}

TEST_P(VerificationTest, CatchesAValueThatWasNotStored) {
  start(Collective::kAllReduce);
  reduce_scatter();
  for (NodeId a = 1; a < 3; ++a) store(0, a, 0, 16);  // omits accelerator 3
  EXPECT_THROW(verification_->verify(), ModelError);
  start(Collective::kAllGather);
  for (NodeId a = 1; a < 3; ++a) store(0, a, 0, 16);
  EXPECT_THROW(verification_->verify(), ModelError);
}

TEST_P(VerificationTest, HasAName) {
  start(Collective::kAllReduce);
  EXPECT_STREQ(verification_->name(), to_string(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Checks, VerificationTest,
                         ::testing::Values(config::Check::kValues, config::Check::kContributions),
                         [](const auto& check) { return std::string(to_string(check.param)); });

class ValueVerification : public VerificationTest {
 protected:
  void finish(Collective collective = Collective::kAllReduce) {
    start(collective);
    reduce_scatter();
    all_gather();
  }
  void set(NodeId a, Bytes address, float value) { memory(a).store(address, 4, Payload{{value}, {}}); }
  float get(NodeId a, Bytes address) { return memory(a).copy(address, 4).values[0]; }
};

TEST_P(ValueVerification, CatchesAFlippedBit) {
  finish();
  // At one accelerator, a value changes by one unit in the last place. It stays within the error bound of the
  // sum, but the accelerators no longer agree bit by bit.
  set(2, 20, std::nextafter(get(2, 20), 100.0F));
  EXPECT_THAT([&] { verification_->verify(); },
              ThrowsMessage<ModelError>(HasSubstr("accelerators 0 and 2 disagree on element 5")));
}

TEST_P(ValueVerification, CatchesAWrongValueEverywhere) {
  finish();
  for (NodeId a = 0; a < kAccelerators; ++a) set(a, 20, get(a, 20) + 1e-4F);
  EXPECT_THAT([&] { verification_->verify(); },
              ThrowsMessage<ModelError>(HasSubstr("at accelerator 0, element 5 is")));
}

TEST_P(ValueVerification, CatchesANan) {
  finish();
  for (NodeId a = 0; a < kAccelerators; ++a) set(a, 20, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT([&] { verification_->verify(); }, ThrowsMessage<ModelError>(HasSubstr("wrong sum")));
}

TEST_P(ValueVerification, CatchesASignedZero) {
  finish();
  for (NodeId a = 0; a < kAccelerators; ++a) set(a, 20, 0.0F);
  EXPECT_THROW(verification_->verify(), ModelError);
}

// The error bound covers every order of additions, so a tree is accepted as well as a chain.
TEST_P(ValueVerification, AcceptsAnyOrderOfAdditions) {
  start(Collective::kReduceScatter);
  reduce(3, 1, 0, 64);
  reduce(2, 0, 0, 64);
  reduce(1, 0, 0, 64);  // (2 + 0) + (3 + 1)
  for (NodeId a = 1; a < kAccelerators; ++a) store(0, a, 16 * a, 16);
  EXPECT_NO_THROW(verification_->verify());
}

// Two reductions of different extent overlap. Each element must be checked against the bound of the deepest
// reduction that covers it.
TEST_P(ValueVerification, BoundsEveryElementByTheDeepestFlowThatTouchesIt) {
  schedule_ = schedule_of(Collective::kReduceScatter);
  // The report states five additions for flow 0, which covers the first chunk, and three for flow 1, which
  // covers the whole buffer.
  schedule_.nodes[1].ports[0][0].bytes = 16;
  auto& wide = schedule_.nodes[2].ports[0][0];
  wide.address = 0;
  wide.bytes = kSize;
  for (const NodeId a : {0, 3}) schedule_.nodes[static_cast<std::size_t>(a)].ports.clear();
  report_.additions = {5, 3, 0, 0};
  verification_ = make_verification(GetParam(), schedule_, report_, 5);
  reduce_scatter();
  EXPECT_NO_THROW(verification_->verify());
}

INSTANTIATE_TEST_SUITE_P(Checks, ValueVerification, ::testing::Values(config::Check::kValues));

TEST(MakeVerification, CarriesValuesWhileTheyFitMemory) {
  schedule::Schedule schedule = schedule_of(Collective::kAllReduce);
  const auto report = report_of(3);
  EXPECT_STREQ(make_verification(config::Check::kAuto, schedule, report, 1)->name(), "values");
  schedule.size = kValuesLimit / kAccelerators + 4;
  EXPECT_STREQ(make_verification(config::Check::kAuto, schedule, report, 1)->name(), "contributions");
  EXPECT_STREQ(make_verification(config::Check::kOff, schedule, report, 1)->name(), "off");
}

// Values depend on the seed and the accelerator, and are the same in every run.
TEST(MakeVerification, DrawsValuesBySeedAndAccelerator) {
  const auto schedule = schedule_of(Collective::kAllReduce);
  const auto report = report_of(3);
  const auto values = [&](std::uint64_t seed, NodeId a) {
    return make_verification(config::Check::kValues, schedule, report, seed)->memory(a).copy(0, kSize).values;
  };
  EXPECT_EQ(values(1, 0), values(1, 0));
  EXPECT_NE(values(1, 0), values(2, 0));
  EXPECT_NE(values(1, 0), values(1, 1));
}

// With 1,024 accelerators and 4,096 parts of one element each, contribution sets for all elements would need
// 512 MiB, so the verification keeps sets for a sample in 32 MiB.
class SampledVerification : public ::testing::Test {
 protected:
  static constexpr NodeId kMany = 1024;
  static constexpr Bytes kElements = 4096;

  SampledVerification() {
    schedule_.size = 4 * kElements;
    schedule_.flows = 1;
    schedule_.nodes.resize(kMany);
    auto& table = schedule_.nodes[0].ports.emplace_back();
    for (Bytes i = 0; i < kElements; ++i) {
      schedule::TableEntry& entry = table.emplace_back();
      entry.op = schedule::Op::kReduce;
      entry.flow = 0;
      entry.address = 4 * i;
      entry.bytes = 4;
    }
    verification_ = make_verification(config::Check::kContributions, schedule_, {}, 1);
  }
  GradientMemory& memory(NodeId a) { return verification_->memory(a); }
  void all_reduce(Bytes address, Bytes bytes) {
    for (NodeId a = 1; a < kMany; ++a) memory(0).reduce(address, bytes, memory(a).copy(address, bytes));
    for (NodeId a = 1; a < kMany; ++a) memory(a).store(address, bytes, memory(0).copy(address, bytes));
  }

  schedule::Schedule schedule_;
  std::unique_ptr<Verification> verification_;
};

TEST_F(SampledVerification, ChecksOneElementOfEveryInterval) {
  EXPECT_EQ(verification_->checked().elements, 256);
  EXPECT_EQ(verification_->checked().of, kElements);
  for (Bytes stretch = 0; stretch < 256; ++stretch) {
    EXPECT_EQ(memory(7).copy(64 * stretch, 64).contributions.size(), kMany / 64U);
  }
  all_reduce(0, schedule_.size);
  EXPECT_NO_THROW(verification_->verify());
}

TEST_F(SampledVerification, FindsFaultsOfAWholeInterval) {
  all_reduce(0, schedule_.size / 2);
  all_reduce(schedule_.size / 2 + 64, schedule_.size / 2 - 64);
  EXPECT_THAT([this] { verification_->verify(); },
              ThrowsMessage<ModelError>(HasSubstr("accelerator 0 lacks the contribution of accelerator 1 ")));
}

// After a restart, an all-gather must move all data again; other objects cannot be restarted.
TEST_P(VerificationTest, RestartsFromTheInitialData) {
  start(Collective::kAllGather);
  all_gather();
  EXPECT_NO_THROW(verification_->verify());
  if (!verification_->restart()) {
    EXPECT_EQ(GetParam(), config::Check::kValues);
    EXPECT_NO_THROW(verification_->verify());
    return;
  }
  EXPECT_THROW(verification_->verify(), ModelError);
  all_gather();
  EXPECT_NO_THROW(verification_->verify());
  start(Collective::kAllReduce);
  EXPECT_FALSE(verification_->restart());
}

}  // namespace
}  // namespace coppice::system
