#include "nn/evaluation/boosted_trees.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "nn/evaluation/xgboost_library.h"

namespace nn {

namespace {

using Rows = std::vector<std::uint32_t>;
using Columns = std::vector<std::uint32_t>;

/// What one cell of the table takes at each depth, and one bin of a histogram at each node, in
/// FLOPs of a matrix product that take as long (measured with XGBoost 1.7).
constexpr double kFlopsOfCell = 30, kFlopsOfBin = 450;
/// Values that an input is parted into: more only for more rows.
constexpr std::size_t kFewestBins = 64, kMostBinsOfTrees = 256, kRowsOfBin = 32;
/// Inputs whose values are counted.
constexpr std::size_t kColumnsLookedAt = 500;
/// Without a validation part one training row in so many stands for it.
constexpr std::size_t kHeldOut = 5;

const XgBoost& library() {
  const XgBoost& found = xgboost();
  if (!found.here)
    throw base::Error(base::Errc::internal, "trees: the library XGBoost is not installed");
  return found;
}

float input(const Dataset& data, std::size_t row, std::size_t column) {
  const std::size_t at = row * data.cols() + column;
  return data.header().storage == Storage::u8 ? static_cast<float>(data.x_u8()[at])
                                              : data.x_f32()[at];
}

/// Rows of a data set as XGBoost takes them, with the labels or numbers of one booster.
class Matrix {
 public:
  Matrix(const Dataset& data, const Rows& rows, const Columns& columns, std::size_t target) {
    const std::size_t cols = columns.size();
    std::vector<float> x(rows.size() * cols), y(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t c = 0; c < cols; ++c) x[i * cols + c] = input(data, rows[i], columns[c]);
      y[i] = data.is_classification() ? static_cast<float>(data.labels()[rows[i]])
                                      : data.targets()[rows[i] * data.outputs() + target];
    }
    const XgBoost& xg = library();
    xg.check(xg.make_matrix(x.data(), rows.size(), cols, std::numeric_limits<float>::quiet_NaN(),
                            &handle_, 1));
    xg.check(xg.set_floats(handle_, "label", y.data(), y.size()));
  }
  ~Matrix() {
    if (handle_ != nullptr) xgboost().free_matrix(handle_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  [[nodiscard]] DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(std::span<const DMatrixHandle> matrices) {
    const XgBoost& xg = library();
    xg.check(xg.make_booster(matrices.data(), matrices.size(), &handle_));
  }
  explicit Booster(BoosterHandle handle) : handle_(handle) {}
  ~Booster() {
    if (handle_ != nullptr) xgboost().free_booster(handle_);
  }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void set(const char* name, const std::string& value) const {
    xgboost().check(xgboost().set_param(handle_, name, value.c_str()));
  }
  [[nodiscard]] BoosterHandle handle() const { return handle_; }

 private:
  BoosterHandle handle_ = nullptr;
};

std::size_t bins_for(std::size_t rows) {
  return std::clamp(rows / kRowsOfBin, kFewestBins, kMostBinsOfTrees);
}

void configure(const Booster& booster, const Dataset& data, std::size_t rows,
               const TreeSize& size) {
  // Fewer rounds have to go further each; 0.3 is the library's own choice.
  const double eta = std::clamp(30 / static_cast<double>(size.rounds), 0.05, 0.3);
  booster.set("nthread", "1");
  booster.set("seed", "0");
  booster.set("verbosity", "0");
  booster.set("tree_method", "hist");
  booster.set("max_bin", std::to_string(bins_for(rows)));
  booster.set("max_depth", std::to_string(size.depth));
  booster.set("eta", base::format_double(eta));
  booster.set("subsample", base::format_double(size.row_share));
  if (!data.is_classification()) {
    booster.set("objective", "reg:squarederror");
    booster.set("eval_metric", "rmse");
    booster.set("base_score", "0");  // targets are standardised
  } else if (data.classes() == 2) {
    booster.set("objective", "binary:logistic");
    booster.set("eval_metric", "logloss");
  } else {
    booster.set("objective", "multi:softprob");
    booster.set("eval_metric", "mlogloss");
    booster.set("num_class", std::to_string(data.classes()));
  }
}

/// The number at the end of "[7]\tvalid-rmse:0.25".
double evaluated(const Booster& booster, int round, const Matrix& rows) {
  const XgBoost& xg = xgboost();
  std::array<DMatrixHandle, 1> matrices{rows.handle()};
  std::array<const char*, 1> names{"valid"};
  const char* text = nullptr;
  xg.check(xg.evaluate(booster.handle(), round, matrices.data(), names.data(), 1, &text));
  const std::string line = text;
  const std::optional<double> value = base::parse_double(line.substr(line.rfind(':') + 1));
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::vector<std::uint8_t> saved(BoosterHandle booster) {
  const XgBoost& xg = xgboost();
  bst_ulong size = 0;
  const char* bytes = nullptr;
  xg.check(xg.save(booster, R"({"format": "ubj"})", &size, &bytes));
  const auto* from = reinterpret_cast<const std::uint8_t*>(bytes);
  return {from, from + size};
}

/// The first `rounds` rounds of a booster.
std::vector<std::uint8_t> saved_up_to(const Booster& booster, std::int64_t rounds) {
  const XgBoost& xg = xgboost();
  BoosterHandle part = nullptr;
  xg.check(xg.slice(booster.handle(), 0, static_cast<int>(rounds), 1, &part));
  const Booster owner(part);
  return saved(part);
}

struct Fitted {
  std::vector<std::uint8_t> bytes;
  std::int64_t rounds = 0;
};

/// Boosts until the held-out rows gain nothing more; without such rows to the last round.
Fitted fit(const Dataset& data, const Rows& train, const Rows& held_out, const Columns& columns,
           std::size_t target, const TreeSize& size) {
  const XgBoost& xg = library();
  const Matrix rows(data, train, columns, target);
  const bool stops = !held_out.empty();
  const Matrix watched(data, stops ? held_out : Rows{train.front()}, columns, target);
  const std::array<DMatrixHandle, 2> matrices{rows.handle(), watched.handle()};
  const Booster booster(matrices);
  configure(booster, data, train.size(), size);
  double least = std::numeric_limits<double>::infinity();
  std::int64_t best = 0;
  for (std::int64_t round = 0; round < size.rounds; ++round) {
    xg.check(xg.update(booster.handle(), static_cast<int>(round), rows.handle()));
    if (!stops) continue;
    const double error = evaluated(booster, static_cast<int>(round), watched);
    if (error < least) {
      least = error;
      best = round + 1;
    } else if (round + 1 - best >= kPatience) {
      break;
    }
  }
  const std::int64_t rounds = stops ? std::max<std::int64_t>(best, 1) : size.rounds;
  return {.bytes = saved_up_to(booster, rounds), .rounds = rounds};
}

/// The training rows that are looked at: evenly spread where not all are.
Rows chosen_rows(const Dataset& data, const TreeSize& size) {
  const auto all = data.part(Part::train);
  const std::size_t count =
      size.rows == 0 ? all.size() : std::min<std::size_t>(size.rows, all.size());
  Rows rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = all[i * all.size() / count];
  return rows;
}

/// What a column says about the target by itself, from 0 to 1: the part of its variance that lies
/// between classes, or that a line through a number explains.
double told_by(const Dataset& data, const Rows& rows, std::size_t column) {
  const bool classes = data.is_classification();
  const auto n = static_cast<double>(rows.size());
  std::vector<double> sums(classes ? data.classes() : 1, 0), counts(sums.size(), 0);
  double mean = 0, target = 0, xx = 0, yy = 0, xy = 0;
  for (const std::uint32_t row : rows) {
    mean += static_cast<double>(input(data, row, column)) / n;
    if (!classes) target += static_cast<double>(data.targets()[row * data.outputs()]) / n;
  }
  for (const std::uint32_t row : rows) {
    const double x = static_cast<double>(input(data, row, column)) - mean;
    xx += x * x;
    if (classes) {
      sums[static_cast<std::size_t>(data.labels()[row])] += x;
      ++counts[static_cast<std::size_t>(data.labels()[row])];
    } else {
      const double y = static_cast<double>(data.targets()[row * data.outputs()]) - target;
      yy += y * y;
      xy += x * y;
    }
  }
  if (!classes) return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
  double between = 0;
  for (std::size_t c = 0; c < sums.size(); ++c)
    if (counts[c] > 0) between += sums[c] * sums[c] / counts[c];
  return xx > 0 ? between / xx : 0;
}

/// The inputs that the trees see, ascending.
Columns chosen_columns(const Dataset& data, const Rows& rows, const TreeSize& size) {
  Columns all(data.cols());
  std::iota(all.begin(), all.end(), 0U);
  if (size.columns == 0 || size.columns >= all.size()) return all;
  std::vector<double> told(all.size());
  for (const std::uint32_t c : all) told[c] = told_by(data, rows, c);
  std::ranges::stable_sort(all, std::greater{}, [&](std::uint32_t c) { return told[c]; });
  all.resize(size.columns);
  std::ranges::sort(all);
  return all;
}

Fitted fit_without_validation(const Dataset& data, const Rows& rows, const Columns& columns,
                              std::size_t target, TreeSize size) {
  Rows train, held_out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    (i % kHeldOut == kHeldOut - 1 ? held_out : train).push_back(rows[i]);
  if (held_out.empty()) return fit(data, rows, {}, columns, target, size);
  size.rounds = fit(data, train, held_out, columns, target, size).rounds;
  return fit(data, rows, {}, columns, target, size);
}

/// Margins of rows, [rows, outputs of the booster].
std::vector<float> margins(const std::vector<std::uint8_t>& bytes, const Matrix& rows) {
  const XgBoost& xg = library();
  const Booster booster(std::span<const DMatrixHandle>{});
  xg.check(xg.load(booster.handle(), bytes.data(), bytes.size()));
  booster.set("nthread", "1");
  const bst_ulong* shape = nullptr;
  bst_ulong dims = 0;
  const float* out = nullptr;
  constexpr const char* kConfig =
      R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, )"
      R"("strict_shape": false})";
  xg.check(xg.predict(booster.handle(), rows.handle(), kConfig, &shape, &dims, &out));
  bst_ulong count = 1;
  for (bst_ulong i = 0; i < dims; ++i) count *= shape[i];
  return {out, out + count};
}

std::size_t boosters_of(const Dataset::Header& data) {
  return data.class_names.empty() ? data.targets.size() : 1;
}

}  // namespace

std::string trees_library() {
  if (!xgboost().here) return "";
  int major = 0, minor = 0, patch = 0;
  xgboost().version(&major, &minor, &patch);
  return base::cat("xgboost ", major, ".", minor, ".", patch);
}

TreeTable tree_table(const Dataset& data) {
  const auto rows = data.part(Part::train);
  const std::size_t cols = data.cols(), looked_at = std::min(rows.size(), kMostBinsOfTrees);
  TreeTable table{.rows = rows.size(), .cols = cols};
  // Two classes share their trees.
  table.trees = data.header().class_names.size() == 2 ? 1 : data.outputs();
  // Of many inputs some stand for all.
  const std::size_t step = (cols + kColumnsLookedAt - 1) / kColumnsLookedAt;
  std::vector<float> values(looked_at);
  for (std::size_t c = 0; c < cols; c += step) {
    for (std::size_t i = 0; i < looked_at; ++i) values[i] = input(data, rows[i], c);
    std::ranges::sort(values);
    const auto repeated = std::ranges::unique(values);
    const std::size_t distinct = looked_at - repeated.size();
    table.bins += std::min(step, cols - c) * std::min(distinct, bins_for(rows.size()));
  }
  return table;
}

double tree_flops(const TreeTable& table, const TreeSize& size) {
  const auto all = static_cast<double>(table.rows);
  const double rows = size.rows == 0 ? all : std::min(static_cast<double>(size.rows), all);
  // Few rows do not fill a tree.
  const double nodes = std::min(std::exp2(size.depth), std::sqrt(rows));
  const auto cols = static_cast<double>(table.cols);
  const double seen =
      size.columns == 0 ? 1 : std::min(1.0, static_cast<double>(size.columns) / cols);
  const double cells = size.row_share * rows * cols;
  const double of_tree = kFlopsOfCell * static_cast<double>(size.depth) * cells +
                         kFlopsOfBin * nodes * static_cast<double>(table.bins);
  return seen * of_tree * static_cast<double>(table.trees) * static_cast<double>(size.rounds);
}

BoostedTrees fit_trees(const Dataset& data, const TreeSize& size) {
  const Rows rows = chosen_rows(data, size);
  const Rows held_out(data.part(Part::valid).begin(), data.part(Part::valid).end());
  BoostedTrees trees;
  trees.columns = chosen_columns(data, rows, size);
  for (std::size_t target = 0; target < boosters_of(data.header()); ++target) {
    Fitted one = held_out.empty() ? fit_without_validation(data, rows, trees.columns, target, size)
                                  : fit(data, rows, held_out, trees.columns, target, size);
    trees.boosters.push_back(std::move(one.bytes));
    trees.rounds.push_back(one.rounds);
  }
  return trees;
}

Answers tree_answers(const BoostedTrees& trees, const Dataset& data, Part part) {
  const Rows rows(data.part(part).begin(), data.part(part).end());
  Answers answers{.width = data.outputs(), .outputs = {}};
  if (rows.empty()) return answers;
  answers.outputs.resize(rows.size() * answers.width);
  const Matrix matrix(data, rows, trees.columns, 0);
  for (std::size_t b = 0; b < trees.boosters.size(); ++b) {
    const std::vector<float> out = margins(trees.boosters[b], matrix);
    const std::size_t width = out.size() / rows.size();
    // One margin of two classes is that of the second; numbers have a booster each.
    const std::size_t first = width < answers.width && data.is_classification() ? 1 : b;
    for (std::size_t row = 0; row < rows.size(); ++row)
      std::copy_n(&out[row * width], width, &answers.outputs[row * answers.width + first]);
  }
  return answers;
}

}  // namespace nn
