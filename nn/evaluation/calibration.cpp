#include "nn/evaluation/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/digits.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "nn/evaluation/difference.h"
#include "nn/evaluation/row_losses.h"
#include "nn/metrics/accuracy.h"
#include "nn/metrics/auc.h"
#include "nn/metrics/balanced_accuracy.h"
#include "nn/metrics/metric.h"

namespace nn {

namespace {

/// So few digits are the same whatever instruction set the C library computes logarithms with.
constexpr int kDigits = 4;
constexpr double kLeastThreshold = 1e-6;
constexpr double kMostFactor = 20;  ///< 1 / temperature
constexpr std::size_t kMostBins = 100;
constexpr std::uint64_t kDrawSeed = 0;

double log_odds(double p) { return std::log(p / (1 - p)); }

/// The probability with those odds, rounded on the side where it is small.
double probability_of(double odds) {
  const double small = 1 / (1 + std::exp(std::abs(odds)));
  const double p = std::max(kLeastThreshold, base::rounded_to_digits(small, kDigits));
  return odds < 0 ? p : 1 - p;
}

std::span<const float> row_of(const Judged& judged, std::size_t row) {
  return std::span(judged.outputs).subspan(row * judged.width, judged.width);
}

/// First and second derivative of the mean negative log likelihood by the factor of the logits.
struct Slope {
  double first = 0, second = 0;
};

Slope slope_at(const Judged& judged, double factor) {
  const auto rows = static_cast<double>(judged.rows());
  const double smoothed = 1 / (rows + 2);
  const double others = smoothed / static_cast<double>(judged.width - 1);
  Slope slope;
  for (std::size_t row = 0; row < judged.rows(); ++row) {
    const std::span<const float> logits = row_of(judged, row);
    const auto label = static_cast<std::size_t>(judged.labels[row]);
    const auto top = static_cast<double>(*std::ranges::max_element(logits));
    double sum = 0, mean = 0, squares = 0, wanted = 0;
    for (std::size_t c = 0; c < logits.size(); ++c) {
      const double z = static_cast<double>(logits[c]) - top;
      const double weight = std::exp(factor * z);
      sum += weight;
      mean += weight * z;
      squares += weight * z * z;
      wanted += (c == label ? 1 - smoothed : others) * z;
    }
    mean /= sum;
    slope.first += mean - wanted;
    slope.second += squares / sum - mean * mean;
  }
  return {slope.first / rows, slope.second / rows};
}

/// What is minimized is convex in the factor: Newton's method, kept inside a bracket.
double best_factor(const Judged& judged) {
  constexpr int kMostSteps = 60;
  constexpr double kClose = 1e-7;
  double low = 1 / kMostFactor, high = kMostFactor, factor = 1;
  for (int step = 0; step < kMostSteps && high - low > kClose * factor; ++step) {
    const Slope slope = slope_at(judged, factor);
    (slope.first > 0 ? high : low) = factor;
    const double next = factor - slope.first / slope.second;
    const bool inside = next > low && next < high;
    if (inside && std::abs(next - factor) <= kClose * factor) return next;
    factor = inside ? next : std::sqrt(low * high);
  }
  return factor;
}

/// The negative log likelihood of each row.
std::vector<float> surprises(const Judged& judged) {
  std::vector<float> out(judged.rows());
  for (std::size_t row = 0; row < out.size(); ++row) {
    const std::span<const float> logits = row_of(judged, row);
    const float top = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit - top));
    const float label = logits[static_cast<std::size_t>(judged.labels[row])];
    out[row] = static_cast<float>(std::log(sum) - static_cast<double>(label - top));
  }
  return out;
}

double temperature_of(const Judged& judged) {
  const double temperature = base::rounded_to_digits(1 / best_factor(judged), kDigits);
  const PairedGain gain = paired_gain(
      surprises(judged), surprises(with_temperature(judged, {.temperature = temperature})));
  return gain.mean > gain.error ? temperature : 1;
}

