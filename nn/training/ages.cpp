#include "nn/training/ages.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nn {
namespace {

/// Births along an axis, one an index: unit fastest, 0 where nothing is kept.
std::vector<std::int64_t> births_along(const ParamTensor& tensor, std::int32_t index,
                                       std::size_t axis, const UnitState& units) {
  const auto length = static_cast<std::size_t>(tensor.dims[axis]);
  std::vector<std::int64_t> out(length);
  const auto* kept = units.axis(index, static_cast<std::int32_t>(axis));
  for (std::size_t i = 0; kept != nullptr && i < length; ++i) {
    out[i] = kept->births[i % kept->births.size()];
  }
  return out;
}

/// The births of a row of the tensor: of all axes from `axis` on, the youngest counts.
std::vector<std::int64_t> row_births(const ParamTensor& tensor, std::int32_t index,
                                     std::size_t axis, const UnitState& units) {
  if (axis == tensor.dims.size()) return {0};
  const auto along = births_along(tensor, index, axis, units);
  const auto rest = row_births(tensor, index, axis + 1, units);
  std::vector<std::int64_t> out;
  for (const std::int64_t a : along) {
    for (const std::int64_t b : rest) out.push_back(std::max(a, b));
  }
  return out;
}

/// The run in pieces that are no longer than `part`, as far as its rows allow. A piece of what is
/// uniform begins where a vector does, so that a cut changes no bit.
void append_pieces(const AgeRun& run, std::size_t part, std::vector<AgeRun>& pieces) {
  const AgeRun whole =
      run.table < 0 ? AgeRun{run.offset, run.rows * run.cols, 1, run.birth, -1} : run;
  const std::size_t rows = std::max<std::size_t>(1, part / whole.cols);
  for (std::size_t row = 0; row < whole.rows; row += rows) {
    AgeRun piece = whole;
    piece.offset += row * whole.cols;
    piece.rows = std::min(rows, whole.rows - row);
    pieces.push_back(piece);
  }
}

}  // namespace

std::vector<SlabPart> layer_parts(const ParamLayout& layout) {
  std::vector<SlabPart> parts;
  std::int32_t layer = -1;
  for (const ParamTensor& tensor : layout.tensors) {
    if (!trained(tensor.role)) continue;
    if (tensor.layer != layer) parts.push_back({.offset = tensor.offset});
    layer = tensor.layer;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = i + 1 < parts.size() ? parts[i + 1].offset : layout.trained;
    parts[i].count = end - parts[i].offset;
  }
  return parts;
}

/// A tensor as a matrix: births of its rows and of its columns. A vector is one row.
template <class T>
struct Ages<T>::Lines {
  std::vector<std::int64_t> rows, cols;
};

template <class T>
Ages<T>::Ages(const ParamLayout& layout, const UnitState& units, std::size_t part) {
  add_tensors(layout, units);
  cut(layout.trained, part);
}

template <class T>
Ages<T>::Ages(const ParamLayout& layout, const UnitState& units, std::vector<SlabPart> layers)
    : parts_(std::move(layers)) {
  add_tensors(layout, units);
  std::size_t run = 0;
  for (SlabPart& part : parts_) {
    part.first_run = run;
    while (run < runs_.size() && runs_[run].offset < part.offset + part.count) ++run;
    part.runs = run - part.first_run;
  }
}

template <class T>
void Ages<T>::add_tensors(const ParamLayout& layout, const UnitState& units) {
  for (std::size_t t = 0; t < layout.tensors.size(); ++t) {
    const ParamTensor& tensor = layout.tensors[t];
    if (!trained(tensor.role)) continue;
    const auto index = static_cast<std::int32_t>(t);
    const bool vector = tensor.dims.size() < 2;
    const bool begins = std::ranges::find(parts_, tensor.offset, &SlabPart::offset) != parts_.end();
    add_tensor(tensor,
               {vector ? std::vector<std::int64_t>{0} : births_along(tensor, index, 0, units),
                row_births(tensor, index, vector ? 0 : 1, units)},
               begins);
  }
  of_birth_.resize(births_.size());
}

template <class T>
void Ages<T>::add_tensor(const ParamTensor& tensor, const Lines& lines, bool begins) {
  std::map<std::int64_t, std::int32_t> tables;  // by the rows' birth
  const std::size_t cols = lines.cols.size();
  const auto [youngest, oldest] = [&] {
    const auto [low, high] = std::ranges::minmax(lines.cols);
    return std::pair{high, low};
  }();
  for (std::size_t row = 0; row < lines.rows.size();) {
    std::size_t end = row + 1;
    while (end < lines.rows.size() && lines.rows[end] == lines.rows[row]) ++end;
    const std::int64_t birth = lines.rows[row];
    AgeRun run{tensor.offset + row * cols, end - row, cols, std::max(birth, youngest), -1};
    if (std::max(birth, oldest) != run.birth) {
      const auto [it, added] = tables.emplace(birth, 0);
      if (added) {
        std::vector<std::int64_t> births = lines.cols;
        for (auto& b : births) b = std::max(b, birth);
        it->second = add_table(births);
      }
      run.table = it->second;
    }
    add_run(run, begins && row == 0);
    row = end;
  }
}

template <class T>
void Ages<T>::add_run(const AgeRun& run, bool begins) {
  AgeRun* last = runs_.empty() ? nullptr : &runs_.back();
  const bool joins = !begins && last != nullptr && last->table < 0 && run.table < 0 &&
                     last->birth == run.birth &&
                     last->offset + last->rows * last->cols + kAlignElements > run.offset;
  if (!joins) {
    runs_.push_back(run);
    return;
  }
  *last = {last->offset, 1, run.offset + run.rows * run.cols - last->offset, run.birth, -1};
}

template <class T>
void Ages<T>::cut(std::size_t trained, std::size_t part_size) {
  std::vector<AgeRun> pieces;
  for (const AgeRun& run : runs_) append_pieces(run, part_size, pieces);
  runs_ = std::move(pieces);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const std::size_t begin = runs_[i].offset;
    if (parts_.empty() || begin - parts_.back().offset >= part_size) {
      parts_.push_back({.offset = parts_.empty() ? 0 : begin, .first_run = i});
    }
    SlabPart& part = parts_.back();
    part.count = (i + 1 < runs_.size() ? runs_[i + 1].offset : trained) - part.offset;
    ++part.runs;
  }
}

template <class T>
std::int32_t Ages<T>::add_table(std::span<const std::int64_t> births) {
  Table table{{}, std::vector<T>(births.size()), std::vector<T>(births.size())};
  for (const std::int64_t birth : births) {
    auto it = std::ranges::find(births_, birth);
    if (it == births_.end()) it = births_.insert(births_.end(), birth);
    table.birth.push_back(static_cast<std::uint32_t>(it - births_.begin()));
  }
  tables_.push_back(std::move(table));
  return static_cast<std::int32_t>(tables_.size() - 1);
}

template class Ages<float>;
template class Ages<double>;

}  // namespace nn
