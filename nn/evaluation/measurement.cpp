#include "nn/evaluation/measurement.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "nn/evaluation/row_losses.h"

namespace nn {

namespace {

Measurement mean_of(std::vector<double> rows, bool maximize) {
  const double sum = std::accumulate(rows.begin(), rows.end(), 0.0);
  const double value = sum / static_cast<double>(rows.size());
  const std::size_t count = rows.size();
  return {.value = value, .maximize = maximize, .count = count, .rows = std::move(rows)};
}

Measurement by_metric(const Metric& metric, const Judged& judged) {
  if (metric.of_rows != nullptr) return mean_of(metric.of_rows(judged), metric.maximize);
  return {.value = metric.value(judged),
          .maximize = metric.maximize,
          .count = judged.rows(),
          .of_counts = metric.of_counts(judged)};
}

}  // namespace

Measurement measure(std::string_view metric, const Judged& judged, const Choice& loss,
                    const DataView& data) {
  if (metric == "loss") {
    const std::vector<float> losses = row_losses(judged, loss, data);
    return mean_of({losses.begin(), losses.end()}, false);
  }
  if (const Metric* whole = find_metric(metric)) return by_metric(*whole, judged);
  const std::size_t dot = metric.find('.');
  const Metric* of_one = find_metric(metric.substr(0, dot));
  const auto output = dot == std::string_view::npos
                          ? judged.names.end()
                          : std::ranges::find(judged.names, metric.substr(dot + 1));
  if (of_one == nullptr || output == judged.names.end())
    throw base::Error(base::Errc::internal,
                      base::cat("measure: '", metric, "' is not a metric of these answers"));
  return by_metric(*of_one,
                   output_of(judged, static_cast<std::size_t>(output - judged.names.begin())));
}

}  // namespace nn