/// What a threshold is chosen by.
const Metric& decided_by(std::string_view metric) {
  const Metric* named = find_metric(metric);
  if (named == &auc_metric()) return balanced_accuracy_metric();
  return named == nullptr || named->of_classes == nullptr ? accuracy_metric() : *named;
}

/// The log odds of the threshold with the best metric on some rows: of equally good ones that
/// nearest to 0.
double best_odds(const Judged& judged, const Metric& metric, std::vector<std::size_t> order) {
  std::vector<double> margins(judged.rows());
  ClassCounts counts{.truth = {0, 0}, .given = {std::ssize(order), 0}, .right = {0, 0}};
  for (const std::size_t row : order) {
    const std::span<const float> logits = row_of(judged, row);
    margins[row] = static_cast<double>(logits[1]) - static_cast<double>(logits[0]);
    ++counts.truth[static_cast<std::size_t>(judged.labels[row])];
  }
  counts.right[0] = counts.truth[0];
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return margins[a] > margins[b]; });
  double best = -std::numeric_limits<double>::infinity(), odds = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto label = static_cast<std::size_t>(judged.labels[order[i]]);
    --counts.given[0];
    ++counts.given[1];
    counts.right[label] += label == 1 ? 1 : -1;
    const double above = margins[order[i]], below = margins[order[i + 1]];
    if (above == below) continue;
    const double value = metric.of_classes(counts);
    const double between = std::midpoint(above, below);
    if (value < best || (value == best && std::abs(between) >= std::abs(odds))) continue;
    best = value;
    odds = between;
  }
  return odds;
}

Measurement decided(const Judged& judged, const Metric& metric) {
  return measure(metric.name, judged, {"cross_entropy", {}}, {});
}

/// The same answers with the threshold that the other half of the rows asks for: a threshold is
/// too good on the rows that chose it.
Judged with_thresholds_of_others(const Judged& judged, const Metric& metric,
                                 std::span<const std::uint32_t> units) {
  std::array<std::vector<std::size_t>, 2> halves;
  for (std::size_t row = 0; row < judged.rows(); ++row)
    halves[(units.empty() ? row : units[row]) % 2].push_back(row);
  Judged changed = judged;
  for (const std::size_t half : {0U, 1U}) {
    const auto shift = static_cast<float>(best_odds(judged, metric, halves[1 - half]));
    for (const std::size_t row : halves[half]) changed.outputs[2 * row] += shift;
  }
  return changed;
}

double threshold_of(const Judged& judged, const Metric& metric,
                    std::span<const std::uint32_t> units) {
  const Measurement plain = decided(judged, metric);
  const Measurement changed = decided(with_thresholds_of_others(judged, metric, units), metric);
  if (!(changed.value > plain.value)) return 0.5;
  if (!(difference_of(changed, plain, units, kDrawSeed).low > 0)) return 0.5;
  std::vector<std::size_t> all(judged.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return probability_of(best_odds(judged, metric, std::move(all)));
}

bool is_finite(const Judged& judged) {
  return std::ranges::all_of(judged.outputs, [](float x) { return std::isfinite(x); });
}

}  // namespace

LogitChange logit_change(const Calibration& calibration) {
  return {.factor = static_cast<float>(1 / calibration.temperature),
          .shift = calibration.threshold == 0.5
                       ? 0.0F
                       : static_cast<float>(log_odds(calibration.threshold))};
}

LabelledAnswers joined(const LabelledAnswers& first, const LabelledAnswers& second) {
  LabelledAnswers both = first;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(both.answers.outputs, second.answers.outputs);
  append(both.labels, second.labels);
  // Units are numbered in each part by itself.
  const std::uint32_t begin = first.units.empty() ? 0 : *std::ranges::max_element(first.units) + 1;
  for (const std::uint32_t unit : second.units) both.units.push_back(begin + unit);
  return both;
}

