#include "schedule/proof/program_check.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "hierarchical_machine.h"
#include "machine.h"
#include "schedule/proof/checker.h"
#include "schedule/proof/symmetric_check.h"
#include "table_comparison.h"

namespace coppice::schedule {
namespace {

using topology::DimensionKind;

// These are not the moves of any machine with several accelerators, so every piece is followed.
const Translations kNoMoves({1}, {0});

class AlteredProgramsTest : public testing::Test {
 protected:
  AlteredProgramsTest() {
    CompileRequest request = machine_.request(Collective::kAllReduce, Bytes{4} * 32 * 3 * 7, 3);
    request.pattern_beyond = 0;
    schedule_ = HierarchicalCompiler().compile(machine_.topology, request);
  }

  const ProgramTables& tables() const {
    return dynamic_cast<const ProgramTables&>(*schedule_.nodes[0].ports[0].source());
  }
  // Applies `change` to the specification of the shared tables and rebuilds them.
  template <typename Change>
  void alter(Change change) {
    ProgramTables::Spec spec;
    spec.programs = tables().programs();
    const ChunkProgram& program = spec.programs.begin()->second;
    for (const auto& [key, sizes] : tables().sizes()) spec.sizes[{&program, key.second}] = sizes;
    for (const auto& chunk : tables().chunks()) {
      spec.chunks.push_back(
          {&program, &spec.sizes.at({&program, chunk.sizes->bounds.back()}), chunk.address});
    }
    for (std::size_t slot = 0; slot < tables().slots(); ++slot) {
      spec.slots.emplace_back(tables().turns(slot).begin(), tables().turns(slot).end());
    }
    change(spec);
    const auto altered = std::make_shared<const ProgramTables>(tables().moves(), std::move(spec));
    for (NodeTables& node : schedule_.nodes) {
      for (Table& table : node.ports) table = Table(altered, table.slot(), table.node());
    }
  }
  void refuses(const std::string& what) {
    EXPECT_THAT([&] { check_schedule(machine_.topology, schedule_); },
                testing::ThrowsMessage<ScheduleError>(testing::HasSubstr(what)));
  }

