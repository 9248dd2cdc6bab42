#include "ni/issue/command_decoder.h"

#include <memory>

#include <gtest/gtest.h>

#include "Vcommand_decoder.h"

namespace coppice::cosim {
namespace {

TEST(CommandDecoder, DecidesLikeTheModelForAllInputs) {
  constexpr Cycles kNow = 10;
  VerilatedContext context;
  Vcommand_decoder decoder(&context);
  for (unsigned bits = 0; bits < 128; ++bits) {
    decoder.valid_i = bits & 1;
    decoder.nop_i = (bits >> 1) & 1;
    decoder.lockstep_i = (bits >> 2) & 1;
    decoder.hold_i = (bits >> 3) & 1;
    decoder.satisfied_i = (bits >> 4) & 1;
    decoder.place_i = (bits >> 5) & 1;
    decoder.pass_i = (bits >> 6) & 1;
    decoder.eval();

    schedule::TableEntry entry;
    entry.op = decoder.nop_i ? schedule::Op::kNop : schedule::Op::kReduce;
    entry.flow = 0;
    entry.dependencies = decoder.satisfied_i ? 0 : 1;
    ni::LockstepCounter lockstep;
    if (decoder.hold_i) lockstep.load(kNow, 1, 0);
    const ni::DependencyTracker tracker(1);
    const ni::DecoderState state = ni::decode(decoder.valid_i ? &entry : nullptr, decoder.pass_i,
                                              decoder.lockstep_i, lockstep, tracker, decoder.place_i, kNow);
    EXPECT_EQ(decoder.state_o, static_cast<int>(state)) << "inputs " << bits;
    EXPECT_EQ(decoder.issue_o, state == ni::DecoderState::kIssue);
    EXPECT_EQ(decoder.nop_o, state == ni::DecoderState::kNop);
  }
}

}  // namespace
}  // namespace coppice::cosim
