#include "config/files/booksim_keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/input_file.h"
#include "config/document/nearest.h"
#include "config/document/values.h"

namespace coppice::config {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr const char* kExpected = "a BookSim2 configuration file with 'key = value;' on every line";

// The defaults of BookSim2.
constexpr std::array kDefaults{
    std::pair{"topology", "torus"},
    std::pair{"k", "8"},
    std::pair{"n", "2"},
    std::pair{"c", "1"},
    std::pair{"routing_function", "none"},
    std::pair{"network_file", ""},
    std::pair{"use_noc_latency", "1"},
    std::pair{"num_vcs", "16"},
    std::pair{"vc_buf_size", "8"},
    std::pair{"buf_size", "-1"},
    std::pair{"routing_delay", "1"},
    std::pair{"vc_alloc_delay", "1"},
    std::pair{"sw_alloc_delay", "1"},
    std::pair{"st_prepare_delay", "0"},
    std::pair{"st_final_delay", "1"},
    std::pair{"credit_delay", "0"},
    std::pair{"router", "iq"},
    std::pair{"speculative", "0"},
    std::pair{"internal_speedup", "1.0"},
    std::pair{"input_speedup", "1"},
    std::pair{"output_speedup", "1"},
    std::pair{"hold_switch_for_packet", "0"},
    std::pair{"subnets", "1"},
    std::pair{"classes", "1"},
    std::pair{"traffic", "uniform"},
    std::pair{"injection_rate", "0.1"},
    std::pair{"injection_rate_uses_flits", "0"},
    std::pair{"injection_process", "bernoulli"},
    std::pair{"packet_size", "1"},
    std::pair{"burst_alpha", "0.5"},
    std::pair{"burst_beta", "0.5"},
    std::pair{"burst_r1", "-1.0"},
    std::pair{"use_read_write", "0"},
    std::pair{"write_fraction", "0.5"},
    std::pair{"read_request_size", "1"},
    std::pair{"read_reply_size", "1"},
    std::pair{"write_request_size", "1"},
    std::pair{"write_reply_size", "1"},
    std::pair{"priority", "none"},
    std::pair{"perm_seed", "0"},
    std::pair{"link_failures", "0"},
    std::pair{"warmup_periods", "3"},
    std::pair{"sample_period", "1000"},
    std::pair{"max_samples", "10"},
    std::pair{"sim_type", "latency"},
    std::pair{"sim_count", "1"},
    std::pair{"seed", "0"},
};

// Keys that are ignored because they do not affect the network, such as output options, or because Coppice
// always has the feature.
constexpr std::array kUnread{
    "vc_allocator", "sw_allocator", "alloc_iters", "wait_for_tail_credit", "vc_busy_when_full",
    "vc_prioritize_empty", "vc_shuffle_requests", "output_buffer_size", "noq", "latency_thres",
    "warmup_thres", "stopping_thres", "acc_warmup_thres", "acc_stopping_thres", "deadlock_warn_timeout",
    "include_queuing", "print_activity", "print_csv_results", "stats_out", "watch_file", "watch_flits",
    "watch_packets", "watch_out", "viewer_trace", "spec_check_elig", "spec_check_cred", "spec_mask_by_reqs",
    "spec_sw_allocator", "arb_type", "sim_power", "power_output_file", "tech_file", "channel_width",
    "channel_sweep", "vc_buffer_pool", "buffer_policy", "private_bufs", "private_buf_size", "output_delay",
    "pair_stats", "measure_stats", "measure_latency", "drain_measured_only", "interconnect",
    "read_request_begin_vc", "read_request_end_vc", "write_request_begin_vc", "write_request_end_vc",
    "read_reply_begin_vc", "read_reply_end_vc", "write_reply_begin_vc", "write_reply_end_vc",
    "read_request_subnet", "read_reply_subnet", "write_request_subnet", "write_reply_subnet",
    // x, y, xr and yr set positions in concentrated networks. BookSim2 estimates the lengths of channels from
    // these positions.
    "x", "y", "xr", "yr", "fail_seed", "vc_priority_donation", "private_buf_start_vc", "private_buf_end_vc",
    "max_held_slots", "feedback_aging_scale", "feedback_offset", "class_priority", "packet_size_rate",
    "batch_size", "batch_count", "max_outstanding_requests", "watch_transactions", "injected_flits_out",
    "received_flits_out", "stored_flits_out", "sent_flits_out", "outstanding_credits_out",
    "ejected_flits_out", "active_packets_out", "used_credits_out", "free_credits_out", "max_credits_out"};

// Splits a text at the commas that are not inside braces.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (kBlanks.find(c) == std::string_view::npos) {
      parts.back() += c;
    }
  }
  return parts;
}

bool in_braces(std::string_view text) {
  return text.size() >= 2 && text.front() == '{' && text.back() == '}';
}

