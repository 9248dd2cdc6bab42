#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {

// A configuration that names no algorithm, so that coppice chooses one.
inline std::string machine(const std::string& topology) {
  return "system:\n  topology: {" + topology + "}\nprogram: {file: p.yaml}\n";
}

// Runs programs that are written to p.yaml, and single collectives for comparison.
class Programs : public ::testing::Test {
 protected:
  nlohmann::ordered_json run(const std::string& topology, const std::string& program,
                             const std::vector<std::string>& overrides = {},
                             const std::vector<std::string>& options = {}) const {
    shop.write("c.yaml", machine(topology));
    shop.write("p.yaml", program);
    std::vector<std::string> arguments{"run", "c.yaml", "--out", "r.json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err << program;
    return outcome.status == 0 ? shop.read_json("r.json") : nlohmann::ordered_json();
  }

  std::int64_t cycles_alone(const std::string& topology, const std::string& collective,
                            const std::vector<std::string>& overrides = {}) const {
    shop.write("a.yaml", "system:\n  topology: {" + topology + "}\ncollective: {" + collective + "}\n");
    std::vector<std::string> arguments{"run", "a.yaml", "--out", "a.json"};
    for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return shop.read_json("a.json")["cycles"].get<std::int64_t>();
  }

  void expect_refused(const std::string& topology, const std::string& program, const std::string& message,
                      const std::vector<std::string>& options = {}) const {
    shop.write("c.yaml", machine(topology));
    shop.write("p.yaml", program);
    std::vector<std::string> arguments{"run", "c.yaml"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(message));
  }

  Workshop shop;
};

}  // namespace coppice::system_test
