#pragma once

#include <cstdint>
#include <memory>
#include <string>

// A Ramulator 2 DRAM that serves one access at a time; an access may consist of any number of bursts. All
// times are in femtoseconds.
class Dram {
 public:
  // Reads `config`, a file that `python3 -m ramulator export` has written.
  explicit Dram(const std::string& config);
  ~Dram();

  struct Served {
    std::int64_t first = 0;  // when the first burst ended
    std::int64_t last = 0;
  };
  // Reads or writes `bytes` bytes at `address`. The access begins at `start`, or when the previous access has
  // ended if that is later.
  Served access(bool write, std::int64_t address, std::int64_t bytes, std::int64_t start);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};
