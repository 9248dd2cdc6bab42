#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "rtl_writer/design.h"
#include "support/shipped_config.h"
#include "system/machine/build.h"
#include "system/program/lone_collective.h"

namespace coppice::testing {

// A design for an all-reduce of 256 B on a 2x2 torus. `settings` override its configuration.
class SmallDesign {
 public:
  explicit SmallDesign(std::vector<std::string> settings = {})
      : loaded_(load(std::move(settings))),
        lone_(system::schedule_lone_collective(loaded_)),
        design_{loaded_, lone_.network, lone_.compiled.schedule,
                system::resolve_ni_ports(loaded_.config, lone_.network)} {}

  const rtl_writer::Design& design() const { return design_; }

 private:
  static config::Loaded load(std::vector<std::string> settings) {
    std::vector<std::string> all{"system.topology.dims=[2,2]", "collective.size=256 B",
                                 "system.link.latency=8 ns", "system.router.vc_depth=32"};
    all.insert(all.end(), settings.begin(), settings.end());
    return config::load(shipped_config("systems/torus_4x4.yaml"), all, config::Purpose::kRun);
  }

  config::Loaded loaded_;
  system::LoneSchedule lone_;
  rtl_writer::Design design_;
};

}  // namespace coppice::testing
