#pragma once

#include <functional>
#include <string_view>

namespace coppice {

// A quantity that is counted by every module of one kind.
struct Quantity {
  std::string_view module;   // kind of module, for example "router"
  std::string_view name;     // for example "flits"
  std::string_view unit;     // "B", "ns" or "cycles"; empty for counts
  std::string_view summary;  // description in one sentence
};

// A module with statistics. Each module declares its quantities next to the code that counts them. Results
// and the reference documentation collect the quantities of all modules of the machine
// (system/output/statistics.h).
class StatisticsOwner {
 public:
  using Reader = std::function<void(const Quantity& quantity, double value)>;
  // Calls `read` for each quantity with its current value. The order of quantities is always the same.
  virtual void read_statistics(const Reader& read) const = 0;

 protected:
  ~StatisticsOwner() = default;
};

// A module that represents other modules, which are not built. Results count them as if they were.
class Representative {
 public:
  // `module` is the hierarchical name that the represented module would have.
  using Reader = std::function<void(std::string_view module, const Quantity& quantity, double value)>;
  // Calls `read` for each quantity of each represented module.
  virtual void read_represented(const Reader& read) const = 0;

 protected:
  ~Representative() = default;
};

}  // namespace coppice
