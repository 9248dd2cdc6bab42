#include "system/output/statistics.h"

#include <gmock/gmock.h>

#include "base/statistics.h"

namespace coppice::system {
namespace {

// A module with two statistics: flits and waiting time.
class Counter : public sc_core::sc_module, public StatisticsOwner {
 public:
  Counter(const sc_core::sc_module_name& name, const char* kind, double flits)
      : sc_module(name), kind_(kind), flits_(flits) {}
  void read_statistics(const Reader& read) const override { count(kind_, flits_, read); }
  static void count(const char* kind, double flits, const Reader& read) {
    read({kind, "flits", "", "Flits sent."}, flits);
    read({kind, "waiting", "ns", "Time of waiting."}, 0.5 * flits);
  }

 private:
  const char* kind_;
  double flits_;
};

struct Machine : sc_core::sc_module {
  explicit Machine(const sc_core::sc_module_name& name) : sc_module(name) {}
  Counter first{"first", "router", 3};
  Counter second{"second", "router", 8};
  Counter other{"other", "terminal", 5};
};

// Each test runs in a process of its own, because a SystemC kernel elaborates only once per process.
TEST(Statistics, DescribeEveryQuantityOfAKindOnce) {
  const Machine machine("machine");
  EXPECT_EQ(describe_statistics(machine),
            "router\tflits\t\tFlits sent.\n"
            "router\twaiting\tns\tTime of waiting.\n"
            "terminal\tflits\t\tFlits sent.\n"
            "terminal\twaiting\tns\tTime of waiting.\n");
}

TEST(Statistics, ListEveryModule) {
  const Machine machine("machine");
  EXPECT_EQ(list_statistics(machine),
            "module,quantity,unit,value\n"
            "machine.first,flits,,3\n"
            "machine.first,waiting,ns,1.5\n"
            "machine.second,flits,,8\n"
            "machine.second,waiting,ns,4\n"
            "machine.other,flits,,5\n"
            "machine.other,waiting,ns,2.5\n");
}

TEST(Statistics, AddUpTheModulesOfAKind) {
  const Machine machine("machine");
  EXPECT_EQ(collect_statistics(machine).dump(),
            R"({"router":{"modules":2,"flits":{"sum":11,"max":8},"waiting":{"sum":5.5,"max":4}},)"
            R"("terminal":{"modules":1,"flits":{"sum":5,"max":5},"waiting":{"sum":2.5,"max":2.5}}})");
}

// A router that represents another one, which has twice as many flits.
class Pair : public sc_core::sc_module, public Representative {
 public:
  explicit Pair(const sc_core::sc_module_name& name) : sc_module(name) {}
  void read_represented(const Reader& read) const override {
    Counter::count("router", 6,
                   [&](const Quantity& quantity, double value) { read("other.router", quantity, value); });
  }

 private:
  Counter router_{"router", "router", 3};
};

TEST(Statistics, CountRepresentedModules) {
  const Pair pair("pair");
  EXPECT_EQ(list_statistics(pair),
            "module,quantity,unit,value\n"
            "pair.router,flits,,3\n"
            "pair.router,waiting,ns,1.5\n"
            "other.router,flits,,6\n"
            "other.router,waiting,ns,3\n");
  EXPECT_EQ(collect_statistics(pair).dump(),
            R"({"router":{"modules":2,"flits":{"sum":9,"max":6},"waiting":{"sum":4.5,"max":3}}})");
}

}  // namespace
}  // namespace coppice::system
