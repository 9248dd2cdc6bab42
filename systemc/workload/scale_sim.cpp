#include "workload/scale_sim.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "workload/csv.h"

namespace coppice::workload {
namespace {

__extension__ using Wide = __int128;
using Row = std::vector<Cell>;

// Larger values in a table must be mistakes; their products could also exceed 64 bits. The accelerator model
// checks the products of a whole mini-batch.
constexpr std::int64_t kLargestDimension = 1 << 24;
constexpr std::int64_t kMostParameters = std::int64_t{1} << 40;
constexpr std::int64_t kMostMacs = std::int64_t{1} << 56;
constexpr std::int64_t kMostValues = std::int64_t{1} << 40;
constexpr std::size_t kMostLayers = 100'000;

enum class Column {
  kName,
  kIfmapHeight,
  kIfmapWidth,
  kFilterHeight,
  kFilterWidth,
  kChannels,
  kFilters,
  kStrides,
  kStrideWidth,
  kPadding,
  kGroups,
  kDilation,
  kKind,
  kSparsity,
  kBatch,
  kGemmM,
  kGemmN,
  kGemmK,
  kByPosition,  // follows the strides: a second stride, the sparsity or the batch
  kUnknown,     // ignored
};

struct ColumnName {
  std::string_view name;  // the name in the header, reduced to its letters and digits in lower case
  Column column;
};

constexpr std::array kColumnNames = {
    ColumnName{"layername", Column::kName},
    ColumnName{"layer", Column::kName},
    ColumnName{"name", Column::kName},
    ColumnName{"ifmapheight", Column::kIfmapHeight},
    ColumnName{"ifmaph", Column::kIfmapHeight},
    ColumnName{"inputheight", Column::kIfmapHeight},
    ColumnName{"ifmapwidth", Column::kIfmapWidth},
    ColumnName{"ifmapw", Column::kIfmapWidth},
    ColumnName{"inputwidth", Column::kIfmapWidth},
    ColumnName{"filterheight", Column::kFilterHeight},
    ColumnName{"filterh", Column::kFilterHeight},
    ColumnName{"filterwidth", Column::kFilterWidth},
    ColumnName{"filterw", Column::kFilterWidth},
    ColumnName{"channels", Column::kChannels},
    ColumnName{"channel", Column::kChannels},
    ColumnName{"numchannels", Column::kChannels},
    ColumnName{"numfilter", Column::kFilters},
    ColumnName{"numfilters", Column::kFilters},
    ColumnName{"filters", Column::kFilters},
    ColumnName{"strides", Column::kStrides},
    ColumnName{"stride", Column::kStrides},
    ColumnName{"strideheight", Column::kStrides},
    ColumnName{"strideh", Column::kStrides},
    ColumnName{"stridewidth", Column::kStrideWidth},
    ColumnName{"stridew", Column::kStrideWidth},
    ColumnName{"padding", Column::kPadding},
    ColumnName{"groups", Column::kGroups},
    ColumnName{"dilation", Column::kDilation},
    ColumnName{"kind", Column::kKind},
    ColumnName{"sparsity", Column::kSparsity},
    ColumnName{"sparsityratio", Column::kSparsity},
    ColumnName{"batch", Column::kBatch},
    ColumnName{"batchsize", Column::kBatch},
    ColumnName{"m", Column::kGemmM},
    ColumnName{"n", Column::kGemmN},
    ColumnName{"k", Column::kGemmK},
};

constexpr std::array kStandard = {Column::kName,         Column::kIfmapHeight, Column::kIfmapWidth,
                                  Column::kFilterHeight, Column::kFilterWidth, Column::kChannels,
                                  Column::kFilters,      Column::kStrides};
constexpr std::array kGemmColumns = {Column::kName, Column::kGemmM, Column::kGemmN, Column::kGemmK};

const char* spelled(Column column) {
  switch (column) {
    case Column::kName:
      return "Layer name";
    case Column::kIfmapHeight:
      return "IFMAP Height";
    case Column::kIfmapWidth:
      return "IFMAP Width";
    case Column::kFilterHeight:
      return "Filter Height";
    case Column::kFilterWidth:
      return "Filter Width";
    case Column::kChannels:
      return "Channels";
    case Column::kFilters:
      return "Num Filter";
    case Column::kStrides:
      return "Strides";
    case Column::kStrideWidth:
      return "Stride Width";
    case Column::kPadding:
      return "Padding";
    case Column::kGroups:
      return "Groups";
    case Column::kDilation:
      return "Dilation";
    case Column::kKind:
      return "Kind";
    case Column::kSparsity:
      return "Sparsity";
    case Column::kBatch:
      return "Batch";
    case Column::kGemmM:
      return "M";
    case Column::kGemmN:
      return "N";
    case Column::kGemmK:
      return "K";
    case Column::kByPosition:
    case Column::kUnknown:
      break;
  }
  return "?";
}

bool has(const std::vector<Column>& columns, Column column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

bool begins_as_number(const Cell& cell) {
  const auto digit = [&](std::size_t i) {
    return i < cell.text.size() && std::isdigit(static_cast<unsigned char>(cell.text[i])) != 0;
  };
  return digit(0) || ((cell.text.starts_with('-') || cell.text.starts_with('+')) && digit(1));
}

// Whether a row contains only words and no numbers.
bool is_header(const Row& row) {
  return std::none_of(row.begin(), row.end(), begins_as_number);
}

// The letters and digits of a cell, in lower case.
std::string plain(const Cell& cell) {
  std::string name;
  for (const char c : cell.text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) name += static_cast<char>(std::tolower(byte));
  }
  return name;
}

std::optional<Column> find_column(const Cell& cell) {
  const std::string name = plain(cell);
  const auto* found = std::find_if(kColumnNames.begin(), kColumnNames.end(),
                                   [&](const ColumnName& known) { return known.name == name; });
  if (found == kColumnNames.end()) return std::nullopt;
  return found->column;
}

template <typename Range>
std::string listed(const Range& columns) {
  std::string text;
  for (const Column column : columns) {
    if (column == Column::kByPosition || column == Column::kUnknown) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", spelled(column));
  }
  return text;
}

// Whether Coppice has this column but SCALE-Sim does not.
bool is_our_own(Column column) {
  return column == Column::kPadding || column == Column::kGroups || column == Column::kDilation ||
         column == Column::kKind;
}

// Determines which column each name of the header stands for.
std::vector<Column> name_columns(const Row& row) {
  std::vector<Column> columns;
  for (const Cell& cell : row) {
    const auto column = find_column(cell);
    if (!column) {
      throw ConfigError(
          cell.place,
          fmt::format(
              "'{}' is not a known column: write {}, Padding, Groups, Dilation, Kind, Sparsity, Batch, or {}",
              cell.text, listed(kStandard), listed(kGemmColumns)));
    }
    if (has(columns, *column)) {
      throw ConfigError(cell.place,
                        fmt::format("the column {} occurs twice: keep only one of them", spelled(*column)));
    }
    columns.push_back(*column);
  }
  const bool gemm = has(columns, Column::kGemmM);
  const auto require = [&](const auto& required) {
    for (const Column column : required) {
      if (has(columns, column)) continue;
      throw ConfigError(row.front().place, fmt::format("the header lacks the column {}; it needs {}",
                                                       spelled(column), listed(required)));
    }
  };
  if (gemm) {
    require(kGemmColumns);
  } else {
    require(kStandard);
  }
  return columns;
}

// Throws if the table contains output sizes, as the tables of some tools do. Output sizes do not determine
// input sizes.
void refuse_result_sizes(const Row& row) {
  const bool has_inputs =
      std::ranges::any_of(row, [](const Cell& cell) { return plain(cell).starts_with("ifmap"); });
  for (const Cell& cell : row) {
    const std::string name = has_inputs ? "" : plain(cell);
    if (name != "outh" && name != "outw" && name != "ofmapheight" && name != "ofmapwidth") continue;
    throw ConfigError(
        cell.place, fmt::format("'{}' is an output size, but layer tables need input sizes: write rows of {}",
                                cell.text, listed(kStandard)));
  }
}

bool is_gemm(Column column) {
  return column == Column::kGemmM || column == Column::kGemmN || column == Column::kGemmK;
}

// Chooses SCALE-Sim's columns by the number of columns: those for convolutions if there are enough columns,
// otherwise those for products. Empty if there are too few columns for either, or if names in the header show
// that the table does not list products.
std::vector<Column> standard_columns(std::size_t columns, const std::vector<Column>& named) {
  if (columns >= kStandard.size()) return {kStandard.begin(), kStandard.end()};
  const bool convolution = std::ranges::any_of(named, [](Column column) {
    return column != Column::kName && column != Column::kUnknown && column != Column::kSparsity &&
           column != Column::kBatch && !is_gemm(column);
  });
  if (columns < kGemmColumns.size() || convolution) return {};
  return {kGemmColumns.begin(), kGemmColumns.end()};
}

// Identifies the columns of a header by their position if their names do not matter. Empty if there are too
// few columns or if the names matter, because all of them are known or because one of them exists only in
// Coppice.
std::vector<Column> place_columns(const Row& row, std::vector<std::string>& warnings) {
  std::vector<Column> named;
  bool all_known = true;
  for (const Cell& cell : row) {
    const auto column = find_column(cell);
    if (column && is_our_own(*column)) return {};
    all_known = all_known && column && !has(named, *column);
    named.push_back(column.value_or(Column::kUnknown));
  }
  if (all_known) return {};
  std::vector<Column> columns = standard_columns(row.size(), named);
  if (columns.empty()) return columns;
  for (std::size_t i = columns.size(); i < row.size(); ++i) {
    const bool known =
        named[i] == Column::kStrideWidth || named[i] == Column::kSparsity || named[i] == Column::kBatch;
    columns.push_back(known ? named[i] : row[i].text.empty() ? Column::kByPosition : Column::kUnknown);
    if (columns.back() != Column::kUnknown) continue;
    warnings.push_back(
        fmt::format("{}:{}:{}: warning: the column '{}' is ignored: it is not a column of layer tables",
                    row[i].place.file, row[i].place.line, row[i].place.column, row[i].text));
  }
  return columns;
}

// Determines the columns of a table. Cells that follow SCALE-Sim's columns and have no header are identified
// by their position.
std::vector<Column> read_header(const Row& row, std::vector<std::string>& warnings) {
  refuse_result_sizes(row);
  std::vector<Column> columns = place_columns(row, warnings);
  if (columns.empty()) columns = name_columns(row);
  return columns;
}

// If the table has SCALE-Sim's columns, adds the columns that follow the strides and are identified by
// position.
void extend(std::vector<Column>& columns) {
  constexpr std::size_t kMost = kStandard.size() + 3;
  if (!std::equal(kStandard.begin(), kStandard.end(), columns.begin(),
                  columns.begin() + std::min<std::ptrdiff_t>(std::ssize(columns), kStandard.size()))) {
    return;
  }
  if (std::any_of(columns.begin(), columns.end(), is_our_own)) return;
  while (columns.size() < kMost) columns.push_back(Column::kByPosition);
}

std::int64_t read_number(const Cell& cell, Column column, std::int64_t lowest) {
  std::int64_t value = 0;
  const char* end = cell.text.data() + cell.text.size();
  const auto [stop, error] = std::from_chars(cell.text.data(), end, value);
  if (error != std::errc() || stop != end || value < lowest || value > kLargestDimension) {
    throw ConfigError(cell.place, fmt::format("{} must be a whole number from {} to {}, not '{}'",
                                              spelled(column), lowest, kLargestDimension, cell.text));
  }
  return value;
}

LayerKind read_kind(const Cell& cell) {
  constexpr std::array kKinds = {LayerKind::kConvolution,   LayerKind::kTied,        LayerKind::kEmbedding,
                                 LayerKind::kMatmul,        LayerKind::kElementwise, LayerKind::kAdd,
                                 LayerKind::kNormalization, LayerKind::kPooling,     LayerKind::kSoftmax};
  std::string known;
  for (const LayerKind kind : kKinds) {
    if (cell.text == to_string(kind)) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(kind));
  }
  throw ConfigError(cell.place, fmt::format("Kind must be one of {}, not '{}'", known, cell.text));
}

// Reads a sparsity: "2:4" means that 2 of 4 weights are kept.
void read_sparsity(Layer& layer, const Cell& cell) {
  const std::size_t colon = cell.text.find(':');
  const auto part = [&](std::string text) {
    return read_number({std::move(text), cell.place}, Column::kSparsity, 1);
  };
  if (colon == std::string::npos) {
    throw ConfigError(cell.place, fmt::format("Sparsity must be N:M, as in 2:4, not '{}'", cell.text));
  }
  layer.kept = part(cell.text.substr(0, colon));
  layer.of = part(cell.text.substr(colon + 1));
  if (layer.kept <= layer.of) return;
  throw ConfigError(cell.place, fmt::format("Sparsity of {}: N must not exceed M", cell.text));
}

// Determines to which column a cell after the strides belongs. These cells are the second stride, the
// sparsity and the batch, in this order. Each of the first two may be missing if the next cell cannot be
// mistaken for it.
Column find_by_position(const Cell& cell, const std::vector<Column>& before) {
  if (cell.text.find(':') != std::string::npos) return Column::kSparsity;
  const bool strides_over = has(before, Column::kStrideWidth) || has(before, Column::kSparsity);
  return strides_over ? Column::kBatch : Column::kStrideWidth;
}

void assign(Layer& layer, Column column, const Cell& cell) {
  const auto number = [&](std::int64_t lowest = 1) { return read_number(cell, column, lowest); };
  switch (column) {
    case Column::kName:
      layer.name = cell.text;
      break;
    case Column::kIfmapHeight:
    case Column::kGemmM:
      layer.ifmap_height = number();
      break;
    case Column::kIfmapWidth:
      layer.ifmap_width = number();
      break;
    case Column::kFilterHeight:
      layer.filter_height = number();
      break;
    case Column::kFilterWidth:
      layer.filter_width = number();
      break;
    case Column::kChannels:
    case Column::kGemmK:
      layer.channels = number();
      break;
    case Column::kFilters:
    case Column::kGemmN:
      layer.filters = number();
      break;
    case Column::kStrides:
      layer.stride_height = number();
      break;
    case Column::kStrideWidth:
      layer.stride_width = number();
      break;
    case Column::kPadding:
      layer.padding = number(0);
      break;
    case Column::kGroups:
      layer.groups = number();
      break;
    case Column::kDilation:
      layer.dilation = number();
      break;
    case Column::kKind:
      layer.kind = read_kind(cell);
      break;
    case Column::kSparsity:
      read_sparsity(layer, cell);
      break;
    case Column::kBatch:
      layer.batch = number();
      break;
    case Column::kByPosition:
    case Column::kUnknown:
      break;
  }
}

// Throws ConfigError if a layer's products are too large to be timed. The filter must already have been
// checked.
void check_size(const Layer& layer, const SourceLocation& place) {
  const Wide weights =
      Wide{layer.filter_height} * layer.filter_width * (layer.channels / layer.groups) * layer.filters;
  const Wide batch = layer.batch;
  if (weights > kMostParameters) {
    throw ConfigError(place, fmt::format("layer {} has more than {} weights, which is the limit", layer.name,
                                         kMostParameters));
  }
  // The factors are below 2^53, 2^24 and 2^41, so the product fits. All passes have the same number of
  // multiply-accumulates.
  const Wide macs = Wide{layer.output_height()} * layer.output_width() * batch * weights;
  if (macs > kMostMacs) {
    throw ConfigError(
        place, fmt::format("layer {} needs more than {} multiply-accumulates per sample, which is the limit",
                           layer.name, kMostMacs));
  }
  if (batch * layer.ifmap_height * layer.ifmap_width * layer.channels > kMostValues) {
    throw ConfigError(place,
                      fmt::format("layer {} has more than {} input values per sample, which is the limit",
                                  layer.name, kMostValues));
  }
  if (batch * layer.output_height() * layer.output_width() * layer.filters > kMostValues) {
    throw ConfigError(place,
                      fmt::format("layer {} has more than {} output values per sample, which is the limit",
                                  layer.name, kMostValues));
  }
}

// Checks that the columns of a row are consistent with each other. Cells of optional columns may be missing.
class RowChecker {
 public:
  RowChecker(const Row& row, const std::vector<Column>& columns) : row_(row), columns_(columns) {}

