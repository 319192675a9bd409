#include "nn/reshape/bridge.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "nn/network/flow.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/reading.h"

namespace nn {

Bridge::Bridge(const ModelSpec& spec, const std::string& group) {
  const ParamLayout layout = param_layout(spec);
  for (const GroupAxis& maker : makers(spec, group)) {
    const ParamTensor& tensor = layout.tensors[static_cast<std::size_t>(maker.tensor)];
    layer = static_cast<std::size_t>(tensor.layer);
  }
  for (const Reader& reader : readers_of(spec, group)) later = reader.layer();
  const auto dense = [&](std::size_t i) { return spec.layers[i].kind == "dense"; };
  stands = dense(layer) && dense(later) && later == layer + 1;
}

std::pair<std::uint64_t, std::uint64_t> ends_of(const ModelSpec& spec, const Bridge& bridge) {
  const auto flows = infer_flows(spec);
  return {static_cast<std::uint64_t>(flows[bridge.layer].shape.elements()),
          static_cast<std::uint64_t>(flows[bridge.later + 1].shape.elements())};
}

template <class T>
std::vector<Direction> strongest(const ReshapeJob<T>& job, const Bridge& bridge) {
  const std::vector<double> m = bridge_gradient(job, bridge.layer, bridge.later);
  const auto [inputs, units] = ends_of(job.from.spec(), bridge);
  std::vector<double> square(units * units), values(units);
  for (std::size_t i = 0; i < units; ++i) {
    for (std::size_t j = 0; j < units; ++j) {
      square[i * units + j] =
          std::inner_product(&m[i * inputs], &m[i * inputs] + inputs, &m[j * inputs], 0.0);
    }
  }
  job.hands.kernels.algebra->eigen_symmetric(static_cast<int>(units), square.data(), values.data());
  std::vector<Direction> out;
  for (std::size_t i = units; i-- > 0 && values[i] > 1e-12 * values.back();) {
    std::vector<double> row(&square[i * units], &square[i * units] + units);
    const auto large = std::ranges::max(row, {}, [](double x) { return std::abs(x); });
    if (large < 0) {
      for (double& x : row) x = -x;
    }
    out.push_back({std::move(row), std::sqrt(values[i])});
  }
  return out;
}

std::uint64_t bridge_flops(const ModelSpec& spec, const Bridge& bridge, std::uint64_t rows) {
  const auto [inputs, units] = ends_of(spec, bridge);
  return (flops_per_row(spec).training + 2 * inputs * units) * rows;
}

std::uint64_t direction_flops(const ModelSpec& spec, const Bridge& bridge) {
  constexpr std::uint64_t kEigen = 9;  // n^3 of the eigenvectors of a symmetric matrix
  const auto [inputs, units] = ends_of(spec, bridge);
  return 2 * units * units * inputs + kEigen * units * units * units;
}

template std::vector<Direction> strongest(const ReshapeJob<float>&, const Bridge&);
template std::vector<Direction> strongest(const ReshapeJob<double>&, const Bridge&);

}  // namespace nn
