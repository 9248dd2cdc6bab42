#pragma once

#include <cstdint>
#include <memory>
#include <string>

// A Ramulator 2 DRAM that serves one access at a time, whatever its number of bursts. Times are in
// femtoseconds.
class Dram {
 public:
  // `config` is a file written by `python3 -m ramulator export`.
  explicit Dram(const std::string& config);
  ~Dram();

  struct Served {
    std::int64_t first = 0;  // end of the first burst
    std::int64_t last = 0;
  };
  // Reads or writes `bytes` at `address`, from `start` or the end of the previous access, if that is later.
  Served access(bool write, std::int64_t address, std::int64_t bytes, std::int64_t start);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};