  void check(const Layer& layer) const {
    check_filter(layer, layer.ifmap_height, layer.filter_height, Column::kFilterHeight);
    check_filter(layer, layer.ifmap_width, layer.filter_width, Column::kFilterWidth);
    for (const auto& [size, column] :
         {std::pair{layer.channels, Column::kChannels}, std::pair{layer.filters, Column::kFilters}}) {
      if (size % layer.groups == 0) continue;
      throw ConfigError(place(Column::kGroups), fmt::format("Groups is {}, but must divide {}, which is {}",
                                                            layer.groups, spelled(column), size));
    }
    const bool plain = layer.filter_height == 1 && layer.filter_width == 1 && layer.stride_height == 1 &&
                       layer.stride_width == 1 && layer.padding == 0;
    const bool moves_filters = layer.kind == LayerKind::kConvolution || layer.kind == LayerKind::kTied ||
                               layer.kind == LayerKind::kPooling;
    check_values(layer);
    if (!plain && !moves_filters) {
      throw ConfigError(place(Column::kKind),
                        fmt::format("{} needs a 1x1 filter, stride 1 and no padding", to_string(layer.kind)));
    }
    if (layer.kind == LayerKind::kEmbedding && layer.groups != 1) {
      throw ConfigError(place(Column::kGroups), "an embedding cannot have groups: write 1");
    }
    check_size(layer, row_.front().place);
  }

