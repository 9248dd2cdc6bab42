#include "cosim/verilog_library.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"

namespace coppice::cosim {
namespace {

constexpr const char* kFile = "libcoppice_verilog.so";

struct Loaded {
  const VerilogLibrary* library = nullptr;
  std::string refusal;
};

Loaded load() {
  std::error_code unknown;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  const std::array<std::filesystem::path, 3> files{
      folder / kFile, folder.parent_path() / "lib/coppice" / kFile, COPPICE_VERILOG_LIBRARY};
  std::string file = kFile;
  for (const auto& candidate : files) {
    std::error_code error;
    if (!std::filesystem::exists(candidate, error)) continue;
    file = candidate.string();
    break;
  }
  Loaded loaded;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    loaded.refusal =
        fmt::format("the Verilated models are not built: run `make verilog` in the checkout ({})", dlerror());
    return loaded;
  }
  using Entry = const VerilogLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "coppice_verilog_library"));
  if (entry == nullptr) {
    loaded.refusal = fmt::format("{} is from another version: run `make verilog` in the checkout", file);
    return loaded;
  }
  loaded.library = entry();
  return loaded;
}

// The library is loaded once per process. If it was not found, it is not searched for again.
const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

const VerilogLibrary& verilog_library() {
  if (loaded().library == nullptr) throw UnsupportedError(loaded().refusal);
  return *loaded().library;
}

std::string refuse_verilog() {
  return loaded().refusal;
}

}  // namespace coppice::cosim
