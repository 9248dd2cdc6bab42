#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coppice::config {

// Kinds of input files, each of which belongs in a different place.
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

// The kind of a file, recognised from its beginning; nullopt if no kind begins like this.
std::optional<FileKind> recognise_file(std::string_view text);

// If the file is recognisably of none of the `wanted` kinds, throws a ConfigError that states what it is,
// that the first of the `wanted` kinds was expected, and where the file belongs.
void refuse_other_kind(const std::string& path, std::initializer_list<FileKind> wanted);

// Returns read(), which reads the file at `path`. If it throws a ConfigError, calls refuse_other_kind()
// first, since a parser's complaint about a file of another kind does not help.
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