  HierarchicalMachine machine_{{dimension(DimensionKind::kRing, 4), dimension(DimensionKind::kSwitch, 4)}};
  Schedule schedule_;
};

TEST_F(AlteredProgramsTest, AreCorrectIfUnchanged) {
  alter([](ProgramTables::Spec&) {});
  const ProgramTables* tables = alike_programs(machine_.topology, schedule_);
  ASSERT_NE(tables, nullptr);
  EXPECT_TRUE(check_programs(machine_.topology, schedule_, *tables).has_value());
}

TEST_F(AlteredProgramsTest, AreRejectedForAMissingTurn) {
  alter([](ProgramTables::Spec& spec) { spec.slots.front().pop_back(); });
  refuses("");
}

TEST_F(AlteredProgramsTest, AreRejectedForADuplicateTurn) {
  alter([](ProgramTables::Spec& spec) { spec.slots[0][1] = spec.slots[0][0]; });
  refuses("");
}

TEST_F(AlteredProgramsTest, AreRejectedForTurnsThatWaitForEachOther) {
  alter([](ProgramTables::Spec& spec) { std::ranges::reverse(spec.slots.front()); });
  refuses("waits for");
}

TEST_F(AlteredProgramsTest, AreRejectedForAGapBetweenChunks) {
  alter([](ProgramTables::Spec& spec) { spec.chunks[1].address += 4; });
  refuses("no message carries these bytes");
}

TEST_F(AlteredProgramsTest, AreRejectedForARouteToAnotherNode) {
  alter([](ProgramTables::Spec& spec) {
    ChunkProgram& program = spec.programs.begin()->second;
    program.set_route(5, 0, program.move(5, 1).route);
  });
  EXPECT_EQ(alike_programs(machine_.topology, schedule_), nullptr);
  refuses("its route leads to");
}

TEST_F(AlteredProgramsTest, AreProvenSeparatelyIfOneHasItsOwnTable) {
  schedule_.nodes[3].ports[0].entries();
  EXPECT_EQ(alike_programs(machine_.topology, schedule_), nullptr);
  check_schedule(machine_.topology, schedule_);
}

TEST_F(AlteredProgramsTest, AreProvenSeparatelyOverUnequalChannels) {
  const topology::Topology& even = machine_.topology;
  topology::Topology uneven(even.kind(), even.dims(), even.num_accelerators(), even.num_switches());
  for (const topology::Channel& channel : even.channels()) {
    uneven.add_channel(channel.src, channel.dst, channel.bandwidth,
                       channel.latency + (channel.src == 7 ? 1 : 0), channel.dimension);
  }
  EXPECT_NE(alike_programs(even, schedule_), nullptr);
  EXPECT_EQ(alike_programs(uneven, schedule_), nullptr);
  check_schedule(uneven, schedule_);
}

// Programs determine which accelerator owns which share, so they cannot prove a schedule with other owners.
TEST_F(AlteredProgramsTest, AreRejectedForSharesOfOtherAccelerators) {
  CompileRequest request = machine_.request(Collective::kReduceScatter, Bytes{4} * 32 * 3, 3);
  request.pattern_beyond = 0;
  schedule_ = HierarchicalCompiler().compile(machine_.topology, request);
  const ProgramTables* shared = alike_programs(machine_.topology, schedule_);
  ASSERT_NE(shared, nullptr);
  EXPECT_TRUE(check_programs(machine_.topology, schedule_, *shared).has_value());
  std::swap(schedule_.shares[0].owner, schedule_.shares[1].owner);
  EXPECT_FALSE(check_programs(machine_.topology, schedule_, *shared).has_value());
  refuses("the final value lacks");
  schedule_.shares.pop_back();
  EXPECT_FALSE(check_programs(machine_.topology, schedule_, *shared).has_value());
  refuses("not in any accelerator's share");
}

// The number of additions is that along the longest chain of sums, whatever the order of arrival.
TEST(ProgramProof, CountsAdditionsAlongTheDepthOfItsTrees) {
  const auto proven = [](const std::vector<topology::DimensionSpec>& specs, Collective collective) {
    const HierarchicalMachine machine(specs);
    DimensionOrder order(specs.size());
    std::iota(order.begin(), order.end(), 0);
    const auto pieces = static_cast<int>(pieces_of_a_chunk(machine.topology.num_accelerators(), true));
    return prove_program(program_of(machine.topology, pieces, collective, order), kNoMoves, collective);
  };
  const topology::DimensionSpec ring = dimension(DimensionKind::kRing, 4);
  const topology::DimensionSpec full = dimension(DimensionKind::kFullyConnected, 4);
  const topology::DimensionSpec halving = dimension(DimensionKind::kSwitch, 4);
  EXPECT_EQ(proven({ring}, Collective::kAllReduce), 3);
  EXPECT_EQ(proven({full}, Collective::kReduceScatter), 3);
  // The second step's arrival, itself a sum of two values, may be added before the first step's arrival.
  EXPECT_EQ(proven({halving}, Collective::kAllReduce), 1 + 2);
  // Each of the three ring steps counts three additions: the addition of its arrival, and those of the two
  // halving steps' arrivals, which may be added later.
  EXPECT_EQ(proven({halving, ring}, Collective::kAllReduce), 3 + 3 * 3);
  EXPECT_EQ(proven({ring, full}, Collective::kAllGather), 0);
}

// The proof of a program holds only for the collective for which the program was built.
TEST(ProgramProof, IsOnlyForItsCollective) {
  const HierarchicalMachine machine({dimension(DimensionKind::kRing, 4)});
  constexpr std::array kAll{Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather};
  for (const Collective made : kAll) {
    const ChunkProgram program = program_of(machine.topology, 8, made, {0});
    for (const Collective asked : kAll)
      EXPECT_EQ(prove_program(program, kNoMoves, asked).has_value(), made == asked);
  }
  // A ring needs an even number of pieces per accelerator, because it sends half of them in each direction.
  const ChunkProgram odd = program_of(machine.topology, 4, Collective::kAllReduce, {0});
  EXPECT_FALSE(prove_program(odd, kNoMoves, Collective::kAllReduce).has_value());
}

// The exchanges of a step: sender, destination and piece.
std::vector<std::array<std::int32_t, 3>> exchanges_of(const ChunkProgram& program,
                                                      const ChunkProgram::Step& step) {
  std::vector<std::array<std::int32_t, 3>> exchanges;
  for (int m = step.first_message; m < step.first_message + step.messages; ++m) {
    for (NodeId node = 0; node < program.accelerators(); ++node) {
      const ChunkProgram::Move& move = program.move(node, m);
      for (std::int32_t piece = move.pieces.first; piece < move.pieces.end(); ++piece) {
        exchanges.push_back({node, move.dst, piece});
      }
    }
  }
  std::ranges::sort(exchanges);
  return exchanges;
}

// Whether the move from the origin to `to` maps the exchanges of every step to themselves, piece by piece.
bool map_to_themselves(const ChunkProgram& program, const Translations& moves, NodeId to) {
  std::vector<NodeId> owners;
  for (std::int32_t piece = 0; piece < program.pieces(); ++piece) {
    NodeId owner = 0;
    while (piece < program.share(owner).first || piece >= program.share(owner).end()) ++owner;
    owners.push_back(owner);
  }
  return std::ranges::all_of(program.steps(), [&](const ChunkProgram::Step& step) {
    const auto exchanges = exchanges_of(program, step);
    auto images = exchanges;
    for (auto& [src, dst, piece] : images) {
      const NodeId owner = owners[static_cast<std::size_t>(piece)];
      piece += program.share(moves.moved(owner, to)).first - program.share(owner).first;
      src = moves.moved(src, to);
      dst = moves.moved(dst, to);
    }
    std::ranges::sort(images);
    return images == exchanges;
  });
}

// One share's proof gives the result of all shares' proofs, whatever the order of the dimensions.
RC_GTEST_PROP(ProgramProof, FollowsOneShareIfMovesMapPieces, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const auto collective =
      *rc::gen::element(Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather);
  const int chunks = *rc::gen::inRange(1, 5);
  CompileRequest request = machine.request(collective, random_data(machine, chunks), chunks);
  request.pattern_beyond = 0;
  request.chunk_policy.scheduler =
      *rc::gen::element(ChunkScheduler::kBaseline, ChunkScheduler::kThemis, ChunkScheduler::kThemisPlus);
  const Schedule schedule = HierarchicalCompiler().compile(machine.topology, request);
  // themis_plus may choose different all-gathers for small systems, which programs do not express.
  RC_PRE(has_patterns(schedule));
  const ProgramTables* tables = ProgramTables::of_all(schedule);
  for (const auto& [order, program] : tables->programs()) {
    const bool mapped = moves_map_pieces(program, tables->moves());
    bool expected = true;
    for (const NodeId to : {1, program.accelerators() / 2, program.accelerators() - 1})
      expected = expected && map_to_themselves(program, tables->moves(), to);
    RC_TAG(mapped ? "mapped" : "not mapped");
    RC_ASSERT(mapped == expected);
    for (const Collective asked : {collective, Collective::kAllReduce}) {
      RC_ASSERT(prove_program(program, tables->moves(), asked) == prove_program(program, kNoMoves, asked));
    }
  }
}

// After random changes to turns, positions and routes, the proof by programs agrees with the proof of all
// entries.
RC_GTEST_FIXTURE_PROP(AlteredProgramsTest, AreProvenOnlyIfAllEntriesAre, ()) {
  const auto below = [](std::size_t n) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, n));
  };
  alter([&](ProgramTables::Spec& spec) {
    for (std::size_t times = below(3); times > 0; --times) {
      auto& slot = spec.slots[below(spec.slots.size())];
      if (slot.size() < 2) continue;
      const std::size_t at = below(slot.size() - 1);
      switch (below(5)) {
        case 0:
          std::swap(slot[at], slot[at + 1]);
          break;
        case 1:
          std::swap(slot[at], slot[below(slot.size())]);
          break;
        case 2:
          slot[at].chunk = static_cast<std::int32_t>(below(spec.chunks.size()));
          break;
        case 3:
          slot.erase(slot.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        default: {
          ChunkProgram& program = spec.programs.begin()->second;
          const auto message = static_cast<int>(below(static_cast<std::size_t>(program.messages())));
          const NodeId node = static_cast<NodeId>(below(16));
          const auto other = static_cast<int>(below(static_cast<std::size_t>(program.messages())));
          program.set_route(node, message, program.move(node, other).route);
        }
      }
    }
  });
  const auto report_of = [](const auto& prove) -> std::optional<CheckReport> {
    try {
      return prove();
    } catch (const ScheduleError&) {
      return std::nullopt;
    }
  };
  const auto of_all =
      report_of([&] { return check_schedule(machine_.topology, with_stored_entries(schedule_)); });
  RC_TAG(of_all ? "right" : "wrong");
  const ProgramTables* alike = alike_programs(machine_.topology, schedule_);
  if (alike == nullptr) return;
  const auto of_programs = report_of([&]() -> CheckReport {
    auto report = check_programs(machine_.topology, schedule_, *alike);
    return report ? *report : throw ScheduleError("not by programs");
  });
  RC_TAG(of_programs ? "proven by programs" : "not proven by programs");
  if (!of_programs) return;
  RC_ASSERT(of_all.has_value());
  require_same_report(*of_programs, *of_all);
}

}  // namespace
}  // namespace coppice::schedule
