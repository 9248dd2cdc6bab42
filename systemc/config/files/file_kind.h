#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coppice::config {

// Kinds of input files. Error messages explain where a file of each kind belongs.
enum class FileKind {
  kConfiguration,
  kResult,
  kProgram,
  kNetwork,
  kAstraNetwork,
  kAstraSystem,
  kSchedule,
  kTrace,
  kLayers,
  kTextWorkload,
  kTransformer,
  kArchitecture,
  kBooksim,
  kMeasured,
  kSpace,
  kHardware
};

// The kind of a file with this text; nullopt if the text resembles no kind.
std::optional<FileKind> recognise_file(std::string_view text);

// If the file is recognised as a kind that is not among those `wanted`, throws a ConfigError that states what
// the file is, that the first of the `wanted` kinds was expected, and where the file belongs.
void refuse_other_kind(const std::string& path, std::initializer_list<FileKind> wanted);

// Returns read(), which reads the file at `path`. If it throws a ConfigError, calls refuse_other_kind()
// first, since a parser's error message does not help if the file is of another kind.
template <typename Read>
auto read_as(std::initializer_list<FileKind> wanted, const std::string& path, Read read) {
  try {
    return read();
  } catch (const ConfigError&) {
    refuse_other_kind(path, wanted);
    throw;
  }
}

}  // namespace coppice::config