 private:
  SourceLocation place(Column column) const {
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (columns_[i] == column) return row_[i].place;
    }
    return row_.front().place;
  }

  void check_filter(const Layer& layer, std::int64_t input, std::int64_t filter, Column column) const {
    const std::int64_t reach = (filter - 1) * layer.dilation + 1;
    if (reach <= input + 2 * layer.padding) return;
    throw ConfigError(place(column), fmt::format("{} of {} is larger than the padded input of {}",
                                                 spelled(column), reach, input + 2 * layer.padding));
  }

  // Throws if a layer that does not multiply has different numbers of input and output channels, or has
  // groups.
  void check_values(const Layer& layer) const {
    if (multiplies(layer.kind) || layer.kind == LayerKind::kEmbedding) return;
    if (layer.channels != layer.filters) {
      throw ConfigError(place(Column::kFilters),
                        fmt::format("{} does not change the number of channels: Num Filter must be {}",
                                    to_string(layer.kind), layer.channels));
    }
    if (layer.groups != 1) {
      throw ConfigError(place(Column::kGroups),
                        fmt::format("{} cannot have groups: write 1", to_string(layer.kind)));
    }
  }

  const Row& row_;
  const std::vector<Column>& columns_;
};

bool is_optional(Column column) {
  return is_our_own(column) || column == Column::kSparsity || column == Column::kBatch ||
         column == Column::kByPosition || column == Column::kUnknown;
}

