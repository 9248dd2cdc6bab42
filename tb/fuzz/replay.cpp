// coppice_replay FILE [-v] runs a configuration with flits and with trains, and prints the first difference.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <systemc>

#include <fmt/format.h>

#include "recorded_run.h"

// SystemC's library requires sc_main(). This program does not call it, because it elaborates only in child
// processes.
int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

int main(int argc, char** argv) {
  using namespace coppice::fuzz;
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  std::stringstream yaml;
  yaml << std::ifstream(argv[1]).rdbuf();
  const Outcome flit = record_run(yaml.str(), "flit");
  const Outcome train = record_run(yaml.str(), "train");
  std::cout << "flit: " << flit.reason << " stall " << flit.recording.first_stall << " "
            << flit.recording.stall_place << "\ntrain: " << train.reason << '\n';
  if (train.end == Outcome::End::kDone)
    std::cout << first_difference(flit.recording, train.recording) << '\n';
  if (argc > 2) {
    for (const Outcome* o : {&flit, &train}) {
      std::cout << "----\n";
      for (const auto& row : o->recording.messages) {
        for (std::size_t i = 0; i + 3 < row.size(); ++i)
          std::cout << kMessageFields[i] << '=' << row[i] << ' ';
        std::cout << '\n';
      }
    }
  }
}
