#include "fabric/flits/switch_stretch.h"

#include <gmock/gmock.h>

#include <initializer_list>
#include <random>

namespace coppice::fabric {
namespace {

constexpr Femtoseconds kPeriod = kFemtosecondsPerNanosecond;

// The reference: a switch of kPorts inputs and outputs with kVcs virtual channels each, simulated cycle by
// cycle.
class PlainSwitch {
 public:
  static constexpr int kPorts = 5;
  static constexpr int kVcs = 3;

  explicit PlainSwitch(const SwitchPart& part)
      : grant_(kPorts), accept_(kPorts), vc_(kPorts), flit_time_(kPorts), next_free_(kPorts) {
    for (const SwitchInput& in : part.inputs) {
      accept_[at(in.port)] = in.accept_pointer;
      vc_[at(in.port)] = in.vc_pointer;
    }
    for (const SwitchOutput& out : part.outputs) {
      grant_[at(out.port)] = out.grant_pointer;
      flit_time_[at(out.port)] = out.flit_time;
      next_free_[at(out.port)] = out.next_free;
    }
    for (const SwitchFlow* flow : part.flows) flows_.push_back(*flow);
  }

  // Simulates `cycles` cycles and returns the cycles in which each flow sends.
  std::vector<CycleMask> run(Cycles cycles) {
    std::vector<CycleMask> sent(flows_.size());
    for (Cycles cycle = 0; cycle < cycles; ++cycle) {
      for (SwitchFlow& flow : flows_) {
        flow.flits += flow.arrivals.test(cycle) ? 1 : 0;
        flow.credits += flow.returns.test(cycle) ? 1 : 0;
      }
      for (const int flow : step(cycle)) sent[at(flow)].set(cycle);
    }
    return sent;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  // The index of a flow from `in` to `out` that can send, or -1. A nonnegative `vc` restricts the search to
  // this VC.
  int asking(int in, int out, int vc) const {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const SwitchFlow& flow = flows_[i];
      if (flow.in_port == in && flow.out_port == out && (vc < 0 || flow.vc == vc) && flow.flits > 0 &&
          flow.credits > 0)
        return static_cast<int>(i);
    }
    return -1;
  }

  std::vector<int> step(Cycles cycle) {
    std::vector<std::vector<bool>> granted(kPorts, std::vector<bool>(kPorts));  // [in][out]
    for (int out = 0; out < kPorts; ++out) {
      if (flit_time_[at(out)] != 0 && next_free_[at(out)] > cycle * kPeriod) continue;
      for (int turn = 0; turn < kPorts; ++turn) {
        const int in = (grant_[at(out)] + turn) % kPorts;
        if (asking(in, out, -1) < 0) continue;
        granted[at(in)][at(out)] = true;
        break;
      }
    }
    std::vector<int> sending;
    for (int in = 0; in < kPorts; ++in) {
      for (int turn = 0; turn < kPorts; ++turn) {
        const int out = (accept_[at(in)] + turn) % kPorts;
        if (!granted[at(in)][at(out)]) continue;
        int flow = -1;
        for (int v = 0; flow < 0; ++v) flow = asking(in, out, (vc_[at(in)] + v) % kVcs);
        sending.push_back(flow);
        grant_[at(out)] = (in + 1) % kPorts;
        accept_[at(in)] = (out + 1) % kPorts;
        vc_[at(in)] = (flows_[at(flow)].vc + 1) % kVcs;
        occupy(out, cycle);
        break;
      }
    }
    for (const int flow : sending) {
      --flows_[at(flow)].flits;
      --flows_[at(flow)].credits;
    }
    return sending;
  }

  void occupy(int out, Cycles cycle) {
    const Femtoseconds flit_time = flit_time_[at(out)];
    const Femtoseconds lost = flit_time % kPeriod == 0 ? 0 : kPeriod - 1;
    next_free_[at(out)] = std::max(next_free_[at(out)], cycle * kPeriod - lost) + flit_time;
  }

  std::vector<int> grant_;
  std::vector<int> accept_;
  std::vector<int> vc_;
  std::vector<Femtoseconds> flit_time_;
  std::vector<Femtoseconds> next_free_;
  std::vector<SwitchFlow> flows_;
};

// Generates random switches and arrivals.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  Cycles below(Cycles end) { return std::uniform_int_distribution<Cycles>(0, end - 1)(random_); }
  template <typename Value>
  Value one_of(std::initializer_list<Value> values) {
    return *(values.begin() + below(static_cast<Cycles>(values.size())));
  }
  // Random cycles among the first `cycles`: none, at irregular distances, or at a constant distance.
  CycleMask mask(Cycles cycles) {
    CycleMask mask;
    const Cycles kind = below(4);
    if (kind == 0) return mask;
    const Cycles step = 1 + below(8);
    for (Cycles cycle = below(60); cycle < cycles; cycle += kind == 1 ? 1 + below(2 * step) : step)
      mask.set(cycle);
    return mask;
  }

