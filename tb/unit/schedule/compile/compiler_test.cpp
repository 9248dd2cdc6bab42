#include "schedule/compile/compiler.h"

#include <gmock/gmock.h>

#include <string>

#include "base/error.h"
#include "machine.h"
#include "schedule/registry.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Compiler, RejectsPiecesOfWholeChunks) {
  CompileRequest request;
  EXPECT_NO_THROW(require_whole_chunks(request, "one"));
  request.chunks = kAutomaticChunks;
  EXPECT_NO_THROW(require_whole_chunks(request, "one"));
  request.chunks = 2;
  EXPECT_THAT(
      [&] { require_whole_chunks(request, "one"); },
      ThrowsMessage<UnsupportedError>(HasSubstr("one does not split its data; set chunks to 1, not 2")));
}

// For every algorithm, the declared kind of chunking must match what its compiler accepts.
TEST(Compiler, AcceptsChunksAsDescribed) {
  const Machine machine = torus({4, 2});
  for (const AlgorithmInfo& info : algorithms()) {
    if (info.make == nullptr) continue;
    CompileRequest request = timed(machine.request(Collective::kAllReduce, 4096));
    request.chunks = 3;
    // MultiTree divides data into chunks only in a broadcast.
    if (info.rooted) {
      request.root = 1;
      request.collective = Collective::kAllGather;
    }
    try {
      const Schedule schedule = info.make()->compile(machine.topology, request);
      EXPECT_NE(info.chunking, Chunking::kWhole) << info.name;
      EXPECT_EQ(schedule.algorithm, info.chooses_algorithm ? schedule.algorithm : info.name);
    } catch (const UnsupportedError& error) {
      const bool whole = std::string(error.what()).find("does not split its data") != std::string::npos;
      EXPECT_TRUE(!whole || info.chunking == Chunking::kWhole) << info.name;
    }
  }
}

}  // namespace
}  // namespace coppice::schedule
