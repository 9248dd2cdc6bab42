#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace coppice::app {

// The network of `result`, the file at `path`, in the form of drawing_of(), with the bytes and busy fraction
// of each channel if the result has them; null if the result names no network or one of the network's files
// is missing.
nlohmann::ordered_json network_of(const std::string& path, const nlohmann::ordered_json& result);

// The parts of `result` that pages show, in at most about a megabyte. `collectives` contains sums over equal
// collectives, as a list of {op, kind, algorithm, bytes, count, time_ns, bandwidth_gb_s, efficiency}.
nlohmann::ordered_json condensed(nlohmann::ordered_json result);

// The unit and description of every result field, by path.
nlohmann::ordered_json explanations();

}  // namespace coppice::app