Calibration calibrate(const LabelledAnswers& answered, std::string_view metric) {
  const Judged judged{.width = answered.answers.width,
                      .outputs = answered.answers.outputs,
                      .labels = answered.labels,
                      .targets = {},
                      .units = {}};
  Calibration calibration;
  if (judged.rows() < 2 || judged.width < 2 || !is_finite(judged)) return calibration;
  calibration.temperature = temperature_of(judged);
  if (judged.width == 2)
    calibration.threshold =
        threshold_of(with_temperature(judged, calibration), decided_by(metric), answered.units);
  return calibration;
}

Judged with_temperature(Judged judged, const Calibration& calibration) {
  const float factor = logit_change(calibration).factor;
  for (float& logit : judged.outputs) logit *= factor;
  return judged;
}

Judged with_threshold(Judged judged, const Calibration& calibration) {
  judged = with_temperature(std::move(judged), calibration);
  const float shift = logit_change(calibration).shift;
  for (std::size_t at = 0; at < judged.outputs.size(); at += judged.width)
    judged.outputs[at] += shift;
  return judged;
}

double calibration_error(const Judged& judged) {
  const std::size_t rows = judged.rows();
  if (rows == 0 || !is_finite(judged)) return std::numeric_limits<double>::quiet_NaN();
  struct Row {
    double confidence;
    bool right;
  };
  std::vector<Row> answered(rows);
  std::vector<double> shares(judged.width);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const float> logits = row_of(judged, row);
    probabilities(logits, shares);
    answered[row] = {.confidence = *std::ranges::max_element(shares),
                     .right = class_of(logits) == judged.labels[row]};
  }
  std::ranges::stable_sort(answered, {}, &Row::confidence);
  std::vector<double> confident(rows + 1, 0), right(rows + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    confident[row + 1] = confident[row] + answered[row].confidence;
    right[row + 1] = right[row] + answered[row].right;
  }
  double error = std::abs(confident[rows] - right[rows]);
  for (std::size_t bins = 2; bins <= std::min(rows, kMostBins); ++bins) {
    double sum = 0, share = 0;
    bool ascending = true;
    for (std::size_t bin = 0; bin < bins && ascending; ++bin) {
      const std::size_t from = bin * rows / bins, to = (bin + 1) * rows / bins;
      const double now = (right[to] - right[from]) / static_cast<double>(to - from);
      ascending = now >= share;
      share = now;
      sum += std::abs(confident[to] - confident[from] - (right[to] - right[from]));
    }
    if (!ascending) break;
    error = sum;
  }
  return error / static_cast<double>(rows);
}

std::vector<std::pair<std::string, double>> calibration_figures(const Judged& judged,
                                                                const Calibration& calibration) {
  std::vector<std::pair<std::string, double>> figures{
      {"calibration_error", calibration_error(judged)},
      {"calibrated.calibration_error", calibration_error(with_temperature(judged, calibration))}};
  if (calibration.threshold == 0.5 || judged.rows() == 0) return figures;
  const Judged given = with_threshold(judged, calibration);
  for (const Metric* metric : metrics()) {
    if (metric->of_classes != nullptr)
      figures.emplace_back(base::cat("calibrated.", metric->name), metric->value(given));
  }
  return figures;
}

std::string calibration_json(const Calibration& calibration) {
  base::JsonWriter json;
  json.begin_object().field("temperature", calibration.temperature);
  json.field("threshold", calibration.threshold).end_object();
  return std::move(json).text();
}

Calibration calibration_from_json(std::string_view text) {
  const auto json = base::Json::try_parse(text);
  const auto number = [&](const char* name) {
    const base::Json* member = json ? json->find(name) : nullptr;
    return member == nullptr ? std::nullopt : member->as_number();
  };
  const std::optional<double> temperature = number("temperature"), threshold = number("threshold");
  const bool usable = temperature && threshold && *temperature >= 1 / (2 * kMostFactor) &&
                      *temperature <= 2 * kMostFactor && *threshold > 0 && *threshold < 1;
  if (!usable)
    throw base::Error(
        base::Errc::data,
        base::cat("expected {\"temperature\": T, \"threshold\": P} with T from ",
                  1 / (2 * kMostFactor), " to ", 2 * kMostFactor, " and P between 0 and 1"));
  return {*temperature, *threshold};
}

}  // namespace nn
