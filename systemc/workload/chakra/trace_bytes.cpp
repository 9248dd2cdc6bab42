#include "workload/chakra/trace_bytes.h"

#include <array>

#include <fmt/format.h>
#include <zlib.h>

#include "base/error.h"
#include "base/input_file.h"

namespace coppice::workload::chakra {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;

// A zlib stream, which its destructor closes.
class Inflater {
 public:
  Inflater() { inflateInit2(&stream_, kGzip); }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

std::string unpack(std::string& packed, const std::string& path) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes;
  std::array<char, 1 << 16> part{};
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    const int state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) throw ConfigError({path}, "the gzipped trace is corrupt");
    bytes.append(part.data(), part.size() - stream.avail_out);
    if (bytes.size() > kLargestInput) {
      throw ConfigError(
          {path},
          fmt::format("the decompressed trace has more than {} bytes, which is the limit", kLargestInput));
    }
    if (state != Z_STREAM_END) continue;
    if (stream.avail_in == 0) return bytes;
    inflateReset(&stream);  // a file may consist of several gzip files
  }
}

}  // namespace

std::string read_trace_bytes(const std::string& path) {
  std::string bytes;
  try {
    bytes = read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("the trace cannot be read: {}", error.what()));
  }
  return bytes.starts_with("\x1f\x8b") ? unpack(bytes, path) : bytes;
}

}  // namespace coppice::workload::chakra
