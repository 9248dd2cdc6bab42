// Fuzzes Chakra execution traces (protobuf and JSON); two ranks execute the same trace. The operations of an
// accepted trace must wait only for operations of the same rank.
#include <string>

#include <stdlib.h>

#include "base/error.h"
#include "input.h"
#include "workload/chakra/import.h"

namespace {

// A folder in which the trace of each rank is a link to the input.
class Ranks {
 public:
  Ranks() : folder_("/tmp/coppice_fuzz_chakra_XXXXXX") {
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~Ranks() {
    unlink_ranks();
    ::rmdir(folder_.c_str());
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  std::string link(const std::string& path) const {
    unlink_ranks();
    for (const char* rank : {"0", "1"}) {
      if (::symlink(path.c_str(), file(rank).c_str()) != 0) std::abort();
    }
    return file("{rank}");
  }

 private:
  std::string file(const std::string& rank) const { return folder_ + "/t." + rank + ".et"; }
  void unlink_ranks() const {
    for (const char* rank : {"0", "1"}) ::unlink(file(rank).c_str());
  }

  std::string folder_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  static const Ranks ranks;
  const fuzz::InputInMemory input(data, size);
  try {
    const auto imported =
        workload::chakra::import_chakra(ranks.link(input.path()), {.groups = {}, .follow_control = true});
    for (const auto& rank : imported.program.ranks) {
      for (const auto& operation : rank.operations) {
        for (const std::int32_t before : operation.after) {
          if (before < 0 || before >= std::ssize(rank.operations)) std::abort();
        }
      }
    }
    workload::check_program(imported.program);
  } catch (const ConfigError&) {
  } catch (const UnsupportedError&) {
  }
  return 0;
}
