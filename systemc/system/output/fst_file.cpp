#include "system/output/fst_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace coppice::system {
namespace {

namespace fs = std::filesystem;

// A block of an FST file begins with its type and its length. The length is an 8-byte big-endian number that
// counts its own bytes.
constexpr std::uintmax_t kLengthBytes = 8;
constexpr int kUncompressedHierarchy = 4;
constexpr int kHierarchy4 = 6;
constexpr int kHierarchy4Duo = 7;

// Whether a file consists of contiguous blocks up to its end and contains the block of signal names, which is
// written last.
bool is_whole(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return false;
  std::ifstream file(path, std::ios::binary);
  bool named = false;
  std::uintmax_t at = 0;
  while (at + 1 + kLengthBytes <= size) {
    std::array<unsigned char, 1 + kLengthBytes> head{};
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
    std::uintmax_t length = 0;
    for (std::size_t i = 1; i < head.size(); ++i) length = length << 8 | head[i];
    if (length < kLengthBytes || length > size - at - 1) return false;
    named = named || head[0] == kUncompressedHierarchy || head[0] == kHierarchy4 || head[0] == kHierarchy4Duo;
    at += 1 + length;
  }
  return named && at == size;
}

// Tests whether more data could be appended to a file, since a full disk may have cut it off. Returns errno,
// or 0 on success.
int no_room_behind(const std::string& path) {
  constexpr off_t kRoom = 64 << 10;
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const off_t size = ::lseek(file, 0, SEEK_END);
  const int reason = ::posix_fallocate(file, size, kRoom);
  const int cut = ::ftruncate(file, size);
  ::close(file);
  return reason != 0 ? reason : cut != 0 ? EIO : 0;
}

}  // namespace

FstFile::FstFile(const std::string& path)
    : output_("--fst", path),
      written_(output_.direct()
                   ? (fs::temp_directory_path() / fmt::format("coppice.{}.fst", ::getpid())).string()
                   : output_.temporary_path()) {}

FstFile::~FstFile() {
  std::error_code ignored;
  if (output_.direct()) fs::remove(written_, ignored);
  fs::remove(written_ + ".hier", ignored);  // a temporary file of the FST writer
}

void FstFile::finish() {
  const int reason = no_room_behind(written_);
  if (reason != 0) output_.refuse(std::strerror(reason));
  if (!is_whole(written_)) output_.refuse("the waveform is incomplete");
  if (output_.direct()) {
    std::ifstream file(written_, std::ios::binary);
    std::array<char, 65536> block{};
    while (file.read(block.data(), block.size()), file.gcount() > 0) {
      output_.append({block.data(), static_cast<std::size_t>(file.gcount())});
    }
  }
  output_.commit();
}

}  // namespace coppice::system