// If the layer's name contains "DP", SCALE-Sim applies its filters to each channel separately.
void separate_channels(Layer& layer) {
  if (layer.name.find("DP") == std::string::npos) return;
  layer.groups = layer.channels;
  layer.filters *= layer.channels;
}

Layer read_layer(const Row& row, const std::vector<Column>& columns) {
  if (row.size() > columns.size()) {
    throw ConfigError(
        row[columns.size()].place,
        fmt::format("'{}' is in column {}, but the header has {} columns: remove the cell, or add a column",
                    row[columns.size()].text, columns.size() + 1, columns.size()));
  }
  Layer layer;
  std::vector<Column> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool empty = i >= row.size() || row[i].text.empty();
    if (empty && is_optional(columns[i])) continue;
    if (empty) {
      throw ConfigError(i < row.size() ? row[i].place : row.back().place,
                        fmt::format("layer '{}' has no {}: a row needs {}", row.front().text,
                                    spelled(columns[i]), listed(columns)));
    }
    seen.push_back(columns[i] == Column::kByPosition ? find_by_position(row[i], seen) : columns[i]);
    assign(layer, seen.back(), row[i]);
  }
  if (!has(seen, Column::kStrideWidth)) layer.stride_width = layer.stride_height;
  if (std::none_of(columns.begin(), columns.end(), is_our_own)) separate_channels(layer);
  RowChecker(row, columns).check(layer);
  return layer;
}

}  // namespace

