#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "config/document/document.h"

namespace coppice::config {

// The experiment of a configuration file of BookSim2 with an input-queued router under synthetic traffic.
struct BooksimExperiment {
  Node document;        // the network as a configuration of Coppice, each value at its place in the file
  std::string pattern;  // of `coppice traffic`
  double rate = 0;      // flits per node and cycle
  int packet_flits = 1;
  Cycles warmup = 0;
  Cycles measure = 0;
  // As the options of `coppice traffic` have them; empty where the file has none.
  std::string hotspots{};
  std::string bursts{};
  std::string request_reply{};
  std::string writes{};
  std::vector<std::string> assumptions;  // a sentence each
};

// Meshes, tori, fat trees, dragonflies and anynet files. What the file leaves out is as in BookSim2.
// Throws ConfigError at the line: unreadable, no such file, an unknown key, or a value that means something
// which Coppice has not.
BooksimExperiment read_booksim(const std::string& path);

}  // namespace coppice::config
