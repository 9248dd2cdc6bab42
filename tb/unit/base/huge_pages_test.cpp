#include "base/huge_pages.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace coppice {
namespace {

// The flags that /proc reports for the mapping that contains `address`, or "" if it has no such mapping.
std::string flags_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) inside = begin <= at && at < end;
    if (inside && line.starts_with("VmFlags:")) return line;
  }
  return "";
}

// Sanitizers replace glibc's heap, to which the settings apply.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOtherHeap = true;
#elif defined(__has_feature)
constexpr bool kOtherHeap = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kOtherHeap = false;
#endif

TEST(HugePages, AreRequestedWhenTheHeapGrows) {
  if (kOtherHeap) GTEST_SKIP() << "the heap is not glibc's";
  std::ifstream kernel("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(kernel, modes);
  if (modes.find("[madvise]") == std::string::npos)
    GTEST_SKIP() << "the kernel does not use the madvise mode";
  // Runs in a new process, because huge pages must be requested before any large allocation.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto asks = [] {
    use_huge_pages();
    // Each block is small enough to come from the heap; all blocks together exceed the heap's initial size.
    std::vector<std::vector<char>> data;
    for (int i = 0; i < 32; ++i) data.emplace_back(std::size_t{1} << 20, 'x');
    const std::string flags = flags_of(data.back().data());
    std::fputs(flags.c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(asks(), ::testing::ExitedWithCode(0), " hg");
}

}  // namespace
}  // namespace coppice
