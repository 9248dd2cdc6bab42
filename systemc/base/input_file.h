#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace coppice {

// Thrown if an input cannot be read. what() is only the reason, for example "No such file or directory".
class UnreadableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The maximum size of inputs, in bytes. Larger inputs are rejected before they fill the memory.
inline constexpr std::size_t kLargestInput = std::size_t{1} << 30;

// Returns the contents of a file or pipe. Throws UnreadableError if it does not exist, cannot be read, is a
// folder, contains more than `most` bytes, or is a device that provides endless data (such as /dev/zero).
std::string read_input_file(const std::string& path, std::size_t most = kLargestInput);

// Whether `path` refers, under any name, to a regular file that this process has read as an input.
bool was_read(const std::string& path);

}  // namespace coppice
