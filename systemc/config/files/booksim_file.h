#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "config/document/document.h"

namespace coppice::config {

// The experiment that a BookSim2 configuration file describes: input-queued routers under synthetic traffic.
struct BooksimExperiment {
  Node document;        // the network as a configuration of Coppice; locations refer to the file
  std::string pattern;  // the name of a pattern of `coppice traffic`
  double rate = 0;      // in flits per node per cycle
  int packet_flits = 1;
  Cycles warmup = 0;
  Cycles measure = 0;
  // Values for options of `coppice traffic`; empty if the file does not set them.
  std::string hotspots{};
  std::string bursts{};
  std::string request_reply{};
  std::string writes{};
  std::vector<std::string> assumptions;  // one sentence each
};

// Reads an experiment on a mesh, torus, fat tree or dragonfly, or on the network in an anynet file. Missing
// keys have BookSim2's defaults. Throws ConfigError, located at the line, if a file is missing or unreadable,
// a key is unknown, or a value has no counterpart in Coppice.
BooksimExperiment read_booksim(const std::string& path);

}  // namespace coppice::config
