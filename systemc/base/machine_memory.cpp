#include "base/machine_memory.h"

#include <algorithm>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace coppice {
namespace {

// The number of bytes of address space that this process uses, including the command itself and its
// libraries.
Bytes taken() {
  Bytes pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Bytes machine_memory() {
  const auto physical =
      static_cast<Bytes>(::sysconf(_SC_PHYS_PAGES)) * static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
  struct rlimit space {};
  if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur >= static_cast<rlim_t>(physical)) return physical;
  return std::max<Bytes>(static_cast<Bytes>(space.rlim_cur) - taken(), 0);
}

}  // namespace coppice