std::vector<std::string> list_of(std::string_view text) {
  return split(in_braces(text) ? text.substr(1, text.size() - 2) : text);
}

std::string expected() {
  return std::string(kExpected) + " is expected";
}

void blank_comments(std::string& text) {
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) {
    for (; at < text.size() && text[at] != '\n'; ++at) text[at] = ' ';
  }
}

SourceLocation place_of(const std::string& path, std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at);
  const auto line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? at : at - start - 1;
  return {path, line, static_cast<int>(column) + 1};
}

Node piece(const std::string& path, std::string_view text, std::size_t begin, std::size_t end) {
  while (begin < end && kBlanks.find(text[begin]) != std::string_view::npos) ++begin;
  while (end > begin && kBlanks.find(text[end - 1]) != std::string_view::npos) --end;
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::string(text.substr(begin, end - begin));
  node.place = place_of(path, text, begin);
  return node;
}

void require_known(const Node& key) {
  std::vector<std::string> known;
  for (const auto& [name, value] : kDefaults) known.emplace_back(name);
  if (std::ranges::find(known, key.text) != known.end()) return;
  throw ConfigError(key.place, fmt::format("unknown key '{}' in a BookSim2 configuration; did you mean '{}'?",
                                           key.text, nearest(key.text, known)));
}

}  // namespace

BooksimCall read_booksim_call(const Node& value) {
  const std::string& text = value.text;
  const std::size_t open = text.find('(');
  BooksimCall call{text.substr(0, open), {}};
  if (open == std::string::npos) return call;
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos || close < open) {
    throw ConfigError(value.place, fmt::format("'{}' has no closing ')' after its parameters", text));
  }
  const std::string inside = text.substr(open + 1, close - open - 1);
  if (split(inside).size() > 1) {
    throw ConfigError(
        value.place,
        fmt::format("'{}': BookSim2 requires braces around multiple parameters: write {}({{{}}})", text,
                    call.name, inside));
  }
  for (const std::string& parameter : list_of(inside)) call.lists.push_back(list_of(parameter));
  return call;
}

BooksimKeys::BooksimKeys(const std::string& path) : path_(path) {
  std::string text;
  try {
    text = read_input_file(path);
  } catch (const UnreadableError& error) {
    throw ConfigError({path}, fmt::format("cannot read the BookSim2 configuration: {}", error.what()));
  }
  blank_comments(text);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find(';', begin);
    const std::string_view statement = std::string_view(text).substr(begin, end - begin);
    if (statement.find_first_not_of(kBlanks) != std::string_view::npos) {
      const std::size_t first = begin + statement.find_first_not_of(kBlanks);
      if (end == std::string::npos)
        throw ConfigError(place_of(path, text, first), "a ';' is missing: " + expected());
      add(text, first, end);
    }
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  if (values_.empty()) throw ConfigError({path}, "the file is empty: " + expected());
}

Node BooksimKeys::operator[](const char* key) const {
  const auto found = std::ranges::find(values_, key, &Node::name);
  if (found != values_.end()) return *found;
  Node value;
  value.kind = Node::Kind::kScalar;
  value.name = key;
  value.place = {path_};
  value.text = std::ranges::find(kDefaults, std::string_view(key), [](const auto& entry) {
                 return std::string_view(entry.first);
               })->second;
  return value;
}

std::int64_t BooksimKeys::integer(const char* key, std::int64_t least, std::int64_t most) const {
  return read_integer((*this)[key], key, least, most);
}

double BooksimKeys::number(const char* key, double least, double most) const {
  return read_number((*this)[key], key, least, most);
}

void BooksimKeys::require(const char* key, std::string_view only, std::string_view why) const {
  const Node value = (*this)[key];
  if (value.text == only) return;
  throw ConfigError(value.place, fmt::format("{} = {}: {}; write {} = {}", key, value.text, why, key, only));
}

void BooksimKeys::add(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t equals = text.find('=', begin);
  if (equals == std::string_view::npos || equals > end) {
    throw ConfigError(place_of(path_, text, begin),
                      fmt::format("'{}' has no '=': {}", piece(path_, text, begin, end).text, expected()));
  }
  const Node key = piece(path_, text, begin, equals);
  Node value = piece(path_, text, equals + 1, end);
  if (value.text.size() > 1 && value.text.front() == '"' && value.text.back() == '"') {
    value.text = value.text.substr(1, value.text.size() - 2);
  }
  value.name = key.text;
  value.name_place = key.place;
  if (std::ranges::find(kUnread, key.text) != kUnread.end()) {
    unread_.push_back(key.text);
    return;
  }
  require_known(key);
  // If a key is set several times, the last value counts.
  std::erase_if(values_, [&](const Node& other) { return other.name == value.name; });
  values_.push_back(std::move(value));
}

}  // namespace coppice::config
