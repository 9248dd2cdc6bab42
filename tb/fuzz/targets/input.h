#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

// libFuzzer calls this function for every input. A parser must either accept the input or refuse it with a
// location and a reason.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace coppice::fuzz {

// Stores the input as a file in memory, for parsers that can only read files.
class InputInMemory {
 public:
  InputInMemory(const std::uint8_t* data, std::size_t size)
      : descriptor_(::memfd_create("input", 0)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    const bool whole = ::write(descriptor_, data, size) == static_cast<ssize_t>(size);
    if (!whole) std::abort();
  }
  ~InputInMemory() { ::close(descriptor_); }
  InputInMemory(const InputInMemory&) = delete;
  InputInMemory& operator=(const InputInMemory&) = delete;

  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace coppice::fuzz
