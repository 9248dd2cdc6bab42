#include "base/huge_pages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

// Any header of the C library defines __GLIBC__ if the library is glibc.
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace coppice {

#ifdef __GLIBC__
namespace {

// All sizes are in bytes.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr int kSmallStep = 128 << 10;  // default growth of the heap
constexpr int kReserve = 1 << 30;      // reserved address space; memory is allocated only when it is written
// The maximum size of allocations in the heap once the reserve is used up. Larger allocations are mapped
// separately.
constexpr int kLargestOfHeap = 4 << 20;
constexpr std::size_t kProbe = 2 << 20;  // more bytes than the heap has when a program starts

}  // namespace

void use_huge_pages() {
  struct rlimit addresses {};
  if (getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur != RLIM_INFINITY) return;
  // Setting either limit disables glibc's automatic adjustment of both limits. The reserve must not be
  // trimmed.
  mallopt(M_MMAP_THRESHOLD, kLargestOfHeap);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kReserve);
  // Makes the heap grow by the reserve now. The pointer is volatile because compilers may remove an unused
  // allocation.
  void* const volatile probe = std::malloc(kProbe);
  mallopt(M_TOP_PAD, kSmallStep);
  if (probe == nullptr) return;
  const std::size_t behind_page = reinterpret_cast<std::uintptr_t>(probe) % kHugePage;
  char* const begin = static_cast<char*>(probe) + (kHugePage - behind_page) % kHugePage;
  const std::ptrdiff_t reserved = static_cast<char*>(sbrk(0)) - begin;
  const std::size_t pages = reserved > 0 ? static_cast<std::size_t>(reserved) / kHugePage : 0;
  if (pages > 0) madvise(begin, pages * kHugePage, MADV_HUGEPAGE);
  std::free(probe);
}
#else
void use_huge_pages() {}
#endif

}  // namespace coppice
