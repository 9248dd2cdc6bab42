#pragma once

#include <cstdint>
#include <memory>
#include <string>

// A DRAM of Ramulator 2 that serves one access at a time, however many bursts it takes. Times are
// femtoseconds.
class Dram {
 public:
  // `config` is a file that `python3 -m ramulator export` wrote.
  explicit Dram(const std::string& config);
  ~Dram();

  struct Served {
    std::int64_t first = 0;  // the first burst is done
    std::int64_t last = 0;
  };
  // Reads or writes `bytes` at `address`, asked for at `start` or when the access before has been served.
  Served access(bool write, std::int64_t address, std::int64_t bytes, std::int64_t start);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};
