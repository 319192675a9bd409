#include "hpo/export/front.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "hpo/export/number_text.h"
#include "hpo/log/metrics.h"
#include "nn/data/csv_line.h"

namespace hpo {

namespace {

double metric_of(const Metrics& metrics, const std::string& name) {
  const double* value = find_metric(metrics, name);
  return value != nullptr ? *value : std::numeric_limits<double>::quiet_NaN();
}

FrontPoint point_of(const Tried& tried) {
  return {.shape = tried.shape,
          .weights = tried.weights,
          .inference_flops = tried.inference_flops,
          .accuracy = tried.accuracy,
          .loss = tried.loss,
          .went_on = tried.accepted,
          .what = tried.change};
}

FrontPoint point_of(const Reported& report) {
  return {.shape = report.shape,
          .weights = report.weights,
          .inference_flops = report.inference_flops,
          .accuracy = metric_of(report.metrics, "valid.accuracy"),
          .loss = metric_of(report.metrics, "valid.loss"),
          .went_on = true,
          .what = "report"};
}

void append(std::vector<FrontPoint>& points, std::uint64_t trial, double epoch, FrontPoint point) {
  if (!std::isfinite(point.loss) || !(point.inference_flops > 0)) return;
  point.trial = trial;
  point.epoch = epoch;
  points.push_back(std::move(point));
}

}  // namespace

double FrontPoint::quality() const { return std::isnan(accuracy) ? -loss : accuracy; }

void append_points(std::vector<FrontPoint>& points, std::uint64_t trial,
                   std::span<const Adapted> rounds, std::span<const Reported> reports) {
  for (const Adapted& round : rounds) {
    // What one fold says of it is no more than a part of what a report says.
    if (round.fold > 0) continue;
    const double epoch = static_cast<double>(round.until) / static_cast<double>(round.grid);
    for (const Tried& tried : round.candidates) append(points, trial, epoch, point_of(tried));
  }
  for (const Reported& report : reports)
    append(points, trial, static_cast<double>(report.epochs), point_of(report));
}

std::vector<FrontPoint> front_of(std::span<const FrontPoint> points) {
  std::vector<FrontPoint> sorted(points.begin(), points.end());
  std::ranges::stable_sort(sorted, [](const FrontPoint& a, const FrontPoint& b) {
    if (a.inference_flops != b.inference_flops) return a.inference_flops < b.inference_flops;
    return a.quality() > b.quality();
  });
  std::vector<FrontPoint> front;
  for (FrontPoint& point : sorted) {
    if (front.empty() || point.quality() > front.back().quality())
      front.push_back(std::move(point));
  }
  return front;
}

std::string front_csv(std::span<const FrontPoint> points) {
  std::string out;
  {
    nn::CsvLine line(out);
    for (const char* name :
         {"trial", "epoch", "shape", "weights", "inference_flops", "accuracy", "loss"})
      line.cell(name);
  }
  for (const FrontPoint& point : front_of(points)) {
    nn::CsvLine line(out);
    line.cell(std::to_string(point.trial)).cell(base::format_double(point.epoch)).cell(point.shape);
    line.cell(std::to_string(point.weights)).cell(base::format_double(point.inference_flops));
    line.cell(measured_text(point.accuracy)).cell(measured_text(point.loss));
  }
  return out;
}

}  // namespace hpo
