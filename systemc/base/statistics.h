#pragma once

#include <functional>
#include <string_view>

namespace coppice {

// A quantity that every module of a kind counts.
struct Quantity {
  std::string_view module;   // the kind of module: "router"
  std::string_view name;     // "flits"
  std::string_view unit;     // "B", "ns", "cycles"; empty for counts
  std::string_view summary;  // its description in one sentence
};

// A module with statistics. Each module declares its quantities next to the code that counts them; results
// and the reference documentation collect them from all modules of the machine (system/output/statistics.h).
class StatisticsOwner {
 public:
  using Reader = std::function<void(const Quantity& quantity, double value)>;
  // Calls `read` for each quantity with its value so far, always in the same order.
  virtual void read_statistics(const Reader& read) const = 0;

 protected:
  ~StatisticsOwner() = default;
};

}  // namespace coppice