Model import_scale_sim(const std::string& path) {
  Model model;
  model.name = std::filesystem::path(path).stem().string();
  std::vector<Column> columns(kStandard.begin(), kStandard.end());
  extend(columns);
  bool has_header = false;
  Wide macs = 0;
  for (const Row& row : read_csv(path)) {
    const bool title = row.size() == 1 && !begins_as_number(row.front());
    if (title) continue;
    if (!has_header && model.layers.empty() && is_header(row)) {
      columns = read_header(row, model.warnings);
      extend(columns);
      has_header = true;
      continue;
    }
    // A table of products may have no header.
    if (!has_header && model.layers.empty() && row.size() == kGemmColumns.size()) {
      columns = standard_columns(row.size(), {});
    }
    if (model.layers.size() == kMostLayers) {
      throw ConfigError(row.front().place,
                        fmt::format("the table has more than {} layers, which is the limit", kMostLayers));
    }
    model.layers.push_back(read_layer(row, columns));
    macs += model.layers.back().macs();
    if (macs > kMostMacs) {
      throw ConfigError(row.front().place, fmt::format("the layers up to this row need more than {} "
                                                       "multiply-accumulates per sample, which is the limit",
                                                       kMostMacs));
    }
  }
  if (model.layers.empty()) {
    throw ConfigError({path},
                      fmt::format("the table contains no layers: expected rows of {}", listed(kStandard)));
  }
  return model;
}

}  // namespace coppice::workload
