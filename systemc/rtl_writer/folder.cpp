#include "rtl_writer/folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "rtl_writer/images.h"
#include "rtl_writer/project_text.h"
#include "rtl_writer/verilog_text.h"

namespace coppice::rtl_writer {
namespace {

namespace fs = std::filesystem;

// The folder that contains rtl/ and tb/network/: the one installed with the command, otherwise the source
// tree.
fs::path shipped_folder() {
  std::error_code none;
  const fs::path command = fs::read_symlink("/proc/self/exe", none);
  const fs::path installed = command.parent_path().parent_path() / "share/coppice/verilog";
  return fs::is_directory(installed, none) ? installed : fs::path(COPPICE_VERILOG_SOURCES);
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw ModelError(path.string() + " cannot be read");
  return text.str();
}

// The files in `folder` that have one of the extensions, sorted by name.
std::vector<fs::path> files_of(const fs::path& folder, std::initializer_list<const char*> extensions) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const auto extension = entry.path().extension();
    if (std::ranges::any_of(extensions, [&](const char* one) { return extension == one; })) {
      files.push_back(entry.path());
    }
  }
  if (files.empty()) throw ModelError("the Verilog modules are missing from " + folder.string());
  std::ranges::sort(files);
  return files;
}

// Copies the Verilog modules, and returns their paths in the folder.
std::vector<std::string> copy_sources(Folder& folder) {
  std::vector<std::string> sources;
  for (const char* room : {"router", "ni", "memory", "tile", "network"}) {
    for (const fs::path& path : files_of(shipped_folder() / "rtl" / room, {".v", ".vh", ".h", ".rdl"})) {
      const std::string name = fmt::format("rtl/{}/{}", room, path.filename().string());
      folder.write(name, read(path));
      if (name.ends_with(".v") || name.ends_with(".vh")) sources.push_back(name);
    }
  }
  for (const fs::path& path : files_of(shipped_folder() / "tb/network", {".v"})) {
    folder.write("bench/" + path.filename().string(), read(path));
  }
  return sources;
}

}  // namespace

Folder::Folder(const std::string& option, const std::string& path)
    : path_(path), temporary_(fmt::format("{}.{}.partial", path, ::getpid())) {
  std::error_code error;
  if (fs::exists(path_, error) && !(fs::is_directory(path_, error) && fs::is_empty(path_, error))) {
    throw ConfigError({option},
                      fmt::format("{} {} already exists: choose a new or empty folder", option, path));
  }
  fs::create_directory(temporary_, error);
  if (error) {
    throw ConfigError({option}, fmt::format("{} {} cannot be created: {}", option, path, error.message()));
  }
}

Folder::~Folder() {
  std::error_code none;
  if (!temporary_.empty()) fs::remove_all(temporary_, none);
}

void Folder::write(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(temporary_) / name;
  std::error_code none;
  fs::create_directories(path.parent_path(), none);
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw ModelError(path.string() + " cannot be written");
}

void Folder::commit() {
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) throw ModelError(fmt::format("{} cannot be written: {}", path_, error.message()));
  temporary_.clear();
}

void write_network(const Design& design, const ModelRun& run, const std::string& config, Folder& folder) {
  const Shape shape = shape_of(design);
  const BootImage boot = boot_image(design, shape);
  folder.write("images/boot.hex", boot.text);
  for (std::size_t tile = 0; tile < run.before.size(); ++tile) {
    folder.write(fmt::format("images/memory_{}_before.hex", tile), memory_image(run.before[tile]));
    folder.write(fmt::format("images/memory_{}_after.hex", tile), memory_image(run.after[tile]));
  }
  std::vector<std::string> sources = copy_sources(folder);
  sources.insert(sources.begin(), "network_parameters.vh");
  sources.emplace_back("network.v");
  folder.write("network_parameters.vh", parameters_text(design, shape, boot.writes, run.cycles));
  folder.write("network.v", network_text(design, shape));
  folder.write("bench_connections.vh", connections_text(design));
  folder.write("Makefile", makefile_text());
  folder.write("network.f", file_list_text(sources));
  folder.write("network.core", fusesoc_text(design, sources));
  folder.write("Bender.yml", bender_text(sources));
  folder.write("network.sdc", sdc_text(design));
  folder.write("README.md", readme_text(design, shape, run.cycles));
  folder.write("config.yaml", config);
}

}  // namespace coppice::rtl_writer
