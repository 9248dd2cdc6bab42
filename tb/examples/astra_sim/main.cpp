// Runs ASTRA-sim on Coppice's network, with the options of ASTRA-sim's own front ends.
// --network-configuration names a Coppice configuration, and --set overrides its keys. --dims sets the
// dimensions of ASTRA-sim's collectives; by default, there is one dimension with all ranks.
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <astra-sim/common/Logging.hh>
#include <astra-sim/system/Sys.hh>
#include <common/CmdLineParser.hh>
#include <remote_memory_backend/analytical/AnalyticalRemoteMemory.hh>

#include "coppice_network.h"

namespace {

// The values of an option. Its default is an empty string, which means that the option is absent.
std::vector<std::string> values(AstraSimAnalytical::CmdLineParser& line, const char* option) {
  auto values = line.get<std::vector<std::string>>(option);
  std::erase(values, "");
  return values;
}

int simulate(AstraSimAnalytical::CmdLineParser& line) {
  const auto text = [&](const char* option) { return line.get<std::string>(option); };
  auto session = coppice::session::Session::open(text("network-configuration"), values(line, "set"));
  if (!session) {
    std::cerr << session.error().text << "\n";
    return session.error().status;
  }
  CoppiceNetwork network(std::move(session.value()));
  std::vector<int> dims;
  for (const std::string& dim : values(line, "dims")) dims.push_back(std::stoi(dim));
  if (dims.empty()) dims = {network.ranks()};
  const std::vector<int> queues(dims.size(), line.get<int>("num-queues-per-dim"));

  AstraSim::LoggerFactory::init(text("logging-configuration"), text("logging-folder"));
  Analytical::AnalyticalRemoteMemory memory(text("remote-memory-configuration"));
  std::vector<std::unique_ptr<CoppiceNetworkApi>> apis;
  std::vector<std::unique_ptr<AstraSim::Sys>> systems;
  for (int rank = 0; rank < network.ranks(); ++rank) {
    apis.push_back(std::make_unique<CoppiceNetworkApi>(rank, network));
    systems.push_back(std::make_unique<AstraSim::Sys>(
        rank, text("workload-configuration"), text("comm-group-configuration"), text("system-configuration"),
        &memory, apis.back().get(), dims, queues, line.get<double>("injection-scale"),
        line.get<double>("comm-scale"), line.get<bool>("rendezvous-protocol")));
  }
  for (const auto& system : systems) system->workload->fire();
  network.run();
  std::cout << "finished at " << static_cast<double>(network.now_ps()) / 1000 << " ns\n";
  systems.clear();
  AstraSim::LoggerFactory::shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  AstraSimAnalytical::CmdLineParser line(argv[0]);
  const auto list = cxxopts::value<std::vector<std::string>>()->default_value("");
  line.get_options().add_options()("set", "A key of Coppice's configuration, KEY=VALUE", list)(
      "dims", "Dimensions of ASTRA-sim's collectives",
      cxxopts::value<std::vector<std::string>>()->default_value(""));
  line.parse(argc, argv);
  try {
    return simulate(line);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
