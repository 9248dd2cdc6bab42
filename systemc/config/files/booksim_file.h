#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "config/document/document.h"

namespace coppice::config {

// The experiment in a BookSim2 configuration file: input-queued routers under synthetic traffic.
struct BooksimExperiment {
  Node document;        // the network as a configuration of Coppice, each value located in the file
  std::string pattern;  // a pattern of `coppice traffic`
  double rate = 0;      // flits per node per cycle
  int packet_flits = 1;
  Cycles warmup = 0;
  Cycles measure = 0;
  // Options of `coppice traffic`; empty if the file does not set them.
  std::string hotspots{};
  std::string bursts{};
  std::string request_reply{};
  std::string writes{};
  std::vector<std::string> assumptions;  // one sentence each
};

// Reads meshes, tori, fat trees, dragonflies and anynet files, with BookSim2's defaults for missing keys.
// Throws ConfigError, located at the line, if a file is missing or unreadable, a key is unknown, or a value
// has no counterpart in Coppice.
BooksimExperiment read_booksim(const std::string& path);

}  // namespace coppice::config
