#include "dram.h"

#include <cmath>

#include <ramulator/base/config.h>
#include <ramulator/base/factory.h>
#include <ramulator/base/request.h>
#include <ramulator/frontend/i_frontend.h>
#include <ramulator/memory_system/i_memory_system.h>

struct Dram::Parts {
  Ramulator::IFrontEnd* frontend = nullptr;
  Ramulator::IMemorySystem* memory = nullptr;
  std::int64_t period = 0;
  std::int64_t now = 0;

  void tick() {
    memory->tick();
    now += period;
  }
};

Dram::Dram(const std::string& config) : parts_(std::make_unique<Parts>()) {
  const auto read = Ramulator::Config::parse_config_file(config);
  parts_->frontend = Ramulator::Factory::create_frontend(read);
  parts_->memory = Ramulator::Factory::create_memory_system(read);
  parts_->frontend->connect_memory_system(parts_->memory);
  parts_->memory->connect_frontend(parts_->frontend);
  parts_->period = std::llround(static_cast<double>(parts_->memory->get_tCK()) * 1e6);
}

Dram::~Dram() = default;

Dram::Served Dram::access(bool write, std::int64_t address, std::int64_t bytes, std::int64_t start) {
  while (parts_->now < start) parts_->tick();
  const std::int64_t burst = parts_->memory->get_tx_bytes();
  const std::int64_t bursts = (address % burst + bytes + burst - 1) / burst;
  const int type = write ? Ramulator::Request::Type::Write : Ramulator::Request::Type::Read;
  std::int64_t sent = 0;
  std::int64_t done = 0;
  Served served;
  const auto arrived = [&](Ramulator::Request&) {
    served.last = parts_->now + parts_->period;
    if (done++ == 0) served.first = served.last;
  };
  while (done < bursts) {
    while (sent < bursts &&
           parts_->frontend->receive_external_requests(type, (address / burst + sent) * burst, 0, arrived,
                                                       static_cast<int>(burst))) {
      ++sent;
    }
    parts_->tick();
  }
  return served;
}
