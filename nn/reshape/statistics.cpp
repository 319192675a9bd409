#include "nn/reshape/statistics.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/bridge.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/reshape.h"
#include "nn/training/batch_reader.h"

namespace nn {
namespace {

/// Writes the mean and the spread of each unit's values. Units are what varies fastest in images,
/// and in what they are flattened to.
void describe_values(const ReshapeJob<float>& job, const Reader& reader, UnitStatistics& out) {
  const LayerValues values = layer_values(job, reader.layer());
  const std::size_t units = out.mean.size(), elements = values.sums.size();
  for (std::size_t e = 0; e < elements; ++e) {
    out.mean[e % units] += values.sums[e];
    out.spread[e % units] += values.squares[e];
  }
  const std::size_t values_of_unit = job.calibration.rows.size() * (elements / units);
  const auto count = static_cast<double>(values_of_unit);
  for (std::size_t u = 0; u < units; ++u) {
    out.mean[u] /= count;
    const double variance = out.spread[u] / count - out.mean[u] * out.mean[u];
    out.spread[u] = variance < 0 ? 0 : std::sqrt(variance);  // rounding; NaN stays
  }
}

}  // namespace

std::vector<UnitStatistics> unit_statistics(const kern::Kernels<float>& kernels,
                                            Workspace& workspace, const ParamSlab& net,
                                            const DataView& training) {
  const Net<float> from = net_of(net, *kernels.memory);
  const ModelSpec& spec = from.spec();
  check_input(spec, training);
  const std::vector<std::uint32_t> rows = calibration_rows(training.rows, kStatisticsRows);
  if (rows.empty())
    throw base::Error(base::Errc::study, "statistics of units need rows of the training part");
  DataView calibration = training;
  calibration.rows = rows;
  const Operation none;
  const ReshapeJob<float> job{{kernels, workspace}, from, none, spec, calibration, 0};
  std::vector<UnitStatistics> out;
  std::vector<Gates> gates;
  for (const std::string& layer : resizable_layers(spec)) {
    const std::string group = resizable_group(spec, layer);
    const auto units = static_cast<std::size_t>(units_of(spec, group));
    gates.push_back({readers_of(spec, group), units});
    UnitStatistics& one = out.emplace_back();
    one.layer = layer;
    one.mean.resize(units);
    one.spread.resize(units);
    describe_values(job, gates.back().readers.front(), one);
    const Bridge bridge(spec, group);
    if (!bridge.stands) continue;
    for (const Direction& direction : strongest(job, bridge))
      one.room.push_back(direction.strength);
  }
  if (out.empty()) return out;
  std::vector<std::vector<double>> gradients = gate_gradients(job, gates);
  for (std::size_t g = 0; g < out.size(); ++g) out[g].gradient = std::move(gradients[g]);
  return out;
}

std::size_t most_directions(const ModelSpec& spec, const std::string& layer) {
  const Bridge bridge(spec, resizable_group(spec, layer));
  if (!bridge.stands) return 0;
  const auto [inputs, units] = ends_of(spec, bridge);
  return static_cast<std::size_t>(std::min(inputs, units));
}

std::uint64_t unit_statistics_flops(const ModelSpec& spec, std::uint64_t rows) {
  const std::uint64_t seen = std::min<std::uint64_t>(rows, kStatisticsRows);
  const Flops row = flops_per_row(spec);
  const std::vector<std::string> layers = resizable_layers(spec);
  std::uint64_t out = layers.empty() ? 0 : row.training * seen;
  for (const std::string& layer : layers) {
    out += row.forward * seen;
    const Bridge bridge(spec, resizable_group(spec, layer));
    if (bridge.stands) out += bridge_flops(spec, bridge, seen) + direction_flops(spec, bridge);
  }
  return out;
}

std::size_t unit_statistics_memory(const kern::Kernels<float>& kernels, const ModelSpec& spec) {
  std::size_t numbers = param_layout(spec).count;
  for (const std::string& layer : resizable_layers(spec)) {
    const Bridge bridge(spec, resizable_group(spec, layer));
    if (bridge.stands)
      numbers = std::max(numbers, bridge_numbers(spec, bridge.layer, bridge.later));
  }
  return std::max(
      calibration_memory(kernels, spec, Use::inference),
      calibration_memory(kernels, spec, Use::training) + Block::aligned(numbers * sizeof(float)));
}

}  // namespace nn