 private:
  std::mt19937 random_;
};

// A random switch: its ports, and a flow from some of the input virtual channels to an output.
struct Drawn {
  std::vector<SwitchFlow> flows;
  SwitchPart part;
};
Drawn draw(Draw& draw, Cycles cycles) {
  constexpr int kPorts = PlainSwitch::kPorts;
  constexpr int kVcs = PlainSwitch::kVcs;
  Drawn drawn;
  std::vector<bool> taken(kPorts * kVcs);
  for (int input_vc = 0; input_vc < kPorts * kVcs; ++input_vc) {
    SwitchFlow flow;
    flow.in_port = input_vc / kVcs;
    flow.vc = input_vc % kVcs;
    flow.input_vc = input_vc;
    flow.output_vc = static_cast<std::int32_t>(draw.below(kPorts * kVcs));
    if (taken[static_cast<std::size_t>(flow.output_vc)]) continue;
    taken[static_cast<std::size_t>(flow.output_vc)] = true;
    flow.out_port = flow.output_vc / kVcs;
    flow.flits = draw.one_of<Cycles>({0, 1, 2, 5, 40, 120, 300});
    flow.credits = draw.one_of<Cycles>({0, 1, 2, 5, 40, 120, 300});
    flow.arrivals = draw.mask(cycles);
    flow.returns = draw.mask(cycles);
    drawn.flows.push_back(flow);
  }
  const auto pointer = [&](int places) { return static_cast<int>(draw.below(places)); };
  const bool paced = draw.below(3) == 0;
  for (int port = 0; port < kPorts; ++port) {
    drawn.part.inputs.push_back({port, pointer(kVcs), pointer(kPorts)});
    const auto flit_time = paced ? draw.one_of<Femtoseconds>({0, 2 * kPeriod, 1'600'000}) : 0;
    const Femtoseconds next_free = flit_time == 0 ? 0 : (draw.below(7) - 3) * 700'000;
    drawn.part.outputs.push_back({port, pointer(kPorts), flit_time, next_free});
  }
  return drawn;
}

std::vector<CycleMask> sent(const Drawn& drawn) {
  std::vector<CycleMask> sent;
  for (const SwitchFlow& flow : drawn.flows) sent.push_back(flow.sent);
  return sent;
}

void point(Drawn& drawn) {
  drawn.part.flows.clear();
  for (SwitchFlow& flow : drawn.flows) drawn.part.flows.push_back(&flow);
}

TEST(SwitchStretch, ArbitratesLikeCycleByCycle) {
  SwitchStretch stretch(kPeriod);
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Draw numbers(seed);
    const Cycles cycles = 1 + numbers.below(CycleMask::kMost);
    Drawn drawn = draw(numbers, cycles);
    point(drawn);
    const std::vector<CycleMask> expected = PlainSwitch(drawn.part).run(cycles);
    stretch.run(drawn.part, cycles);
    ASSERT_TRUE(sent(drawn) == expected) << "seed " << seed;
    // Repeats the same stretch, whose result is now taken from memory.
    for (SwitchFlow& flow : drawn.flows) flow.sent = {};
    stretch.run(drawn.part, cycles);
    ASSERT_TRUE(sent(drawn) == expected) << "seed " << seed << ", remembered";
  }
  EXPECT_GE(stretch.found(), 1500);
}

// A single flow needs no arbitration and is computed directly, without remembered results.
TEST(SwitchStretch, RunsOneFlowAlone) {
  SwitchStretch stretch(kPeriod);
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Draw numbers(seed);
    const Cycles cycles = 1 + numbers.below(CycleMask::kMost);
    Drawn drawn = draw(numbers, cycles);
    drawn.flows.resize(1);
    const auto in = static_cast<std::size_t>(drawn.flows.front().in_port);
    const auto out = static_cast<std::size_t>(drawn.flows.front().out_port);
    drawn.part.inputs = {drawn.part.inputs[in]};
    drawn.part.outputs = {drawn.part.outputs[out]};
    point(drawn);
    const std::vector<CycleMask> expected = PlainSwitch(drawn.part).run(cycles);
    stretch.run(drawn.part, cycles);
    ASSERT_TRUE(sent(drawn) == expected) << "seed " << seed;
  }
}

// A remembered result applies to any part of a switch that differs only in its port numbers, but not to one
// with a different grant pointer.
TEST(SwitchStretch, CachesArbitrationByItsInputs) {
  SwitchStretch stretch(kPeriod);
  const auto run = [&](int first_in, int out, int grant_pointer) {
    std::vector<SwitchFlow> flows(2);
    for (int i = 0; i < 2; ++i) {
      SwitchFlow& flow = flows[static_cast<std::size_t>(i)];
      flow.in_port = first_in + i;
      flow.out_port = out;
      flow.flits = flow.credits = 100;
    }
    SwitchPart part{
        {&flows[0], &flows[1]}, {{first_in, 0, 0}, {first_in + 1, 0, 0}}, {{out, grant_pointer, 0, 0}}};
    stretch.run(part, 50);
    return flows[0].sent;
  };
  const CycleMask first = run(0, 3, 0);
  EXPECT_TRUE(first.test(0));
  EXPECT_EQ(first.count(), 25);
  EXPECT_EQ(run(2, 1, 0), first);
  EXPECT_EQ(stretch.asked(), 2);
  EXPECT_EQ(stretch.found(), 1);
  EXPECT_FALSE(run(0, 3, 1).test(0));
  EXPECT_EQ(stretch.found(), 1);
}

TEST(CycleMask, IsUsableAsAQueue) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Draw numbers(seed);
    const CycleMask come = numbers.mask(CycleMask::kMost);
    const Cycles waiting = numbers.below(250);
    CycleMask served;
    Cycles queue = waiting;
    for (Cycles cycle = 0; cycle < CycleMask::kMost; ++cycle) {
      queue += come.test(cycle) ? 1 : 0;
      if (queue == 0) continue;
      --queue;
      served.set(cycle);
    }
    ASSERT_TRUE(come.served(waiting) == served) << "seed " << seed;
  }
}

TEST(CycleMask, CountsEarlierCycles) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const CycleMask mask = Draw(seed).mask(CycleMask::kMost);
    Cycles before = 0;
    mask.for_each([&](Cycles cycle) { ASSERT_EQ(mask.nth(before++), cycle); });
    ASSERT_EQ(mask.nth(before), CycleMask::kMost);
  }
}

}  // namespace
}  // namespace coppice::fabric
